/// Derivatives of C++ functions by jets: exact to rounding, never asked of the user.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "lento/base/jet.hpp"

namespace lento {

/// The derivative of `f` at `x` in the direction `direction`. `f(span<const J> x, span<J> y)` fills y.
template <class Function>
std::vector<double> directional_derivative(Function&& f, std::size_t outputs, std::span<const double> x,
                                           std::span<const double> direction) {
    using Dual = Jet<double, 1>;
    std::vector<Dual> point(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        point[i][0] = x[i];
        point[i][1] = direction[i];
    }
    std::vector<Dual> image(outputs);
    f(std::span<const Dual>(point), std::span<Dual>(image));
    std::vector<double> derivative(outputs);
    for (std::size_t i = 0; i < outputs; ++i) {
        derivative[i] = image[i][1];
    }
    return derivative;
}

/// The matrix of partial derivatives of `f` at `x`, one direction a column.
template <class Function>
Eigen::MatrixXd jacobian(Function&& f, std::size_t outputs, std::span<const double> x) {
    Eigen::MatrixXd matrix(static_cast<Eigen::Index>(outputs), static_cast<Eigen::Index>(x.size()));
    std::vector<double> direction(x.size(), 0.0);
    for (std::size_t j = 0; j < x.size(); ++j) {
        direction[j] = 1.0;
        const auto column = directional_derivative(f, outputs, x, direction);
        direction[j] = 0.0;
        for (std::size_t i = 0; i < outputs; ++i) {
            matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = column[i];
        }
    }
    return matrix;
}

}  // namespace lento
