/// What is leading in the rates of a model as its small parameter becomes smaller, in numbers at points near the start.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "model/derive.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// The rates of all unknowns and their derivatives, as numbers at points near the start.
class Rates {
public:
    explicit Rates(Model& model);

    std::size_t unknowns() const { return rates_.size(); }
    Node rate(Eigen::Index i) const { return rates_[static_cast<std::size_t>(i)]; }
    Node partial(Eigen::Index i, Eigen::Index j) const;

    /// By unknowns and then phases.
    std::vector<Eigen::MatrixXd> jacobians() const;

    std::vector<double> at(std::size_t point, const std::vector<Node>& nodes) const;

    static constexpr std::size_t points = 4;

private:
    Model& model_;
    std::vector<Node> rates_;
    std::vector<MatrixEntry> entries_;
};

/// What grows as the parameter becomes smaller, in the Jacobian at each point; or what does not shrink, where nothing
/// grows: times may be counted in fast units.
struct Leading {
    Eigen::MatrixXd part{};        ///< the largest at any point
    std::vector<bool> constant{};  ///< whether a row is the same everywhere

    /// `coordinates`: the first unknowns are these and then come their velocities; 0 where there are variables.
    Leading(const std::vector<Eigen::MatrixXd>& slow, std::vector<Eigen::MatrixXd> fast, double factor,
            Eigen::Index coordinates);

    bool grows(Eigen::Index i) const { return (part.row(i).array() != 0).any(); }
    bool is_constant(Eigen::Index i) const { return constant[static_cast<std::size_t>(i)]; }
};

}  // namespace lento::model
