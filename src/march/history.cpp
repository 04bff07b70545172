#include "lento/march/history.hpp"

#include <algorithm>

namespace lento {

NewtonBasis::NewtonBasis(std::span<const double> nodes, double about) {
    rows_[0][0] = 1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double shift = about - nodes[i];
        for (std::size_t j = 0; j <= i; ++j) {
            rows_[i + 1][j + 1] += rows_[i][j];
            rows_[i + 1][j] += shift * rows_[i][j];
        }
    }
}

double NewtonBasis::integral(std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) {
        sum += rows_[i][j] / static_cast<double>(j + 1);
    }
    return sum;
}

double NewtonBasis::double_integral(std::size_t i) const {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) {
        sum += rows_[i][j] / static_cast<double>((j + 1) * (j + 2));
    }
    return sum;
}

void History::clear() {
    times_.clear();
    values_.clear();
}

void History::push(double t, std::span<const double> z) {
    std::vector<double> value;
    if (times_.size() == most) {
        value = std::move(values_.back());  // its memory serves again
        times_.pop_back();
        values_.pop_back();
    }
    value.assign(z.begin(), z.end());
    times_.insert(times_.begin(), t);
    values_.insert(values_.begin(), std::move(value));
}

void History::fill(double t0, double h, std::span<const double> coefficients, std::size_t k) {
    clear();
    std::vector<double> z(length_);
    for (std::size_t back = k; back-- > 0;) {
        const double s = -static_cast<double>(back) * h;
        std::fill(z.begin(), z.end(), 0.0);
        for (std::size_t j = coefficients.size() / length_; j-- > 0;) {
            for (std::size_t i = 0; i < length_; ++i) {
                z[i] = z[i] * s + coefficients[j * length_ + i];
            }
        }
        push(t0 + s, z);
    }
}

std::vector<double> History::nodes(double h, std::size_t k) const {
    std::vector<double> result(k);
    for (std::size_t i = 0; i < k; ++i) {
        result[i] = (times_[i] - times_[0]) / h;
    }
    return result;
}

void History::divide(double h, std::size_t k) {
    differences_.resize(std::max(differences_.size(), k * length_));
    for (std::size_t i = 0; i < k; ++i) {
        std::copy(values_[i].begin(), values_[i].end(),
                  differences_.begin() + static_cast<std::ptrdiff_t>(i * length_));
    }
    const auto s = nodes(h, k);
    for (std::size_t order = 1; order < k; ++order) {
        for (std::size_t i = k; i-- > order;) {
            const double span = s[i] - s[i - order];
            double* here = differences_.data() + i * length_;
            const double* before = here - length_;
            for (std::size_t c = 0; c < length_; ++c) {
                here[c] = (here[c] - before[c]) / span;
            }
        }
    }
}

}  // namespace lento
