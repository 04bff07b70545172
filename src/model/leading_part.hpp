/// What is leading in the rates of a model as its small parameter becomes smaller, in numbers at points near the start.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <Eigen/Core>

#include "base/number.hpp"
#include "model/derive.hpp"
#include "model/parts.hpp"

namespace lento::model {

/// The rates of all unknowns and their derivatives, as numbers at points near the start.
class Rates {
public:
    explicit Rates(Model& model) : model_(model), rates_(first_order_form(model)) {
        for (std::size_t i = 0; i < rates_.size(); ++i) {
            for (const auto& partial : model.graph.gradient(rates_[i])) {
                const auto& place = model.places[partial.symbol];
                if (place.array != Place::Array::time) {
                    const auto unknown = unknown_of(model, partial.symbol);
                    entries_.push_back({i, unknown.value_or(rates_.size() + place.index), partial.node});
                }
            }
        }
    }

    std::size_t unknowns() const { return rates_.size(); }
    Node partial(Eigen::Index i, Eigen::Index j) const {
        const auto found = std::ranges::find_if(entries_, [&](const MatrixEntry& entry) {
            return entry.row == static_cast<std::size_t>(i) && entry.column == static_cast<std::size_t>(j);
        });
        return found == entries_.end() ? model_.graph.constant(0) : found->node;
    }

    /// By unknowns and then phases.
    std::vector<Eigen::MatrixXd> jacobians() const {
        const auto nodes = mapped(entries_, &MatrixEntry::node);
        std::vector<Eigen::MatrixXd> result;
        for (std::size_t p = 0; p < points; ++p) {
            const auto values = at(p, nodes);
            auto& matrix = result.emplace_back(Eigen::MatrixXd::Zero(
                static_cast<Eigen::Index>(unknowns()), static_cast<Eigen::Index>(unknowns() + model_.phases.size())));
            for (std::size_t e = 0; e < entries_.size(); ++e) {
                matrix(static_cast<Eigen::Index>(entries_[e].row), static_cast<Eigen::Index>(entries_[e].column)) =
                    values[e];
            }
        }
        return result;
    }

    std::vector<double> at(std::size_t point, const std::vector<Node>& nodes) const {
        const std::size_t n = model_.dimension();
        auto x = start_of(model_);
        auto v = velocity_of(model_);
        const double size = std::max({1e-3, largest(x), largest(v)});
        const auto moved = [&](double value, std::size_t i) {
            return value + 0.3 * std::max(std::abs(value), 0.3 * size) * (2 * golden_fraction(i, point) - 1);
        };
        for (std::size_t i = 0; i < n; ++i) {
            x[i] = moved(x[i], i);
        }
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = moved(v[i], n + i);
        }
        std::vector<double> theta;
        for (std::size_t j = 0; j < model_.phases.size(); ++j) {
            theta.push_back(2 * std::numbers::pi * golden_fraction(2 * n + j, point));
        }
        return values_at(model_, nodes, x, v, model_.run.t_start, theta);
    }

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
            Eigen::Index coordinates)
        : part(Eigen::MatrixXd::Zero(slow[0].rows(), slow[0].cols())),
          constant(static_cast<std::size_t>(slow[0].rows()), true) {
        Eigen::MatrixXd power = powers(slow, fast, factor);
        if (!(power.array() >= 1).any() && (power.array() <= -1).any()) {
            for (auto& matrix : fast) {
                matrix *= factor;
            }
            power = powers(slow, fast, factor);
        }
        // NOTE: velocities are faster than coordinates, so that of the stiffnesses only the largest lead.
        const double stiffest =
            coordinates > 0 ? std::max(1.0, power.block(coordinates, 0, coordinates, coordinates).maxCoeff()) : 1.0;
        for (Eigen::Index i = 0; i < part.rows(); ++i) {
            for (Eigen::Index j = 0; j < part.cols(); ++j) {
                std::vector<double> parts;
                const double least = i >= coordinates && j < coordinates ? stiffest : 1;
                for (std::size_t p = 0; p < slow.size(); ++p) {
                    parts.push_back(power(i, j) >= least
                                        ? (fast[p](i, j) - slow[p](i, j)) / (std::pow(factor, power(i, j)) - 1)
                                        : 0.0);
                    part(i, j) = std::abs(parts.back()) > std::abs(part(i, j)) ? parts.back() : part(i, j);
                }
                if (!std::ranges::all_of(parts, [&](double other) {
                        return std::abs(other - parts[0]) <= same * std::abs(part(i, j));
                    })) {
                    constant[static_cast<std::size_t>(i)] = false;
                }
            }
        }
    }

    bool grows(Eigen::Index i) const { return (part.row(i).array() != 0).any(); }
    bool is_constant(Eigen::Index i) const { return constant[static_cast<std::size_t>(i)]; }

private:
    // NOTE: what is of higher order in the parameter shows as a difference between points.
    static constexpr double same = 1e-4;

    /// The power of one over the parameter with which each entry grows, by the largest at any point: single points may
    /// be near a zero of it.
    static Eigen::MatrixXd powers(const std::vector<Eigen::MatrixXd>& slow, const std::vector<Eigen::MatrixXd>& fast,
                                  double factor) {
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(slow[0].rows(), slow[0].cols());
        Eigen::MatrixXd b = a;
        for (std::size_t p = 0; p < slow.size(); ++p) {
            a = a.cwiseMax(slow[p].cwiseAbs());
            b = b.cwiseMax(fast[p].cwiseAbs());
        }
        return a.binaryExpr(b, [&](double before, double after) {
            return before == 0 || after == 0 ? 0.0 : std::round(std::log(std::abs(after / before)) / std::log(factor));
        });
    }
};

}  // namespace lento::model
