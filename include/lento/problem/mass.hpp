/// The constant mass matrix M of M x'' = f: one, diagonal, or full symmetric positive definite.
///
/// Steppers work with accelerations. `to_acceleration` turns a force into M^-1 f in place, for any scalar type.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

/// A matrix by its rows, where a library for matrices would be too much.
struct Rows {
    std::size_t rows = 0, columns = 0;
    std::vector<double> entries{};

    Rows() = default;
    Rows(std::size_t height, std::size_t width) : rows(height), columns(width), entries(height * width) {}
    /// Of any matrix with rows(), cols() and entries matrix(i, j), such as those of Eigen.
    template <class Matrix>
    requires requires(const Matrix& matrix) { matrix(0, 0) + 0.0 * (matrix.rows() + matrix.cols()); }
    explicit Rows(const Matrix& matrix)
        : Rows(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())) {
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                using Index = decltype(matrix.rows());
                (*this)(i, j) = matrix(static_cast<Index>(i), static_cast<Index>(j));
            }
        }
    }

    double& operator()(std::size_t i, std::size_t j) { return entries[i * columns + j]; }
    double operator()(std::size_t i, std::size_t j) const { return entries[i * columns + j]; }
};

class Mass {
public:
    /// All masses one.
    explicit Mass(std::size_t dimension = 0) : dimension_(dimension) {}

    /// One mass per coordinate. Throws Misuse unless each is a finite number above zero.
    static Mass diagonal(std::span<const double> masses);

    /// A full matrix. Throws Misuse unless it is square, symmetric and positive definite.
    static Mass full(Rows matrix);
    template <class Matrix>
    static Mass full(const Matrix& matrix) {
        return full(Rows(matrix));
    }

    std::size_t dimension() const { return dimension_; }

    /// Whether all masses are one.
    bool is_one() const { return kind_ == Kind::one; }
    /// Whether M is diagonal, and so is its inverse.
    bool is_diagonal() const { return kind_ != Kind::full; }

    /// The entries (row, column) of M, for energies and checks, and of M^-1.
    double entry(std::size_t row, std::size_t column) const { return entry_of(entries_, row, column); }
    double inverse_entry(std::size_t row, std::size_t column) const { return entry_of(inverse_, row, column); }
    /// M v.
    std::vector<double> times(std::span<const double> v) const;

    /// M^-1 f in place; `scratch` is as long as f.
    template <class S, std::size_t Extent>
    void to_acceleration(std::span<S, Extent> f, std::span<S, Extent> scratch) const {
        const std::size_t d = f.size();
        switch (kind_) {
            case Kind::one:
                return;
            case Kind::diagonal:
                for (std::size_t i = 0; i < d; ++i) {
                    f[i] *= inverse_[i];
                }
                return;
            case Kind::full:
                std::copy(f.begin(), f.end(), scratch.begin());
                for (std::size_t i = 0; i < d; ++i) {
                    S sum{};
                    for (std::size_t j = 0; j < d; ++j) {
                        sum += scratch[j] * inverse_[i * d + j];
                    }
                    f[i] = sum;
                }
        }
    }

private:
    enum class Kind { one, diagonal, full };

    double entry_of(const std::vector<double>& numbers, std::size_t row, std::size_t column) const;

    std::size_t dimension_;
    Kind kind_ = Kind::one;
    std::vector<double> entries_;  // the diagonal, or all rows
    std::vector<double> inverse_;  // likewise
};

}  // namespace lento
