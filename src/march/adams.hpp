/// Adams' formulas of orders 1 to 12 for y' = f(t, y), on steps of any lengths, by modified divided differences
/// (Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975); Hairer, Norsett, Wanner, Solving
/// ODEs I, section III.5). With psi_i the length of the last i steps, psi'_i that of the last i when the step h under
/// way is one of them, and s = (t - t_n)/h,
///
///     phi_i = psi_1 ... psi_i f[t_n, ..., t_{n-i}]        phi*_i = beta_i phi_i,  beta_i = prod_{j=1..i} psi'_j/psi_j
///     predict     p = y + h sum_{i<k} g_i phi*_i                                                   order k
///     evaluate    f(p);   delta = f(p) - sum_{i<k} phi*_i
///     correct     y' = p + h g_k delta                                                             order k + 1
///     evaluate    f(y');  phi'_k = f(y') - sum_{i<k} phi*_i,  phi'_i = phi'_k + sum_{i<=j<k} phi*_j    (PECE)
///
/// g_i is the integral of pi_i(s)/pi_i(1) from 0 to 1, with the polynomials pi_i of `march/newton_basis.hpp`. The local
/// error of order j is estimated by h sigma_j |gamma*_j| phi'_j, sigma_j = prod_{i=1..j} i h/psi'_i, in which gamma*_j
/// are the coefficients of Adams and Moulton for equal steps.
#pragma once

#include <array>
#include <vector>

#include "lento/step/dense.hpp"
#include "march/newton_basis.hpp"

namespace lento {

class AdamsFormulas {
public:
    static constexpr std::size_t highest_order = 12;

    /// From a point with rate f there, and no past.
    explicit AdamsFormulas(In rate);

    /// A step of length h and order k; that takes k - 1 steps before it.
    void prepare(double h, std::size_t order);
    /// p - y
    In prediction() const { return prediction_; }
    /// Takes f(p).
    void compare(In rate);
    /// y' - p
    In correction() const { return correction_; }
    /// The polynomial in time that the corrector integrates, from y: one degree above the order, and without a jump.
    DenseStep dense(double from, double to, In y) const;
    /// Takes f(y'): the step is made.
    void accept(In rate);

    /// The step before counts as one of another length.
    void reject() { equal_steps_ = 1; }

    /// The factor of |phi'_j| in the local error of order j, and that of |delta| in what correcting changes.
    double error_factor(std::size_t order) const;
    double correction_factor() const { return h_ * (g_[order_ - 1] - g_[order_]); }
    /// Component c of phi'_j, j <= k, as f(p) tells it.
    double difference(std::size_t j, std::size_t c) const { return sums_[j][c] + deviation_[c]; }
    /// Of phi'_{k+1}, once the step is made. It is right if steps_of_this_length() is above k.
    double next_difference(std::size_t c) const { return differences_[order_ + 1][c]; }
    /// How many of the last steps have the length of the last; counted up to one above the order.
    std::size_t steps_of_this_length() const { return equal_steps_; }

private:
    using Vectors = std::array<std::vector<double>, highest_order + 2>;

    std::size_t n_;
    std::size_t order_ = 0;
    double h_ = 0;
    std::array<double, highest_order> lengths_{};  // of the last steps, newest first
    std::size_t equal_steps_ = 0;
    // Of the step under way.
    std::array<double, highest_order> nodes_{};
    std::array<double, highest_order + 1> g_{}, beta_{}, sigma_{}, at_end_{};
    Vectors differences_;  // phi_i
    Vectors sums_;         // of phi*_j, i <= j < k
    std::vector<double> prediction_, deviation_, correction_;
};

}  // namespace lento
