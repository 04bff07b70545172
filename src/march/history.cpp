#include "march/history.hpp"

#include <algorithm>

namespace lento {

void History::fill(double h, In coefficients, std::size_t k) {
    size_ = 0;
    h_ = h;
    std::vector<double> z(stride_);
    for (std::size_t back = k; back-- > 0;) {
        const double s = -static_cast<double>(back) * h;
        std::ranges::fill(z, 0.0);
        for (std::size_t j = coefficients.size() / length_; j-- > 0;) {
            for (std::size_t i = 0; i < length_; ++i) {
                z[i] = z[i] * s + coefficients[j * length_ + i];
            }
        }
        push(z, most);
    }
}

void History::set_step(double h) {
    if (h == h_) {
        return;
    }
    const double ratio = h / h_;
    double power = 1;
    for (std::size_t i = 1; i < size_; ++i) {
        power *= ratio;
        nodes_[i] /= ratio;
        for (std::size_t c = 0; c < stride_; c += 2) {
            store(difference(i, c), power * load<Two>(difference(i, c)));
        }
    }
    h_ = h;
}

void History::push(In z, std::size_t most_values) {
    size_ = std::min({size_ + 1, most_values, most});
    std::array<double, most> per_span;
    for (std::size_t i = size_; i-- > 1;) {
        nodes_[i] = nodes_[i - 1] - 1;
        per_span[i] = -1 / nodes_[i];
    }
    for (std::size_t c = 0; c < stride_; c += 2) {
        Two before = load<Two>(difference(0, c));
        Two newer = load<Two>(&z[c]);
        store(difference(0, c), newer);
        for (std::size_t i = 1; i < size_; ++i) {
            newer = (newer - before) * per_span[i];
            before = load<Two>(difference(i, c));
            store(difference(i, c), newer);
        }
    }
}

void History::expand_about_one(std::size_t k, std::size_t terms, Out series) const {
    with_known(terms, [&](auto known_terms) {
        std::array<Two, most> coefficients;
        for (std::size_t c = 0; c < stride_; c += 2) {
            const double* const from = differences_.data() + c;
            expand(nodes_, k, 1, known_terms, coefficients.data(),
                   [&](std::size_t i) { return load<Two>(from + i * stride_); });
            for (std::size_t j = 0; j < known_terms; ++j) {
                store(&series[j * stride_ + c], coefficients[j]);
            }
        }
    });
}

}  // namespace lento
