/// The constant mass matrix M of M x'' = f: one, diagonal, or full symmetric positive definite.
///
/// Steppers work with accelerations. `to_acceleration` turns a force into M^-1 f in place, for any scalar type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Dense>

namespace lento {

class Mass {
public:
    /// All masses one.
    explicit Mass(std::size_t dimension) : dimension_(dimension) {}

    /// One mass per coordinate. Throws Misuse unless each is a finite number above zero.
    static Mass diagonal(std::span<const double> masses);

    /// A full matrix. Throws Misuse unless it is square, symmetric and positive definite.
    static Mass full(const Eigen::MatrixXd& matrix);

    std::size_t dimension() const { return dimension_; }

    /// Whether all masses are one.
    bool is_one() const { return kind_ == Kind::one; }
    /// Whether M is diagonal, and so is its inverse.
    bool is_diagonal() const { return kind_ != Kind::full; }

    /// The mass matrix itself, for energies and checks.
    Eigen::MatrixXd matrix() const;

    /// The entry (row, column) of M^-1.
    double inverse_entry(std::size_t row, std::size_t column) const;

    /// M^-1 f in place; `scratch` is as long as f.
    template <class S, std::size_t Extent>
    void to_acceleration(std::span<S, Extent> f, std::span<S, Extent> scratch) const {
        const std::size_t d = f.size();
        switch (kind_) {
            case Kind::one:
                return;
            case Kind::diagonal:
                for (std::size_t i = 0; i < d; ++i) {
                    f[i] *= inverse<S>()[i];
                }
                return;
            case Kind::full:
                std::copy(f.begin(), f.end(), scratch.begin());
                for (std::size_t i = 0; i < d; ++i) {
                    S sum{};
                    for (std::size_t j = 0; j < d; ++j) {
                        sum += scratch[j] * inverse<S>()[i * d + j];
                    }
                    f[i] = sum;
                }
        }
    }

private:
    enum class Kind { one, diagonal, full };

    // NOTE: the inverse is kept in both precisions, so that long double steppers are not limited by it and double ones
    // do not pay for conversions.
    template <class S>
    const auto& inverse() const {
        if constexpr (std::is_same_v<S, long double>) {
            return inverse_long_;
        } else {
            return inverse_;
        }
    }

    std::size_t dimension_;
    Kind kind_ = Kind::one;
    Eigen::MatrixXd matrix_;  // a full one
    std::vector<double> diagonal_;
    std::vector<double> inverse_;  // the diagonal, or the rows of the full inverse
    std::vector<long double> inverse_long_;
};

}  // namespace lento
