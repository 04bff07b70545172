#include "march/history.hpp"

#include <algorithm>
#include <numeric>

namespace lento {

namespace {

/// 1/(j+1) and 1/((j+1)(j+2))
constexpr auto weights = [] {
    std::array<NewtonBasis::Integrals, NewtonBasis::most> result{};
    for (std::size_t j = 0; j < result.size(); ++j) {
        result[j] = {1 / static_cast<double>(j + 1), 1 / static_cast<double>((j + 1) * (j + 2))};
    }
    return result;
}();

}  // namespace

NewtonBasis::NewtonBasis(In nodes, double about, std::size_t degree) {
    rows_[0][0] = 1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double shift = about - nodes[i];
        const auto& row = rows_[i];
        auto& next = rows_[i + 1];
        next[0] = shift * row[0];
        const std::size_t last = std::min(i, degree);
        for (std::size_t j = 1; j <= last; ++j) {
            next[j] = shift * row[j] + row[j - 1];
        }
        next[i + 1] = 1;
    }
}

double NewtonBasis::value_after_one(std::size_t i) const {
    return std::accumulate(rows_[i].begin(), rows_[i].begin() + static_cast<std::ptrdiff_t>(i + 1), 0.0);
}

NewtonBasis::Integrals NewtonBasis::integrals(std::size_t i) const {
    Integrals sum{0, 0};
    for (std::size_t j = 0; j <= i; ++j) {
        sum.once += rows_[i][j] * weights[j].once;
        sum.twice += rows_[i][j] * weights[j].twice;
    }
    return sum;
}

void History::clear() {
    times_.clear();
    values_.clear();
}

void History::push(double t, In z) {
    std::vector<double> value;
    if (times_.size() == most) {
        value = std::move(values_.back());  // its memory serves again
        times_.pop_back();
        values_.pop_back();
    }
    value.assign(z.begin(), z.end());
    value.resize(stride_);
    times_.insert(times_.begin(), t);
    values_.insert(values_.begin(), std::move(value));
}

void History::fill(double t0, double h, In coefficients, std::size_t k) {
    clear();
    std::vector<double> z(length_);
    for (std::size_t back = k; back-- > 0;) {
        const double s = -static_cast<double>(back) * h;
        std::ranges::fill(z, 0.0);
        for (std::size_t j = coefficients.size() / length_; j-- > 0;) {
            for (std::size_t i = 0; i < length_; ++i) {
                z[i] = z[i] * s + coefficients[j * length_ + i];
            }
        }
        push(t0 + s, z);
    }
}

In History::nodes(double h, std::size_t k) {
    for (std::size_t i = 0; i < k; ++i) {
        nodes_[i] = (times_[i] - times_[0]) / h;
    }
    return std::span(nodes_).first(k);
}

void History::divide(In s) {
    const std::size_t k = s.size();
    differences_.resize(std::max(differences_.size(), k * stride_));
    std::array<std::array<double, most>, most> per_span;  // of order, i
    for (std::size_t order = 1; order < k; ++order) {
        for (std::size_t i = order; i < k; ++i) {
            per_span[order][i] = 1 / (s[i] - s[i - order]);
        }
    }
    for (std::size_t c = 0; c < stride_; c += lanes) {
        std::array<Block, most> phi;
        for (std::size_t i = 0; i < k; ++i) {
            phi[i] = Eigen::Map<const Block>(values_[i].data() + c);
        }
        for (std::size_t order = 1; order < k; ++order) {
            for (std::size_t i = k; i-- > order;) {
                phi[i] = (phi[i] - phi[i - 1]) * per_span[order][i];
            }
        }
        for (std::size_t i = 0; i < k; ++i) {
            Eigen::Map<Block>(differences_.data() + i * stride_ + c) = phi[i];
        }
    }
}

}  // namespace lento
