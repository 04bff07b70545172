/// What is derived from a model and never asked of its user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "model/parsed_model.hpp"

namespace lento::model {

/// An entry of a sparse matrix.
struct MatrixEntry {
    std::size_t row = 0, column = 0;
    Node node{};
};

/// The number of an unknown among all: coordinates, then velocities; or variables. Nothing for other symbols.
std::optional<std::size_t> unknown_of(const Model& model, std::uint32_t symbol);

/// Adds minus the gradient of a potential by the coordinates to forces, one a coordinate.
void subtract_gradient(Model& model, Node potential, std::vector<Node>& forces);

/// Makes the stiff forces from the springs, and the complete ones from these and the slow ones.
void add_stiff_forces(Model& model);

/// Whether M(x, t) varies and forces are divided by it in the graph: one coordinate each, or up to a dozen coupled
/// ones. Series, vectors and gradients of accelerations are then to be had as those of any expression. Beyond, L grows
/// with the cube of the number of coordinates, and is computed in numbers.
bool divides_in_graph(const Model& model);
/// M(x, t)^-1 f by Cholesky's L L^T, not a number where M is not positive definite; constant masses leave f.
std::vector<Node> divided_by_masses(Model& model, std::vector<Node> forces);

/// The derivatives of an expression by positions, those that are not zero, in ascending order; rows are `row`.
std::vector<MatrixEntry> gradient_by_position(Model& model, Node node, std::size_t row);

/// The constraints g(q, t) = 0 and what methods need of them along a motion q(t) with velocity v:
///
///     g' v + g_t = 0,     g' q'' + g''[v, v] + 2 g_t' v + g_tt = 0
struct ConstraintTerms {
    std::vector<Node> values;              ///< g
    std::vector<MatrixEntry> jacobian;     ///< g', by rows
    std::vector<Node> velocity_residuals;  ///< g' v + g_t
    std::vector<Node> curvature;           ///< g''[v, v] + 2 g_t' v + g_tt
    std::vector<Node> rates_at_rest;       ///< g' v
    std::vector<Node> curvature_at_rest;   ///< g''[v, v]
};
ConstraintTerms constraint_terms(Model& model);

/// An entry of the Hessian of one of some values.
struct SecondDerivative {
    std::size_t value = 0, row = 0, column = 0;
    Node node{};
};
/// Slow variables xi(x), each followed by its alternative if it has one, their gradients and Hessians. The unknowns are
/// the coordinates and then the velocities, or the variables.
struct SlowTerms {
    std::vector<Node> values;
    std::vector<MatrixEntry> gradient;      ///< row: number of the value; column: unknown
    std::vector<SecondDerivative> hessian;  ///< of all values, both triangles
};
SlowTerms slow_terms(Model& model);

/// The terms of the rates of variables that are linear with constant coefficients, as a matrix: what may be declared as
/// the exact part.
Eigen::MatrixXd linear_terms(const Model& given);

/// The right-hand side of the first-order form y' = r(y, t, theta): (v, M^-1 f) or the rates.
std::vector<Node> first_order_form(Model& model);

}  // namespace lento::model
