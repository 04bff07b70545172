#include "lento/problem/mass.hpp"

#include <cmath>

#include <fmt/format.h>
#include <Eigen/Cholesky>

#include "base/eigenvalues.hpp"
#include "lento/base/misuse.hpp"
#include "problem/symmetric_factor.hpp"

namespace lento {

Mass Mass::diagonal(std::span<const double> masses) {
    Mass mass(masses.size());
    mass.kind_ = Kind::diagonal;
    mass.entries_.assign(masses.begin(), masses.end());
    for (std::size_t i = 0; i < masses.size(); ++i) {
        require_positive(masses[i], fmt::format("mass {} of {}", i + 1, masses.size()));
        mass.inverse_.push_back(1.0 / masses[i]);
    }
    return mass;
}

Mass Mass::full(Rows given) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::MatrixXd matrix = Eigen::Map<const RowMajor>(
        given.entries.data(), static_cast<Eigen::Index>(given.rows), static_cast<Eigen::Index>(given.columns));
    if (matrix.rows() != matrix.cols()) {
        throw Misuse(
            fmt::format("the mass matrix has {} rows and {} columns; it must be square", matrix.rows(), matrix.cols()));
    }
    if (!matrix.allFinite()) {
        throw Misuse("the mass matrix has an entry that is not a finite number");
    }
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        for (Eigen::Index j = 0; j < i; ++j) {
            if (std::abs(matrix(i, j) - matrix(j, i)) > 1e-13 * matrix.cwiseAbs().maxCoeff()) {
                throw Misuse(fmt::format("the mass matrix is not symmetric: entry ({},{}) is {} but ({},{}) is {}",
                                         i + 1, j + 1, matrix(i, j), j + 1, i + 1, matrix(j, i)));
            }
        }
    }
    const double least = symmetric_eigenvalues(matrix).minCoeff();
    // NOTE: in long double, so that the inverse is right to the last digit of a double.
    using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Eigen::LLT<LongMatrix> cholesky(matrix.cast<long double>());
    if (!(least > 0) || cholesky.info() != Eigen::Success) {
        throw Misuse(
            fmt::format("the mass matrix is not positive definite: its smallest eigenvalue is {:.6g}; check the signs "
                        "and that no coordinate is without mass",
                        least));
    }
    Mass mass(given.rows);
    mass.kind_ = Kind::full;
    mass.entries_ = std::move(given.entries);
    const LongMatrix inverse = cholesky.solve(LongMatrix::Identity(matrix.rows(), matrix.cols()));
    mass.inverse_ = Rows(Eigen::MatrixXd(inverse.cast<double>())).entries;
    return mass;
}

Mass Mass::function(std::size_t dimension, std::shared_ptr<const MassFunction> function) {
    if (!function) {
        throw Misuse("the mass matrix is given no function");
    }
    Mass mass(dimension);
    mass.kind_ = Kind::varying;
    mass.function_ = std::move(function);
    return mass;
}

Mass Mass::at(std::span<const double> x, double t) const {
    if (!varies()) {
        return *this;
    }
    const std::size_t n = dimension_;
    std::vector<double> packed(SymmetricEntries<double>::count(n));
    function_->at(x, t, packed);
    const SymmetricEntries<double> entries(packed, n);
    Mass mass(n);
    mass.kind_ = Kind::full;
    mass.entries_.resize(n * n);
    mass.inverse_.assign(n * n, 0.0);
    for (std::size_t k = 0; k < n * n; ++k) {
        mass.entries_[k] = entries(k / n, k % n);
    }
    const bool definite = factorise(std::span(packed), n);
    for (std::size_t i = 0; i < n; ++i) {
        // NOTE: the inverse is symmetric: its rows are its columns.
        const auto row = std::span(mass.inverse_).subspan(i * n, n);
        row[i] = definite ? 1.0 : std::numeric_limits<double>::quiet_NaN();
        solve(std::span<const double>(packed), row);
    }
    return mass;
}

double Mass::entry_of(const std::vector<double>& numbers, std::size_t row, std::size_t column) const {
    if (kind_ == Kind::full) {
        return numbers[row * dimension_ + column];
    }
    return row != column ? 0.0 : kind_ == Kind::one ? 1.0 : numbers[row];
}

std::vector<double> Mass::times(std::span<const double> v) const {
    std::vector<double> result(v.begin(), v.end());
    for (std::size_t i = 0; kind_ == Kind::diagonal && i < v.size(); ++i) {
        result[i] *= entries_[i];
    }
    for (std::size_t i = 0; kind_ == Kind::full && i < v.size(); ++i) {
        result[i] = 0;
        for (std::size_t j = 0; j < v.size(); ++j) {
            result[i] += entries_[i * dimension_ + j] * v[j];
        }
    }
    return result;
}

}  // namespace lento
