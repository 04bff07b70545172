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
        for (std::size_t c = 0; c < stride_; c += lanes) {
            block(i, c) *= power;
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
    for (std::size_t c = 0; c < stride_; c += lanes) {
        Block before = block(0, c);
        Block newer = Eigen::Map<const Block>(z.data() + c);
        block(0, c) = newer;
        for (std::size_t i = 1; i < size_; ++i) {
            const Block found = (newer - before) * per_span[i];
            before = block(i, c);
            block(i, c) = newer = found;
        }
    }
}

}  // namespace lento
