#include "march/adams.hpp"

#include <algorithm>

namespace lento {

namespace {

/// |gamma*_j| = 1, 1/2, 1/12, 1/24, 19/720, ..., from gamma*_j + gamma*_{j-1}/2 + ... + gamma*_0/(j + 1) = 0 (Solving
/// ODEs I, (III.1.10)).
constexpr auto adams_moulton = [] {
    std::array<double, AdamsFormulas::highest_order + 2> sizes{1};
    for (std::size_t j = 1; j < sizes.size(); ++j) {
        // All but the first of the gamma* are negative.
        double rest = 1 / static_cast<double>(j + 1);
        for (std::size_t i = 1; i < j; ++i) {
            rest -= sizes[i] / static_cast<double>(j + 1 - i);
        }
        sizes[j] = rest;
    }
    return sizes;
}();

}  // namespace

AdamsFormulas::AdamsFormulas(In rate)
    : n_(rate.size()), prediction_(rate.size()), deviation_(rate.size()), correction_(rate.size()) {
    for (auto* vectors : {&differences_, &sums_}) {
        vectors->fill(std::vector<double>(n_));
    }
    std::ranges::copy(rate, differences_[0].begin());
}

void AdamsFormulas::prepare(double h, std::size_t order) {
    equal_steps_ = h != lengths_[0] ? 1 : equal_steps_ <= order_ ? equal_steps_ + 1 : equal_steps_;
    h_ = h;
    order_ = order;
    double back = 0;
    for (std::size_t i = 1; i < order; ++i) {
        back += lengths_[i - 1];
        nodes_[i] = -back / h;
    }
    const NewtonIntegrals integrals(In(nodes_).first(order));
    beta_[0] = sigma_[0] = 1;
    for (std::size_t i = 0; i <= order; ++i) {
        at_end_[i] = integrals.end[i];
        g_[i] = integrals.once[i] / at_end_[i];
        if (i > 0) {
            const double span = 1 - nodes_[i - 1];  // psi'_i / h
            sigma_[i] = sigma_[i - 1] * static_cast<double>(i) / span;
            beta_[i] = i < order ? beta_[i - 1] * span / -nodes_[i] : 0;
        }
    }
    std::ranges::fill(sums_[order], 0.0);
    std::ranges::fill(prediction_, 0.0);
    // NOTE: from the highest differences, which are the smallest, to the lowest.
    for (std::size_t i = order; i-- > 0;) {
        for (std::size_t c = 0; c < n_; ++c) {
            const double term = beta_[i] * differences_[i][c];
            prediction_[c] += h * g_[i] * term;
            sums_[i][c] = sums_[i + 1][c] + term;
        }
    }
}

void AdamsFormulas::compare(In rate) {
    for (std::size_t c = 0; c < n_; ++c) {
        deviation_[c] = rate[c] - sums_[0][c];
        correction_[c] = h_ * g_[order_] * deviation_[c];
    }
}

DenseStep AdamsFormulas::dense(double from, double to, In y) const {
    DenseStep step(from, to, n_, order_ + 1);
    std::array<double, most_of_newton_basis> coefficients;
    std::ranges::copy(y, step.coefficient(0).begin());
    for (std::size_t c = 0; c < n_; ++c) {
        expand(In(nodes_).first(order_), order_ + 1, 0, order_ + 1, coefficients.data(), [&](std::size_t i) {
            return (i < order_ ? beta_[i] * differences_[i][c] : deviation_[c]) / at_end_[i];
        });
        for (std::size_t j = 0; j <= order_; ++j) {
            step.coefficient(j + 1)[c] = h_ * coefficients[j] / static_cast<double>(j + 1);
        }
    }
    return step;
}

void AdamsFormulas::accept(In rate) {
    for (std::size_t c = 0; c < n_; ++c) {
        const double newest = rate[c] - sums_[0][c];
        differences_[order_ + 1][c] = newest - differences_[order_][c];
        differences_[order_][c] = newest;
        for (std::size_t i = 0; i < order_; ++i) {
            differences_[i][c] = sums_[i][c] + newest;
        }
    }
    std::shift_right(lengths_.begin(), lengths_.end(), 1);
    lengths_[0] = h_;
}

double AdamsFormulas::error_factor(std::size_t order) const {
    return h_ * (order <= order_ ? sigma_[order] : 1) * adams_moulton[order];
}

}  // namespace lento
