#include "model/leading_part.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number.hpp"
#include "model/parts.hpp"

namespace lento::model {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// NOTE: what is of higher order in the parameter shows as a difference between points.
constexpr double same = 1e-4;

/// The power of one over the parameter with which each entry grows, by the largest at any point: single points may be
/// near a zero of it.
MatrixXd powers(const std::vector<MatrixXd>& slow, const std::vector<MatrixXd>& fast, double factor) {
    MatrixXd a = MatrixXd::Zero(slow[0].rows(), slow[0].cols());
    MatrixXd b = a;
    for (std::size_t p = 0; p < slow.size(); ++p) {
        a = a.cwiseMax(slow[p].cwiseAbs());
        b = b.cwiseMax(fast[p].cwiseAbs());
    }
    return a.binaryExpr(b, [&](double before, double after) {
        return before == 0 || after == 0 ? 0.0 : std::round(std::log(std::abs(after / before)) / std::log(factor));
    });
}

}  // namespace

Rates::Rates(Model& model) : model_(model), rates_(first_order_form(model)) {
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

Node Rates::partial(Index i, Index j) const {
    const auto found = std::ranges::find_if(entries_, [&](const MatrixEntry& entry) {
        return entry.row == static_cast<std::size_t>(i) && entry.column == static_cast<std::size_t>(j);
    });
    return found == entries_.end() ? model_.graph.constant(0) : found->node;
}

std::vector<MatrixXd> Rates::jacobians() const {
    const auto nodes = mapped(entries_, &MatrixEntry::node);
    std::vector<MatrixXd> result;
    for (std::size_t p = 0; p < points; ++p) {
        const auto values = at(p, nodes);
        auto& matrix = result.emplace_back(
            MatrixXd::Zero(static_cast<Index>(unknowns()), static_cast<Index>(unknowns() + model_.phases.size())));
        for (std::size_t e = 0; e < entries_.size(); ++e) {
            matrix(static_cast<Index>(entries_[e].row), static_cast<Index>(entries_[e].column)) = values[e];
        }
    }
    return result;
}

std::vector<double> Rates::at(std::size_t point, const std::vector<Node>& nodes) const {
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

Leading::Leading(const std::vector<MatrixXd>& slow, std::vector<MatrixXd> fast, double factor, Index coordinates)
    : part(MatrixXd::Zero(slow[0].rows(), slow[0].cols())), constant(static_cast<std::size_t>(slow[0].rows()), true) {
    MatrixXd power = powers(slow, fast, factor);
    if (!(power.array() >= 1).any() && (power.array() <= -1).any()) {
        for (auto& matrix : fast) {
            matrix *= factor;
        }
        power = powers(slow, fast, factor);
    }
    // NOTE: velocities are faster than coordinates, so that of the stiffnesses only the largest lead.
    const double stiffest =
        coordinates > 0 ? std::max(1.0, power.block(coordinates, 0, coordinates, coordinates).maxCoeff()) : 1.0;
    for (Index i = 0; i < part.rows(); ++i) {
        for (Index j = 0; j < part.cols(); ++j) {
            std::vector<double> parts;
            const double least = i >= coordinates && j < coordinates ? stiffest : 1;
            for (std::size_t p = 0; p < slow.size(); ++p) {
                parts.push_back(
                    power(i, j) >= least ? (fast[p](i, j) - slow[p](i, j)) / (std::pow(factor, power(i, j)) - 1) : 0.0);
                part(i, j) = std::abs(parts.back()) > std::abs(part(i, j)) ? parts.back() : part(i, j);
            }
            if (!std::ranges::all_of(
                    parts, [&](double other) { return std::abs(other - parts[0]) <= same * std::abs(part(i, j)); })) {
                constant[static_cast<std::size_t>(i)] = false;
            }
        }
    }
}

}  // namespace lento::model
