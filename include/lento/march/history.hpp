/// The last values z of a function of time, at unequal times, and the polynomial through the newest k of them. With s = (t - t_n)/h and
/// s_i the times of the values, newest first (s_0 = 0, the others negative),
///
///     z(s) = sum_{i<k} phi_i pi_i(s),     pi_i(s) = (s - s_0) ... (s - s_{i-1}),     phi_i divided differences
///
/// Expanded about s = 0 or s = 1 the pi_i have no negative coefficients: nothing cancels in their integrals over a step.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace lento {

/// pi_0, ..., pi_k by their coefficients about some s.
class NewtonBasis {
public:
    static constexpr std::size_t most = 14;

    NewtonBasis(std::span<const double> nodes, double about);

    double coefficient(std::size_t i, std::size_t j) const { return rows_[i][j]; }
    /// Of pi_i from where it is expanded over a unit of s: once, and twice.
    double integral(std::size_t i) const;
    double double_integral(std::size_t i) const;

private:
    std::array<std::array<double, most>, most> rows_{};
};

class History {
public:
    static constexpr std::size_t most = NewtonBasis::most - 1;

    explicit History(std::size_t length) : length_(length) {}

    std::size_t length() const { return length_; }
    std::size_t size() const { return times_.size(); }
    void clear();
    void push(double t, std::span<const double> z);
    std::span<const double> newest() const { return value(0); }

    /// Fills in k values of the polynomial sum_j c_j (t - t0)^j at t0, t0 - h, t0 - 2 h, ...
    void fill(double t0, double h, std::span<const double> coefficients, std::size_t k);

    /// s_0, ..., s_{k-1} for steps of h.
    std::vector<double> nodes(double h, std::size_t k) const;

    /// Prepares phi_0, ..., phi_{k-1} for steps of h.
    void divide(double h, std::size_t k);
    std::span<const double> difference(std::size_t i) const { return {differences_.data() + i * length_, length_}; }

private:
    std::span<const double> value(std::size_t back) const { return {values_[back].data(), length_}; }

    std::size_t length_;
    std::vector<double> times_;                // newest first
    std::vector<std::vector<double>> values_;  // likewise
    std::vector<double> differences_;
};

}  // namespace lento
