#include "lento/problem/mass.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

Mass Mass::diagonal(std::span<const double> masses) {
    Mass mass(masses.size());
    mass.kind_ = Kind::diagonal;
    mass.diagonal_.assign(masses.begin(), masses.end());
    for (std::size_t i = 0; i < masses.size(); ++i) {
        require_positive(masses[i], fmt::format("mass {} of {}", i + 1, masses.size()));
        mass.inverse_.push_back(1.0 / masses[i]);
        mass.inverse_long_.push_back(1.0L / masses[i]);
    }
    return mass;
}

Mass Mass::full(const Eigen::MatrixXd& matrix) {
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
    const double least =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues().minCoeff();
    const Eigen::LLT<Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>> cholesky(matrix.cast<long double>());
    if (!(least > 0) || cholesky.info() != Eigen::Success) {
        throw Misuse(
            fmt::format("the mass matrix is not positive definite: its smallest eigenvalue is {:.6g}; check the signs "
                        "and that no coordinate is without mass",
                        least));
    }
    Mass mass(static_cast<std::size_t>(matrix.rows()));
    mass.kind_ = Kind::full;
    mass.matrix_ = matrix;
    const auto inverse =
        cholesky
            .solve(Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>::Identity(matrix.rows(), matrix.cols()))
            .eval();
    for (Eigen::Index i = 0; i < inverse.rows(); ++i) {
        for (Eigen::Index j = 0; j < inverse.cols(); ++j) {
            mass.inverse_.push_back(static_cast<double>(inverse(i, j)));
            mass.inverse_long_.push_back(inverse(i, j));
        }
    }
    return mass;
}

Eigen::MatrixXd Mass::matrix() const {
    const auto d = static_cast<Eigen::Index>(dimension_);
    switch (kind_) {
        case Kind::one:
            return Eigen::MatrixXd::Identity(d, d);
        case Kind::diagonal:
            return Eigen::Map<const Eigen::VectorXd>(diagonal_.data(), d).asDiagonal();
        case Kind::full:
            break;
    }
    return matrix_;
}

double Mass::inverse_entry(std::size_t row, std::size_t column) const {
    if (kind_ == Kind::full) {
        return inverse_[row * dimension_ + column];
    }
    return row != column ? 0.0 : kind_ == Kind::one ? 1.0 : inverse_[row];
}

}  // namespace lento
