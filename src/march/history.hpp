/// The last values z of a function of time, at unequal times, and the polynomial through the newest k of them. With
/// s = (t - t_n)/h and s_i the times of the values, newest first (s_0 = 0, the others negative),
///
///     z(s) = sum_{i<k} phi_i pi_i(s),     pi_i(s) = (s - s_0) ... (s - s_{i-1}),     phi_i divided differences
///
/// About s = 0 or s = 1 the pi_i have no negative coefficients: nothing cancels in their integrals over a step.
#pragma once

#include <Eigen/Core>
#include <array>

#include "lento/problem/forces.hpp"

namespace lento {

/// pi_0, ..., pi_k by their coefficients about some s.
class NewtonBasis {
public:
    static constexpr std::size_t most = 14;

    /// Powers up to the given one.
    NewtonBasis(In nodes, double about, std::size_t degree = most - 1);

    double coefficient(std::size_t i, std::size_t j) const { return rows_[i][j]; }
    /// Of pi_i one unit of s after the point where it is expanded.
    double value_after_one(std::size_t i) const;

    /// Of pi_i from where it is expanded over a unit of s: once, and twice.
    struct Integrals {
        double once, twice;
    };
    Integrals integrals(std::size_t i) const;

private:
    std::array<std::array<double, most>, most> rows_;
};

class History {
public:
    static constexpr std::size_t most = NewtonBasis::most - 1;

    /// Values are filled up with zeros to whole blocks of so many numbers, which a vector unit takes at once.
    static constexpr std::size_t lanes = 4;

    explicit History(std::size_t length) : length_(length), stride_((length + lanes - 1) / lanes * lanes) {}

    std::size_t length() const { return length_; }
    /// With what fills it up.
    std::size_t stride() const { return stride_; }
    std::size_t size() const { return times_.size(); }
    void clear();
    void push(double t, In z);

    /// Fills in k values of the polynomial sum_j c_j (t - t0)^j at t0, t0 - h, t0 - 2 h, ...
    void fill(double t0, double h, In coefficients, std::size_t k);

    /// s_0, ..., s_{k-1} for steps of h.
    In nodes(double h, std::size_t k);

    /// Prepares phi_0, ..., phi_{k-1} for the nodes s_0, ..., s_{k-1}.
    void divide(In s);
    using Block = Eigen::Array<double, lanes, 1>;
    /// Numbers c, ..., c + lanes - 1 of phi_i.
    Eigen::Map<const Block> difference_block(std::size_t i, std::size_t c) const {
        return Eigen::Map<const Block>(differences_.data() + i * stride_ + c);
    }
    In difference(std::size_t i) const { return {differences_.data() + i * stride_, stride_}; }

private:
    std::size_t length_, stride_;
    std::vector<double> times_;                // newest first
    std::vector<std::vector<double>> values_;  // likewise
    std::vector<double> differences_;
    std::array<double, most> nodes_{};
};

}  // namespace lento
