/// Some expressions of a model as functions of (x, v, t, theta, inputs).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "lento/base/increment.hpp"
#include "lento/base/jet.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/inputs.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// What stands at a place of the state or among the inputs.
template <class S>
S value_at(const Place& place, std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta,
           const double* inputs) {
    switch (place.array) {
        case Place::Array::position:
            return x[place.index];
        case Place::Array::velocity:
            return v[place.index];
        case Place::Array::phase:
            return theta[place.index];
        case Place::Array::input:
            return S(inputs[place.index]);
        case Place::Array::time:
            break;
    }
    return t;
}

/// Some expressions of a model as a function of (x, v, t, theta, inputs): machine code for double, the plain evaluator
/// for every other scalar type. It is bound to the values of the inputs that the model has when it is made. Copies
/// share the code.
class ModelFunction {
public:
    ModelFunction(const Model& model, const std::vector<Node>& results);

    /// The same code with other values of the inputs.
    ModelFunction with_inputs(InputValues inputs) const;

    template <class S>
    void operator()(std::span<const S> x, std::span<const S> v, S t, std::span<const S> theta, const double* inputs,
                    std::span<S> result) const {
        if constexpr (std::is_same_v<S, double>) {
            (*compiled_)(x.data(), v.data(), t, theta.data(), inputs, result.data());
        } else {
            const auto value = [&](std::size_t symbol) {
                return value_at<S>(shared_->places[symbol], x, v, t, theta, inputs);
            };
            shared_->evaluator.template operator()<S>(value, result);
        }
    }
    /// With the values that it is bound to.
    template <class S>
    void operator()(std::span<const S> x, std::span<const S> v, S t, std::span<const S> theta,
                    std::span<S> result) const {
        operator()<S>(x, v, t, theta, inputs_->data(), result);
    }

    std::size_t operations() const { return compiled_->operations(); }
    const CompiledFunction& compiled() const { return *compiled_; }
    const double* inputs() const { return inputs_->data(); }

private:
    struct Shared {
        CompiledFunction compiled;
        Evaluator evaluator;
        std::vector<Place> places;

        explicit Shared(FunctionGraph function);
    };
    std::shared_ptr<const Shared> shared_;
    const CompiledFunction* compiled_;  // of `shared_`; one step less in the micro-loop
    InputValues inputs_;
};

/// A function that is interpreted at first and compiled when it has been called often: few methods need all that is derived from constraints
/// and springs in their inner loops. Both ways give the same bits, and any thread may call it. Copies share the code.
class ModelFunctionOnDemand {
public:
    ModelFunctionOnDemand(const Model& model, const std::vector<Node>& results);

    /// The same code with other values of the inputs.
    ModelFunctionOnDemand with_inputs(InputValues inputs) const;

    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    const double* inputs, std::span<double> result) const;
    /// Of series, and of numbers with their exact change: interpreted.
    void operator()(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                    std::span<const Taylor> theta, const double* inputs, std::span<Taylor> result) const;
    void operator()(std::span<const Increment<double>> x, const Increment<double>& t,
                    std::span<Increment<double>> result) const;

    // With the values that it is bound to.
    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    std::span<double> result) const {
        (*this)(x, v, t, theta, inputs_->data(), result);
    }
    void operator()(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                    std::span<const Taylor> theta, std::span<Taylor> result) const {
        (*this)(x, v, t, theta, inputs_->data(), result);
    }

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
    InputValues inputs_;
};

}  // namespace lento::model
