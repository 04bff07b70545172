#include "lento/model/slow.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento::model {

/// The expressions of all outputs, with symbols for the rates of what they depend on.
struct ModelSlow::Terms {
    Model model;
    std::vector<Node> rates{};
    SlowTerms slow{};

    explicit Terms(Model given) : model(std::move(given)), slow(slow_terms(model)) {
        const std::size_t velocities = model.coordinates.size();
        const std::size_t unknowns = model.dimension() + velocities;
        const auto rate_symbol = [&](std::size_t k) {
            model.places.push_back({Place::Array::velocity, static_cast<std::uint32_t>(velocities + k)});
            return model.graph.symbol(static_cast<std::uint32_t>(model.places.size() - 1));
        };
        // NOTE: places of symbols that are there already, before those of rates are added to them.
        const auto places = model.places;
        for (const Node value : slow.values) {
            Node sum = model.graph.constant(0);
            for (const auto& partial : model.graph.gradient(value)) {
                const auto& place = places[partial.symbol];
                const std::size_t k = place.array == Place::Array::position   ? place.index
                                      : place.array == Place::Array::velocity ? model.dimension() + place.index
                                      : place.array == Place::Array::time     ? unknowns
                                                                              : unknowns + 1 + place.index;
                sum = model.graph.binary(Op::add, sum, model.graph.binary(Op::multiply, partial.node, rate_symbol(k)));
            }
            rates.push_back(sum);
        }
    }

    std::vector<Node> gradient() const { return nodes_of(slow.gradient); }
    std::vector<Node> hessian() const {
        std::vector<Node> nodes;
        for (const auto& matrix : slow.hessians) {
            const auto more = nodes_of(matrix);
            nodes.insert(nodes.end(), more.begin(), more.end());
        }
        return nodes;
    }
    static std::vector<Node> nodes_of(const std::vector<MatrixEntry>& entries) {
        std::vector<Node> nodes;
        std::transform(entries.begin(), entries.end(), std::back_inserter(nodes),
                       [](const auto& entry) { return entry.node; });
        return nodes;
    }
};

namespace {

std::vector<SlowName> names_of(const Model& model) {
    std::vector<SlowName> names;
    for (const auto& slow : model.slow) {
        names.push_back({slow.name, slow.alternative ? fmt::format("alternative of {}", slow.name) : ""});
    }
    return names;
}

}  // namespace

ModelSlow::ModelSlow(Model model) : ModelSlow(model, Terms(model)) {}

ModelSlow::ModelSlow(const Model& model, const Terms& terms)
    : names_(names_of(model)),
      positions_(model.dimension()),
      beyond_(2 * model.coordinates.size() + model.dimension() + 1 + model.phases.size()),
      values_(terms.model, terms.slow.values),
      rates_(terms.model, terms.rates),
      gradient_(terms.model, terms.gradient()),
      hessian_(terms.model, terms.hessian()),
      places_(terms.slow.gradient),
      entries_(places_.size()) {
    for (std::size_t k = 0; k < terms.slow.hessians.size(); ++k) {
        for (const auto& entry : terms.slow.hessians[k]) {
            second_places_.push_back({k, entry.row, entry.column, 0});
        }
    }
    second_entries_.resize(second_places_.size());
}

void ModelSlow::rates(std::span<const double> x, std::span<const double> x_rate, double t, double t_rate,
                      std::span<const double> theta, std::span<const double> theta_rate, std::span<double> result) {
    auto out =
        std::copy(x_rate.begin(), x_rate.end(), beyond_.begin() + static_cast<std::ptrdiff_t>(x.size() - positions_));
    *out++ = t_rate;
    std::copy(theta_rate.begin(), theta_rate.end(), out);
    function(rates_, x, t, theta, result);
}

void ModelSlow::gradients(std::span<const double> x, double t, std::span<const double> theta,
                          std::span<double> result) {
    function(gradient_, x, t, theta, entries_);
    std::fill(result.begin(), result.end(), 0.0);
    for (std::size_t e = 0; e < entries_.size(); ++e) {
        result[places_[e].row * x.size() + places_[e].column] = entries_[e];
    }
}

std::vector<HessianEntry> ModelSlow::hessians(std::span<const double> x, double t, std::span<const double> theta) {
    function(hessian_, x, t, theta, second_entries_);
    auto entries = second_places_;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        entries[e].value = second_entries_[e];
    }
    return entries;
}

namespace {

void require_slow(const Model& model) {
    if (model.slow.empty()) {
        throw Misuse(
            fmt::format("{} declares no slow variables, which the method reversible needs: [slow] xi = \"...\"",
                        model.source.name()));
    }
    if (!model.constraints.empty()) {
        throw Misuse(
            "the method reversible is for systems without constraints; this one has some: use rattle-shake or sam");
    }
}

}  // namespace

SlowSystem<FirstOrderSystem<ModelRate>, ModelSlow> slow_first_order_system(const Model& model) {
    require_slow(model);
    return {first_order_system(model), ModelSlow(model)};
}

SlowSystem<VibratedSystem<ModelForce>, ModelSlow> slow_second_order_system(const Model& model) {
    require_slow(model);
    return {second_order_system(model), ModelSlow(model)};
}

}  // namespace lento::model
