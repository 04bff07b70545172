#include "lento/problem/mass.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

Mass Mass::diagonal(std::span<const double> masses) {
    Mass mass(masses.size());
    mass.kind_ = Kind::diagonal;
    mass.matrix_ =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(masses.size()), static_cast<Eigen::Index>(masses.size()));
    for (std::size_t i = 0; i < masses.size(); ++i) {
        require_positive(masses[i], fmt::format("mass {} of {}", i + 1, masses.size()));
        mass.inverse_.push_back(1.0 / masses[i]);
        mass.inverse_long_.push_back(1.0L / masses[i]);
        mass.matrix_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(i)) = masses[i];
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
    if (kind_ == Kind::one) {
        return Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(dimension_), static_cast<Eigen::Index>(dimension_));
    }
    return matrix_;
}

}  // namespace lento
