#include "model/slow_part.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

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

ModelSlow::ModelSlow(const Model& model) : ModelSlow(model, Terms(model)) {}

ModelSlow::ModelSlow(const Model& model, const Terms& terms)
    : SlowFunctions(names_of(model)),
      positions_(model.dimension()),
      beyond_(2 * model.coordinates.size() + model.dimension() + 1 + model.phases.size()),
      values_(terms.model, terms.slow.values),
      rates_(terms.model, terms.rates),
      gradient_(terms.model, terms.gradient()),
      hessian_(terms.model, terms.hessian()),
      places_(terms.slow.gradient) {
    for (std::size_t k = 0; k < terms.slow.hessians.size(); ++k) {
        for (const auto& entry : terms.slow.hessians[k]) {
            second_places_.push_back({k, entry.row, entry.column, 0});
        }
    }
}

std::shared_ptr<const ModelSlow> ModelSlow::with_inputs(const InputValues& inputs) const {
    auto other = std::make_shared<ModelSlow>(*this);
    for (auto* function : {&other->values_, &other->rates_, &other->gradient_, &other->hessian_}) {
        *function = function->with_inputs(inputs);
    }
    return other;
}

void ModelSlow::values(In x, double t, In theta, Out xi) const {
    values_.operator()<double>(x.first(positions_), x.subspan(positions_), t, theta, xi);
}

void ModelSlow::rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const {
    Scratch<double, 64> beyond(beyond_);
    auto out = std::copy(x.begin() + static_cast<std::ptrdiff_t>(positions_), x.end(), beyond.data());
    out = std::copy(x_rate.begin(), x_rate.end(), out);
    *out++ = t_rate;
    std::copy(theta_rate.begin(), theta_rate.end(), out);
    rates_.operator()<double>(x.first(positions_), beyond.span(), t, theta, result);
}

void ModelSlow::gradients(In x, double t, In theta, Out result) const {
    std::vector<double> entries(places_.size());
    gradient_.operator()<double>(x.first(positions_), x.subspan(positions_), t, theta, entries);
    std::fill(result.begin(), result.end(), 0.0);
    for (std::size_t e = 0; e < entries.size(); ++e) {
        result[places_[e].row * x.size() + places_[e].column] = entries[e];
    }
}

std::vector<HessianEntry> ModelSlow::hessians(In x, double t, In theta) const {
    std::vector<double> values(second_places_.size());
    hessian_.operator()<double>(x.first(positions_), x.subspan(positions_), t, theta, values);
    auto entries = second_places_;
    for (std::size_t e = 0; e < entries.size(); ++e) {
        entries[e].value = values[e];
    }
    return entries;
}

}  // namespace lento::model
