/// Some expressions of a model as functions of (x, v, t, theta, inputs).
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lento/problem/forces.hpp"
#include "model/compile.hpp"
#include "model/evaluate.hpp"
#include "model/inputs.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// What stands at a place of the state or among the inputs.
template <class S>
S value_at(const Place& place, std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta,
           const double* inputs) {
    const std::span<const S> arrays[]{x, v, {&t, 1}, theta};  // in the order of Place::Array
    return place.array == Place::Array::input ? S(inputs[place.index])
                                              : arrays[static_cast<std::size_t>(place.array)][place.index];
}

/// Machine code is made at once; or when a function has been called often, and until then it is interpreted: few
/// methods need all that is derived from constraints and springs in their inner loops.
enum class Compile { at_once, on_demand };

/// Machine code for double, which gives the bits of the plain evaluator, and the plain evaluator for every other scalar
/// type. Copies share the code, and any thread may call it.
class ModelFunction {
public:
    ModelFunction(const Model& model, const std::vector<Node>& results, Compile when = Compile::at_once)
        : shared_(std::make_shared<Shared>(hoisted(model.graph, results, model.places, *model.inputs))),
          compiled_(when == Compile::at_once ? &shared_->code() : nullptr) {}

    void operator()(In x, In v, double t, In theta, const double* inputs, Out result) const {
        if (compiled_ != nullptr) {
            (*compiled_)(x.data(), v.data(), t, theta.data(), inputs, result.data());
        } else {
            on_demand(x, v, t, theta, inputs, result);
        }
    }
    template <class S>
    void operator()(std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta,
                    const double* inputs, std::span<S> result) const {
        const auto& places = shared_->function.places;
        shared_->evaluator.template operator()<S>(
            [&](std::size_t symbol) { return value_at<S>(places[symbol], x, v, t, theta, inputs); }, result);
    }

    /// The code of a function that was compiled at once.
    const CompiledFunction& compiled() const { return *compiled_; }

private:
    struct Shared {
        const FunctionGraph function;
        const Evaluator evaluator;
        std::atomic<int> calls = 0;
        std::once_flag once{};
        std::optional<CompiledFunction> compiled{};

        explicit Shared(FunctionGraph given)
            : function(std::move(given)), evaluator(function.graph, function.results) {}
        const CompiledFunction& code() {
            std::call_once(once, [&] { compiled.emplace(function); });
            return *compiled;
        }
    };
    void on_demand(In x, In v, double t, In theta, const double* inputs, Out result) const {
        constexpr int often = 2000;  // by then interpreting has taken about as long as compiling would
        if (shared_->calls < often) {
            ++shared_->calls;
            operator()<double>(x, v, t, theta, inputs, result);
        } else {
            shared_->code()(x.data(), v.data(), t, theta.data(), inputs, result.data());
        }
    }

    std::shared_ptr<Shared> shared_;
    const CompiledFunction* compiled_ = nullptr;  // of `shared_`; one step less in the micro-loop
};

}  // namespace lento::model
