/// A model as a `problem` that every method accepts, like one written in C++.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "lento/model/compile.hpp"
#include "lento/model/derive.hpp"
#include "lento/model/evaluate.hpp"
#include "lento/model/model.hpp"
#include "lento/model/phase_evaluator.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/sparse_pattern.hpp"
#include "lento/problem/split_system.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento::model {

/// What stands at a place of the state.
template <class S>
S value_at(const Place& place, std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta) {
    switch (place.array) {
        case Place::Array::position:
            return x[place.index];
        case Place::Array::velocity:
            return v[place.index];
        case Place::Array::phase:
            return theta[place.index];
        case Place::Array::time:
            break;
    }
    return t;
}

/// Some expressions of a model as a function of (x, v, t, theta): machine code for double, the plain evaluator for every other scalar
/// type. Copies share the code.
class ModelFunction {
public:
    ModelFunction(const Model& model, const std::vector<Node>& results);

    template <class S>
    void operator()(std::span<const S> x, std::span<const S> v, S t, std::span<const S> theta,
                    std::span<S> result) const {
        if constexpr (std::is_same_v<S, double>) {
            (*compiled_)(x.data(), v.data(), theta.data(), t, result.data());
        } else {
            shared_->evaluator.template operator()<S>(
                [&](std::size_t symbol) { return value_at<S>(shared_->places[symbol], x, v, t, theta); }, result);
        }
    }

    std::size_t operations() const { return compiled_->operations(); }
    CompiledFunction::Scalar scalar() const { return compiled_->scalar(); }

private:
    struct Shared {
        CompiledFunction compiled;
        Evaluator evaluator;
        std::vector<Place> places;
    };
    std::shared_ptr<const Shared> shared_;
    const CompiledFunction* compiled_;  // of `shared_`; one step less in the micro-loop
};

/// A function that is interpreted at first and compiled when it has been called often: few methods need all that is derived from constraints
/// and springs in their inner loops. Both ways give the same bits. Copies share the code.
class ModelFunctionOnDemand {
public:
    ModelFunctionOnDemand(const std::shared_ptr<const Model>& model, std::vector<Node> results);

    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    std::span<double> result) const;
    /// Of series: interpreted.
    void operator()(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                    std::span<const Taylor> theta, std::span<Taylor> result) const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

/// The forces of a model.
class ModelForce {
public:
    using wants_fixed_windows = void;  // see VibratedSystem

    explicit ModelForce(const Model& model)
        : function_(model, model.forces), scalar_(function_.scalar()), phases_(model, model.forces) {}

    template <class S, std::size_t Extent>
    void operator()(std::span<const S, Extent> x, std::span<const S, Extent> v, S t, std::span<const S> theta,
                    std::span<S, Extent> f) const {
        if constexpr (Extent == 1 && std::is_same_v<S, double>) {
            if (scalar_ != nullptr) {
                f[0] = scalar_(x[0], v[0], theta.empty() ? 0.0 : theta[0], t);
                return;
            }
            // NOTE: copies, so that the caller's state never has its address taken and can stay in registers.
            const double position = x[0];
            const double velocity = v[0];
            double force = 0;
            function_.operator()<double>(std::span(&position, 1), std::span(&velocity, 1), t, theta,
                                         std::span(&force, 1));
            f[0] = force;
        } else {
            function_.operator()<S>(x, v, t, theta, f);
        }
    }
    std::size_t operations() const { return function_.operations(); }
    /// At many phases at once, with work space of its own.
    PhaseEvaluator at_phases() const { return phases_; }

private:
    ModelFunction function_;
    CompiledFunction::Scalar scalar_;
    PhaseEvaluator phases_;
};

/// The rates of a model with variables.
class ModelRate {
public:
    explicit ModelRate(const Model& model);

    template <class S>
    void operator()(std::span<const S> y, S t, std::span<const S> theta, std::span<S> rate) const {
        function_.operator()<S>(y, {}, t, theta, rate);
    }
    std::size_t operations() const { return function_.operations(); }
    /// At many phases at once, with work space of its own.
    PhaseEvaluator at_phases() const { return phases_; }

private:
    ModelFunction function_;
    PhaseEvaluator phases_;
};

