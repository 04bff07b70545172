#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "model/difference.hpp"
#include "model/parts.hpp"
#include "model/problem_parts.hpp"
#include "problem/divided_forces.hpp"

namespace lento::model {
namespace {

double strength_of(const Spring& spring) {
    return spring.stiffness ? *spring.stiffness : *spring.frequency * *spring.frequency;
}

/// What tells how far springs are from rest: elongations, or the components of U'/omega^2; as constraints of a copy of
/// the model.
struct Measured {
    Model model;
    std::vector<SpringEntry> entries{};
};

Measured measured(Model model) {
    std::vector<SpringEntry> entries;
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
    return {std::move(model), std::move(entries)};
}

/// The frequency that a spring with an elongation causes by itself at the start: sqrt(k g' M^-1 g'^T).
double frequency_at_start(Model& model, const Spring& spring) {
    const auto row = gradient_by_position(model, *spring.elongation, 0);
    const auto slopes = values_at_start(model, mapped(row, &MatrixEntry::node));
    const Mass mass = mass_at_start(model);
    double square = 0;
    for (std::size_t a = 0; a < row.size(); ++a) {
        for (std::size_t b = 0; b < row.size(); ++b) {
            square += slopes[a] * slopes[b] * mass.inverse_entry(row[a].column, row[b].column);
        }
    }
    return std::sqrt(strength_of(spring) * square);
}

/// Slow forces at the point itself, those of stiff springs at the centre plus their exact change
/// (`model/difference.hpp`). Positions are those of the centre and then the move from it, the phase is the time since.
struct CentredCode {
    ModelFunction slow, stiff_change;               // in every micro-step
    ModelFunction stiff, measures, measure_change;  // once a window
};

CentredCode centred_code(const Model& given) {
    Model model = measured(given).model;
    auto& places = model.places;
    const auto d = static_cast<std::uint32_t>(model.dimension());
    std::vector<std::optional<Node>> changes(places.size());
    for (std::size_t symbol = 0; symbol < changes.size(); ++symbol) {
        const Place place = places[symbol];
        const bool is_position = place.array == Place::Array::position;
        if (is_position || place.array == Place::Array::time) {
            changes[symbol] = model.graph.symbol(static_cast<std::uint32_t>(places.size()));
            places.push_back(is_position ? Place{place.array, d + place.index} : Place{Place::Array::phase, 0});
        }
    }
    const auto measures = mapped(model.constraints, &NamedExpression::node);
    const auto slow = divided_by_masses(model, model.slow_forces);
    const auto stiff = divided_by_masses(model, model.stiff_forces);
    const auto stiff_change = differences(model.graph, stiff, changes);
    const auto measure_change = differences(model.graph, measures, changes);
    return {.slow = ModelFunction(model, slow),
            .stiff_change = ModelFunction(model, stiff_change),
            .stiff = ModelFunction(model, stiff),
            .measures = ModelFunction(model, measures),
            .measure_change = ModelFunction(model, measure_change)};
}

class CentredModelForce final : public CentredForce {
public:
    /// `mass`: what the forces have still to be divided by.
    CentredModelForce(CentredCode code, InputValues inputs, std::optional<Mass> mass, std::size_t dimension,
                      std::size_t measures)
        : code_(std::move(code)),
          inputs_(std::move(inputs)),
          mass_(std::move(mass)),
          dimension_(dimension),
          both_(2 * dimension),
          point_(dimension),
          at_centre_(dimension),
          change_(dimension),
          measures_at_centre_(measures) {}

    void centre(In x, double t) override {
        std::copy(x.begin(), x.end(), both_.begin());
        t_ = t;
        code_.stiff(x, {}, t, {}, inputs_->data(), at_centre_);
        code_.measures(x, {}, t, {}, inputs_->data(), measures_at_centre_);
    }
    void at(In d, In v, double s, In, Out f) override {
        for (std::size_t i = 0; i < dimension_; ++i) {
            both_[dimension_ + i] = d[i];
            point_[i] = both_[i] + d[i];
        }
        code_.slow(point_, v, t_ + s, {}, inputs_->data(), f);
        code_.stiff_change(both_, v, t_, In(&s, 1), inputs_->data(), change_);
        for (std::size_t i = 0; i < dimension_; ++i) {
            f[i] += at_centre_[i] + change_[i];
        }
        if (mass_) {
            divide_by(*mass_, point_, t_ + s, f);
        }
    }
    void measures(In d, double s, Out values) override {
        std::copy(d.begin(), d.end(), both_.begin() + static_cast<std::ptrdiff_t>(dimension_));
        code_.measure_change(both_, {}, t_, In(&s, 1), inputs_->data(), values);
        for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] += measures_at_centre_[j];
        }
    }

private:
    CentredCode code_;
    InputValues inputs_;
    std::optional<Mass> mass_;
    std::size_t dimension_;
    double t_ = 0;
    std::vector<double> both_;  // the centre, and the move behind it
    std::vector<double> point_, at_centre_, change_, measures_at_centre_;
};

/// The model with all stiff springs stiffer: their frequencies times `factor`.
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

}  // namespace

bool has_stiff_springs(const Model& model) {
    return std::ranges::any_of(model.springs, [](const Spring& spring) { return !spring.soft; });
}

struct ModelSprings::Shared {
    ModelConstraints measures;
    Model model;
    std::once_flag once{};
    std::optional<CentredCode> centred{};  // made when a window first asks for it

    explicit Shared(const Model& given) : measures(measured(given).model), model(given) {}
};

ModelSprings::ModelSprings(const Model& model) : shared_(std::make_shared<Shared>(model)) {}

Springs ModelSprings::with_values(const Model& model, const Mass& mass, Forces slow) const {
    auto [copy, entries] = measured(model);
    Springs springs{.entries = std::move(entries), .slow = std::move(slow)};
    for (auto& entry : springs.entries) {
        if (entry.frequency == 0) {
            entry.frequency = frequency_at_start(copy, *std::ranges::find(copy.springs, entry.name, &Spring::name));
        }
    }
    springs.measures = shared_->measures.with_inputs(input_values(model));
    const auto divisor = mass.varies() && !divides_in_graph(model) ? std::optional(mass) : std::nullopt;
    springs.centred = [shared = shared_, model, divisor,
                       measures = springs.measures->count()]() -> std::unique_ptr<CentredForce> {
        std::call_once(shared->once, [&] { shared->centred = centred_code(shared->model); });
        return std::make_unique<CentredModelForce>(*shared->centred, input_values(model), divisor, model.dimension(),
                                                   measures);
    };
    springs.stiffened = [model](double factor) { return ModelParts(stiffened(model, factor)).problem(); };
    return springs;
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
