#include "model/spring_part.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/derive.hpp"
#include "model/difference.hpp"
#include "model/parts.hpp"

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
                const Node scaled = model.graph.binary(Op::divide, slope.node, *spring.strength);
                measures.push_back({fmt::format("{}_{}", spring.name, measures.size() - entry.first), scaled});
            }
        }
        entry.last = measures.size();
        entries.push_back(std::move(entry));
    }
    model.constraints = std::move(measures);
    return model;
}

/// The frequency that a spring with an elongation causes by itself at the start: sqrt(k g' M^-1 g'^T).
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

struct CentredParts {
    std::shared_ptr<const Model> model;
    std::vector<Node> stiff{}, stiff_change{}, measures{}, measure_change{};
};

CentredParts parts_of(Model model) {
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
    CentredParts parts{.model = nullptr, .stiff = model.stiff_forces};
    for (const auto& measure : model.constraints) {
        parts.measures.push_back(measure.node);
    }
    parts.stiff_change = differences(graph, parts.stiff, changes);
    parts.measure_change = differences(graph, parts.measures, changes);
    parts.model = std::make_shared<const Model>(std::move(model));
    return parts;
}

/// Slow forces at the point itself, those of stiff springs at the centre plus their exact change (`model/difference.hpp`).
struct CentredCode {
    ModelFunction slow, stiff_change;                       // in every micro-step
    ModelFunctionOnDemand stiff, measures, measure_change;  // once a window

    explicit CentredCode(const CentredParts& parts)
        : slow(*parts.model, parts.model->slow_forces),
          stiff_change(*parts.model, parts.stiff_change),
          stiff(*parts.model, parts.stiff),
          measures(*parts.model, parts.measures),
          measure_change(*parts.model, parts.measure_change) {}

    CentredCode with_inputs(const InputValues& inputs) const {
        CentredCode other = *this;
        for (auto* function : {&other.slow, &other.stiff_change}) {
            *function = function->with_inputs(inputs);
        }
        for (auto* function : {&other.stiff, &other.measures, &other.measure_change}) {
            *function = function->with_inputs(inputs);
        }
        return other;
    }
};

class CentredModelForce final : public CentredForce {
public:
    CentredModelForce(CentredCode code, std::size_t dimension, std::size_t measures)
        : code_(std::move(code)),
          dimension_(dimension),
          both_(2 * dimension),
          point_(dimension),
          at_centre_(dimension),
          change_(dimension),
          measures_at_centre_(measures) {}

    void centre(In x, double t) override {
        std::copy(x.begin(), x.end(), both_.begin());
        t_ = t;
        code_.stiff(x, {}, t, {}, at_centre_);
        code_.measures(x, {}, t, {}, measures_at_centre_);
    }
    void at(In d, In v, double s, In, Out f) override {
        for (std::size_t i = 0; i < dimension_; ++i) {
            both_[dimension_ + i] = d[i];
            point_[i] = both_[i] + d[i];
        }
        code_.slow.operator()<double>(point_, v, t_ + s, {}, f);
        code_.stiff_change.operator()<double>(both_, v, t_, std::span(&s, 1), change_);
        for (std::size_t i = 0; i < dimension_; ++i) {
            f[i] += at_centre_[i] + change_[i];
        }
    }
    void measures(In d, double s, Out values) override {
        std::copy(d.begin(), d.end(), both_.begin() + static_cast<std::ptrdiff_t>(dimension_));
        code_.measure_change(both_, {}, t_, std::span(&s, 1), values);
        for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] += measures_at_centre_[j];
        }
    }

private:
    CentredCode code_;
    std::size_t dimension_;
    double t_ = 0;
    std::vector<double> both_;  // the centre, and the move behind it
    std::vector<double> point_, at_centre_, change_, measures_at_centre_;
};

}  // namespace

bool has_stiff_springs(const Model& model) {
    return std::any_of(model.springs.begin(), model.springs.end(), [](const auto& spring) { return !spring.soft; });
}

struct ModelSprings::Shared {
    std::vector<SpringEntry> unused{};
    ModelConstraints measures;
    Model model;
    std::once_flag once{};
    std::optional<CentredCode> centred{};  // made when a window first asks for it

    explicit Shared(const Model& given) : measures(measured(given, unused)), model(given) {}

    const CentredCode& centred_code() {
        std::call_once(once, [&] { centred.emplace(parts_of(model)); });
        return *centred;
    }
};

ModelSprings::ModelSprings(const Model& model) : shared_(std::make_shared<Shared>(model)) {}

Springs ModelSprings::with_values(const Model& model, Forces slow) const {
    Springs springs{.slow = std::move(slow)};
    Model copy = measured(model, springs.entries);
    for (auto& entry : springs.entries) {
        if (entry.frequency == 0) {
            const auto spring = std::find_if(copy.springs.begin(), copy.springs.end(),
                                             [&](const auto& other) { return other.name == entry.name; });
            entry.frequency = frequency_at_start(copy, *spring);
        }
    }
    springs.measures = shared_->measures.with_inputs(input_values(model));
    springs.centred = [shared = shared_, model,
                       measures = springs.measures->count()]() -> std::unique_ptr<CentredForce> {
        const auto& code = shared->centred_code();
        return std::make_unique<CentredModelForce>(code.with_inputs(input_values(model)), model.dimension(), measures);
    };
    springs.stiffened = [model](double factor) { return ModelParts(stiffened(model, factor)).problem(); };
    return springs;
}

Model stiffened(Model model, double factor) {
    for (auto& spring : model.springs) {
        if (spring.soft) {
            continue;
        }
        const Node square = model.graph.constant(factor * factor);
        spring.potential = model.graph.binary(Op::multiply, square, spring.potential);
        spring.strength = model.graph.binary(Op::multiply, square, *spring.strength);
        spring.frequency = spring.frequency ? std::optional(factor * *spring.frequency) : std::nullopt;
        spring.stiffness = spring.stiffness ? std::optional(factor * factor * *spring.stiffness) : std::nullopt;
    }
    add_stiff_forces(model);
    return model;
}

Model relaxed(Model model, const std::vector<double>& strengths) {
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        const auto& constraint = model.constraints[j];
        const Node square = model.graph.binary(Op::multiply, constraint.node, constraint.node);
        model.springs.push_back(
            {.name = constraint.name,
             .elongation = constraint.node,
             .stiffness = strengths[j],
             .strength = model.graph.constant(strengths[j]),
             .potential = model.graph.binary(Op::multiply, model.graph.constant(0.5 * strengths[j]), square)});
    }
    model.constraints.clear();
    add_stiff_forces(model);
    return model;
}

}  // namespace lento::model
