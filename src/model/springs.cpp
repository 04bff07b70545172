#include "lento/model/springs.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "lento/model/derive.hpp"
#include "lento/model/difference.hpp"

namespace lento::model {
namespace {

double strength_of(const Spring& spring) {
    return spring.stiffness ? *spring.stiffness : *spring.frequency * *spring.frequency;
}

/// What tells how far springs are from rest: elongations, or the components of U'/omega^2; as constraints of a copy of the model.
Model measured(Model model, std::vector<SpringEntry>& entries) {
    std::vector<NamedExpression> measures;
    for (const auto& spring : model.springs) {
        if (spring.soft) {
            continue;
        }
        SpringEntry entry{.name = spring.name,
                          .frequency = spring.frequency.value_or(0),
                          .strength = strength_of(spring),
                          .first = measures.size(),
                          .has_elongation = spring.elongation.has_value()};
        if (spring.elongation) {
            measures.push_back({spring.name, *spring.elongation});
        } else {
            for (const auto& slope : gradient_by_position(model, spring.potential, 0)) {
                const Node scaled =
                    model.graph.binary(Op::divide, slope.node, model.graph.constant(strength_of(spring)));
                measures.push_back({fmt::format("{}_{}", spring.name, measures.size() - entry.first), scaled});
            }
        }
        entry.last = measures.size();
        entries.push_back(std::move(entry));
    }
    model.constraints = std::move(measures);
    return model;
}

}  // namespace

double frequency_at_start(Model& model, const Spring& spring) {
    const auto row = gradient_by_position(model, *spring.elongation, 0);
    std::vector<Node> nodes;
    for (const auto& slope : row) {
        nodes.push_back(slope.node);
    }
    const auto slopes = values_at_start(model, nodes);
    double square = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
        for (std::size_t b = 0; b < row.size(); ++b) {
            square += slopes[a] * slopes[b] * model.mass.inverse_entry(row[a].column, row[b].column);
        }
    }
    return std::sqrt(strength_of(spring) * square);
}

struct CentredModelForce::Parts {
    std::shared_ptr<const Model> model;
    std::vector<Node> stiff{}, stiff_change{}, measures{}, measure_change{};
};

CentredModelForce::Parts CentredModelForce::parts_of(Model model) {
    std::vector<SpringEntry> entries;
    model = measured(std::move(model), entries);
    Graph& graph = model.graph;
    auto& places = model.places;
    const auto d = static_cast<std::uint32_t>(model.dimension());
    // Moves stand behind the positions of the centre, the time since behind nothing: where the phases are.
    std::vector<std::optional<Node>> changes(places.size());
    for (std::size_t symbol = 0; symbol < changes.size(); ++symbol) {
        const Place place = places[symbol];
        const bool moves = place.array == Place::Array::position || place.array == Place::Array::time;
        if (moves) {
            changes[symbol] = graph.symbol(static_cast<std::uint32_t>(places.size()));
            places.push_back(place.array == Place::Array::position ? Place{Place::Array::position, d + place.index}
                                                                   : Place{Place::Array::phase, 0});
        }
    }
    Parts parts{.model = nullptr, .stiff = model.stiff_forces};
    for (const auto& measure : model.constraints) {
        parts.measures.push_back(measure.node);
    }
    parts.stiff_change = differences(graph, parts.stiff, changes);
    parts.measure_change = differences(graph, parts.measures, changes);
    parts.model = std::make_shared<const Model>(std::move(model));
    return parts;
}

CentredModelForce::CentredModelForce(Model model) : CentredModelForce(parts_of(std::move(model))) {}

CentredModelForce::CentredModelForce(const Parts& parts)
    : dimension_(parts.model->dimension()),
      slow_(*parts.model, parts.model->slow_forces),
      stiff_change_(*parts.model, parts.stiff_change),
      stiff_(parts.model, parts.stiff),
      measures_(parts.model, parts.measures),
      measure_change_(parts.model, parts.measure_change),
      both_(2 * dimension_),
      point_(dimension_),
      at_centre_(dimension_),
      change_(dimension_),
      measures_at_centre_(parts.measures.size()) {}

void CentredModelForce::centre(std::span<const double> x, double t) {
    std::copy(x.begin(), x.end(), both_.begin());
    t_ = t;
    stiff_(x, {}, t, {}, at_centre_);
    measures_(x, {}, t, {}, measures_at_centre_);
}

void CentredModelForce::operator()(std::span<const double> d, std::span<const double> v, double s,
                                   std::span<const double>, std::span<double> f) {
    for (std::size_t i = 0; i < dimension_; ++i) {
        both_[dimension_ + i] = d[i];
        point_[i] = both_[i] + d[i];
    }
    slow_.operator()<double>(point_, v, t_ + s, {}, f);
    stiff_change_.operator()<double>(both_, v, t_, std::span(&s, 1), change_);
    for (std::size_t i = 0; i < dimension_; ++i) {
        f[i] += at_centre_[i] + change_[i];
    }
}

void CentredModelForce::measures(std::span<const double> d, double s, std::span<double> values) {
    std::copy(d.begin(), d.end(), both_.begin() + static_cast<std::ptrdiff_t>(dimension_));
    measure_change_(both_, {}, t_, std::span(&s, 1), values);
    for (std::size_t j = 0; j < values.size(); ++j) {
        values[j] += measures_at_centre_[j];
    }
}

ModelSprings::ModelSprings(Model model)
    : model_(std::make_shared<const Model>(std::move(model))), measures_(measured(*model_, entries_)) {
    Model copy = *model_;
    for (auto& entry : entries_) {
        if (entry.frequency == 0) {
            const auto spring = std::find_if(copy.springs.begin(), copy.springs.end(),
                                             [&](const auto& other) { return other.name == entry.name; });
            entry.frequency = frequency_at_start(copy, *spring);
        }
    }
}

ModelSprings ModelSprings::stiffened(double factor) const {
    Model model = *model_;
    for (auto& spring : model.springs) {
        if (spring.soft) {
            continue;
        }
        const Node potential = spring.potential;
        spring.potential = model.graph.binary(Op::multiply, model.graph.constant(factor * factor), potential);
        spring.frequency = spring.frequency ? std::optional(factor * *spring.frequency) : std::nullopt;
        spring.stiffness = spring.stiffness ? std::optional(factor * factor * *spring.stiffness) : std::nullopt;
    }
    add_stiff_forces(model);
    return ModelSprings(std::move(model));
}

StiffModel stiff_system(const Model& model) {
    const bool any =
        std::any_of(model.springs.begin(), model.springs.end(), [](const auto& spring) { return !spring.soft; });
    if (!any) {
        throw Misuse(fmt::format("{} has no stiff springs", model.source.name()));
    }
    return {second_order_system(model), ModelSprings(model)};
}

StiffModel relaxed(const ConstrainedModel& system, double, const std::vector<double>& strengths) {
    Model model = system.constraints().model();
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        const auto& constraint = model.constraints[j];
        const Node square = model.graph.binary(Op::multiply, constraint.node, constraint.node);
        model.springs.push_back(
            {.name = constraint.name,
             .elongation = constraint.node,
             .stiffness = strengths[j],
             .potential = model.graph.binary(Op::multiply, model.graph.constant(0.5 * strengths[j]), square)});
    }
    model.constraints.clear();
    add_stiff_forces(model);
    return stiff_system(model);
}

}  // namespace lento::model