/// The exactly solvable part of a model with variables: linear, or a Kepler motion. It is a SeriesFlow.
class ModelFlow {
public:
    explicit ModelFlow(const Model& model);

    void field(std::span<const double> y, std::span<double> rate) const {
        std::visit([&](const auto& flow) { flow.field(y, rate); }, flow_);
    }
    bool increment(double h, std::span<const double> y, std::span<double> du) {
        return std::visit([&](auto& flow) { return flow.increment(h, y, du); }, flow_);
    }
    std::optional<std::string> failure() const {
        return std::visit([](const auto& flow) { return flow.failure(); }, flow_);
    }

    template <class S>
    void field(std::span<const S> y, std::span<S> rate) const {
        std::visit([&](const auto& flow) { flow.field(y, rate); }, flow_);
    }
    template <class S>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        return std::visit([&](auto& flow) { return flow.increment(h, y, du); }, flow_);
    }
    template <class S>
    bool carry(double h, std::span<const S> y, std::span<const S> w, std::span<S> dw) {
        return std::visit([&](auto& flow) { return lento::carry<S>(flow, h, y, w, dw); }, flow_);
    }

private:
    struct TimeFactor {
        std::optional<ModelFunction> function{};

        template <class S>
        S operator()(std::span<const S> y) const {
            S factor = 1;
            if (function) {
                function->operator()<S>(y, {}, S(0), {}, std::span(&factor, 1));
            }
            return factor;
        }
    };
    using Flow = std::variant<LinearFlow, KeplerFlow<TimeFactor>>;

    static Flow flow_of(const Model& model);
    static LinearFlow linear_part(const Model& model);

    Flow flow_;
};

/// The constraints of a model, with the members that `problem/constraints.hpp` describes.
class ModelConstraints {
public:
    explicit ModelConstraints(Model model);

    std::size_t count() const { return names_.size(); }
    const std::vector<std::string>& names() const { return names_; }
    const SparsePattern& pattern() const { return pattern_; }
    /// What they were made from.
    const Model& model() const { return *model_; }

    void values(std::span<const double> x, double t, std::span<double> g) const { values_(x, {}, t, {}, g); }
    void gradient(std::span<const double> x, double t, std::span<double> entries) const {
        gradient_(x, {}, t, {}, entries);
    }
    void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const {
        values_(x, std::span<const Taylor>(), t, std::span<const Taylor>(), g);
    }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const {
        gradient_(x, std::span<const Taylor>(), t, std::span<const Taylor>(), entries);
    }
    void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                   std::span<Taylor> result) const {
        curvature_(x, v, t, std::span<const Taylor>(), result);
    }
    void rates(std::span<const double> x, std::span<const double> v, double t, Clock clock,
               std::span<double> result) const {
        (clock == Clock::running ? rates_ : rates_at_rest_)(x, v, t, {}, result);
    }
    void curvature(std::span<const double> x, std::span<const double> v, double t, Clock clock,
                   std::span<double> result) const {
        (clock == Clock::running ? curvature_ : curvature_at_rest_)(x, v, t, {}, result);
    }

private:
    ModelConstraints(const Model& model, const ConstraintTerms& terms);

    std::shared_ptr<const Model> model_;
    std::vector<std::string> names_;
    SparsePattern pattern_;
    ModelFunctionOnDemand values_, gradient_, rates_, curvature_;
    ModelFunctionOnDemand rates_at_rest_,
        curvature_at_rest_;  // with time standing still; the same code where nothing moves
};

using SplitModel = SplitSystem<ModelRate, ModelFlow>;
using ConstrainedModel = ConstrainedSystem<VibratedSystem<ModelForce>, ModelConstraints>;

/// Throw Misuse if the model is of the other order, or has no constraints.
VibratedSystem<ModelForce> second_order_system(const Model& model);
FirstOrderSystem<ModelRate> first_order_system(const Model& model);
ConstrainedModel constrained_system(const Model& model);

/// Whether a part is declared to be exactly solvable, and the system with it.
bool has_exact_part(const Model& model);
SplitModel split_system(const Model& model);

std::vector<double> start_of(const Model& model);
std::vector<double> velocity_of(const Model& model);

/// Expressions of the model at its start, by the plain evaluator.
std::vector<double> values_at_start(const Model& model, const std::vector<Node>& nodes);

}  // namespace lento::model
