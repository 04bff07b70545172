/// The last values z of a function of time by their divided differences (`march/newton_basis.hpp`), which each new
/// value updates:
///
///     phi'_0 = z,     phi'_i = (phi'_{i-1} - phi_{i-1}) / (s - s_{i-1}),     s the time of the new value
///
/// Times are in units of the step h; another h scales phi_i by the i-th power of the ratio.
#pragma once

#include <cmath>
#include <vector>

#include "march/newton_basis.hpp"
#include "step/weighted.hpp"

namespace lento {

class History {
public:
    /// Values that it keeps at most.
    static constexpr std::size_t most = most_of_newton_basis - 1;

    explicit History(std::size_t length)
        : length_(length), stride_((length + 1) / 2 * 2), differences_(most * stride_) {}

    std::size_t length() const { return length_; }
    /// With a zero that fills up the last two numbers.
    std::size_t stride() const { return stride_; }
    std::size_t size() const { return size_; }

    /// Fills in k values of the polynomial sum_j c_j (t - t_n)^j at t_n, t_n - h, t_n - 2 h, ...
    void fill(double h, In coefficients, std::size_t k);

    /// The length that steps have, where h is the same but for rounding.
    double nearly(double h) const { return std::abs(h - h_) < 1e-14 * h_ ? h_ : h; }
    /// Steps of another length.
    void set_step(double h);
    /// z one step after the last value; of `most` at most are kept.
    void push(In z, std::size_t most);

    /// s_0, ..., s_{k-1}
    In nodes(std::size_t k) const { return In(nodes_).first(k); }
    In difference(std::size_t i) const { return In(differences_).subspan(i * stride_, stride_); }

    /// The polynomial through the newest k values in so many powers of s - 1: coefficient j begins at j `stride`.
    void expand_about_one(std::size_t k, std::size_t terms, Out series) const;

private:
    double* difference(std::size_t i, std::size_t c) { return differences_.data() + i * stride_ + c; }

    std::size_t length_, stride_, size_ = 0;
    double h_ = 1;
    std::array<double, most> nodes_{};
    std::vector<double> differences_;
};

}  // namespace lento
