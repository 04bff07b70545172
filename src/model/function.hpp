/// Some expressions of a model as functions of (x, v, t, theta, inputs).
#pragma once

#include <array>
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

/// A function of numbers that is interpreted until that has cost what its compiler will, and is machine code from then
/// on, with the same bits; for every other scalar type it is the plain evaluator. Copies share the code, and any thread
/// may call it.
class ModelFunction {
public:
    ModelFunction(const Model& model, const std::vector<Node>& results)
        : shared_(std::make_shared<Shared>(hoisted(model.graph, results, model.places, *model.inputs))) {}

    void operator()(In x, In v, double t, In theta, const double* inputs, Out result) const {
        at(shared_.get(), x.data(), v.data(), t, theta.data(), inputs, result.data());
    }
    template <class S>
    void operator()(std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta,
                    const double* inputs, std::span<S> result) const {
        const auto& places = shared_->function.places;
        shared_->evaluator.template operator()<S>(
            [&](std::size_t symbol) { return value_at<S>(places[symbol], x, v, t, theta, inputs); }, result);
    }

    /// As forces are called (`Forces`): functions, with what they are given first.
    std::shared_ptr<const void> self() const { return shared_; }
    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* inputs, double* result) {
        const auto& shared = *static_cast<const Shared*>(self);
        if (const auto* code = shared.code.load(std::memory_order_acquire)) {
            (*code)(x, v, t, theta, inputs, result);
        } else {
            shared.interpret(x, v, t, theta, inputs, result);
        }
    }
    /// For one coordinate, at most one phase and one result.
    bool takes_numbers() const { return shared_->takes_numbers; }
    static double one(const void* self, double x, double v, double t, double theta, const double* inputs) {
        double result = 0;
        at(self, &x, &v, t, &theta, inputs, &result);
        return result;
    }
    /// The machine code itself, which loops call without a detour, once there is any.
    static Forces::Single single(const void* self) {
        const auto* code = static_cast<const Shared*>(self)->code.load(std::memory_order_acquire);
        return code == nullptr ? Forces::Single{one, nullptr, self}
                               : Forces::Single{code->scalar(), nullptr, code->self()};
    }

    std::size_t operations() const { return shared_->evaluator.operations(); }
    /// Makes the code now.
    void compile() const { shared_->compile(); }

private:
    struct Shared {
        const FunctionGraph function;
        const Evaluator evaluator;
        const bool takes_numbers;
        const std::size_t often;  // how many calls are interpreted
        mutable std::atomic<std::size_t> calls = 0;
        mutable std::once_flag once{};
        mutable std::optional<const CompiledFunction> compiled{};
        mutable std::atomic<const CompiledFunction*> code = nullptr;  // `compiled`, once it is there

        explicit Shared(FunctionGraph given);
        void compile() const;
        void interpret(const double* x, const double* v, double t, const double* theta, const double* inputs,
                       double* result) const;
    };

    std::shared_ptr<const Shared> shared_;
};

}  // namespace lento::model
