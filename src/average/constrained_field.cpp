#include "lento/average/constrained_field.hpp"

namespace lento {

MultiplierSeries::MultiplierSeries(const SparsePattern& pattern, const Mass& mass)
    : pattern_(&pattern), mass_(&mass), matrix_(pattern, mass), pull_(mass.dimension()), scratch_(mass.dimension()) {}

bool MultiplierSeries::eliminate(int degree, std::span<const double> gradient, std::span<const double> curvature,
                                 std::span<double> f) {
    const std::size_t n = mass_->dimension();
    const std::size_t count = pattern_->rows();
    const std::size_t entries = pattern_->entries();
    lambda_.resize(static_cast<std::size_t>(degree + 1) * count);
    if (!matrix_.factorise(gradient.first(entries))) {
        return false;
    }
    // result += factor G_j^T lambda_i, and result += G_j a_i
    const auto pull = [&](std::size_t j, std::size_t i, double factor, std::span<double> result) {
        for (std::size_t row = 0; row < count; ++row) {
            for (std::size_t e = pattern_->start(row); e < pattern_->start(row + 1); ++e) {
                result[pattern_->column(e)] += factor * gradient[j * entries + e] * lambda_[i * count + row];
            }
        }
    };
    const auto along = [&](std::size_t j, std::size_t i, std::span<double> result) {
        for (std::size_t row = 0; row < count; ++row) {
            for (std::size_t e = pattern_->start(row); e < pattern_->start(row + 1); ++e) {
                result[row] += gradient[j * entries + e] * f[i * n + pattern_->column(e)];
            }
        }
    };
    for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
        const auto a = f.subspan(k * n, n);
        for (std::size_t j = 1; j <= k; ++j) {
            pull(j, k - j, -1, a);
        }
        mass_->to_acceleration(a, std::span<double>(scratch_));
        const auto lambda = std::span(lambda_).subspan(k * count, count);
        for (std::size_t row = 0; row < count; ++row) {
            lambda[row] = curvature[k * count + row];
        }
        for (std::size_t j = 0; j <= k; ++j) {
            along(j, k - j, lambda);
        }
        matrix_.solve(lambda);
        std::fill(pull_.begin(), pull_.end(), 0.0);
        pull(0, k, 1, pull_);
        mass_->to_acceleration(std::span<double>(pull_), std::span<double>(scratch_));
        for (std::size_t i = 0; i < n; ++i) {
            a[i] -= pull_[i];
        }
    }
    return true;
}

}  // namespace lento
