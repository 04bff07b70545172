/// The mass matrix M of M x'' = f, symmetric and positive definite: one, diagonal, full; or M(x, t), whose entries are
/// functions of position and time (stroboscopic (37)). Nothing is added to f: what the derivatives of M give in the
/// equations of Lagrange stands in the forces.
///
/// Steppers work with accelerations. `to_acceleration` turns a force into M^-1 f in place, for any scalar type. Forces
/// of a problem whose masses vary are divided by them where these are declared (`Problem::with_mass`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"

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

/// A symmetric matrix of n rows by its lower triangle, row after row: (i, j) and (j, i) are one number.
template <class S>
class SymmetricEntries {
public:
    SymmetricEntries(std::span<S> numbers, std::size_t rows) : numbers_(numbers), rows_(rows) {}

    static constexpr std::size_t count(std::size_t rows) { return rows * (rows + 1) / 2; }
    static constexpr std::size_t place(std::size_t i, std::size_t j) {
        return i < j ? place(j, i) : i * (i + 1) / 2 + j;
    }

    std::size_t rows() const { return rows_; }
    S& operator()(std::size_t i, std::size_t j) const { return numbers_[place(i, j)]; }

private:
    std::span<S> numbers_;
    std::size_t rows_;
};

/// M(x, t). Immutable: any thread may call it. `entries` are as `SymmetricEntries` has them.
class MassFunction {
public:
    virtual ~MassFunction() = default;
    virtual void at(std::span<const double> x, double t, std::span<double> entries) const = 0;
    /// Whether it is also known along motions that are truncated series in time.
    virtual bool takes_series() const = 0;
    virtual void at(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const = 0;
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

    /// M(x, t), written as a template `f(x, t, M)` that sets entries M(i, j); those it does not set are zero, and (i,
    /// j) and (j, i) are one.
    template <class F>
    requires(!std::is_convertible_v<F, std::shared_ptr<const MassFunction>>) static Mass
        function(std::size_t dimension, F f);
    static Mass function(std::size_t dimension, std::shared_ptr<const MassFunction> function);

    std::size_t dimension() const { return dimension_; }

    /// Whether all masses are one.
    bool is_one() const { return kind_ == Kind::one; }
    /// Whether M is known to be diagonal, and so is its inverse.
    bool is_diagonal() const { return kind_ == Kind::one || kind_ == Kind::diagonal; }
    /// Whether M depends on position or time.
    bool varies() const { return kind_ == Kind::varying; }
    const MassFunction& function() const { return *function_; }
    const std::shared_ptr<const MassFunction>& shared_function() const { return function_; }

    /// The constant matrix that M is at a point. Where it is not positive definite, its inverse is not a number.
    Mass at(std::span<const double> x, double t) const;

    // Of constant masses.
    /// The entries (row, column) of M, for energies and checks, and of M^-1.
    double entry(std::size_t row, std::size_t column) const { return entry_of(entries_, row, column); }
    double inverse_entry(std::size_t row, std::size_t column) const { return entry_of(inverse_, row, column); }
    /// M v.
    std::vector<double> times(std::span<const double> v) const;

    /// M^-1 f in place; `scratch` is as long as f. Where masses vary, forces are divided by them already.
    template <class S, std::size_t Extent>
    void to_acceleration(std::span<S, Extent> f, std::span<S, Extent> scratch) const {
        const std::size_t d = f.size();
        switch (kind_) {
            case Kind::one:
            case Kind::varying:
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
    enum class Kind { one, diagonal, full, varying };

    double entry_of(const std::vector<double>& numbers, std::size_t row, std::size_t column) const;

    std::size_t dimension_;
    Kind kind_ = Kind::one;
    std::vector<double> entries_;  // the diagonal, or all rows
    std::vector<double> inverse_;  // likewise
    std::shared_ptr<const MassFunction> function_{};
};

/// M(x, t) from C++.
template <class F>
class WrittenMass final : public MassFunction {
public:
    WrittenMass(std::size_t dimension, F function) : dimension_(dimension), function_(std::move(function)) {}

    void at(std::span<const double> x, double t, std::span<double> entries) const override { fill(x, t, entries); }
    bool takes_series() const override { return series; }
    void at(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        if constexpr (series) {
            fill(x, t, entries);
        }
    }

private:
    static constexpr bool series =
        std::is_invocable_v<const F&, std::span<const Taylor>, Taylor, SymmetricEntries<Taylor>>;

    template <class S>
    void fill(std::span<const S> x, const S& t, std::span<S> entries) const {
        std::fill(entries.begin(), entries.end(), S(0));
        function_(x, t, SymmetricEntries<S>(entries, dimension_));
    }

    std::size_t dimension_;
    F function_;
};

template <class F>
requires(!std::is_convertible_v<F, std::shared_ptr<const MassFunction>>) Mass Mass::function(std::size_t dimension,
                                                                                             F f) {
    return function(dimension, std::shared_ptr<const MassFunction>(
                                   std::make_shared<const WrittenMass<F>>(dimension, std::move(f))));
}

}  // namespace lento
