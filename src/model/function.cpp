#include "model/function.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace lento::model {

ModelFunction::Shared::Shared(FunctionGraph function)
    : compiled(function.graph, function.results, function.places),
      evaluator(function.graph, function.results),
      places(std::move(function.places)) {}

ModelFunction::ModelFunction(const Model& model, const std::vector<Node>& results)
    : shared_(std::make_shared<const Shared>(hoisted(model.graph, results, model.places, *model.inputs))),
      compiled_(&shared_->compiled),
      inputs_(input_values(model)) {}

ModelFunction ModelFunction::with_inputs(InputValues inputs) const {
    ModelFunction other = *this;
    other.inputs_ = std::move(inputs);
    return other;
}

struct ModelFunctionOnDemand::Shared {
    const FunctionGraph function;
    const Evaluator evaluator;
    std::atomic<int> calls = 0;
    std::once_flag once{};
    std::optional<CompiledFunction> compiled{};

    explicit Shared(FunctionGraph given) : function(std::move(given)), evaluator(function.graph, function.results) {}
};

ModelFunctionOnDemand::ModelFunctionOnDemand(const Model& model, const std::vector<Node>& results)
    : shared_(std::make_shared<Shared>(hoisted(model.graph, results, model.places, *model.inputs))),
      inputs_(input_values(model)) {}

ModelFunctionOnDemand ModelFunctionOnDemand::with_inputs(InputValues inputs) const {
    ModelFunctionOnDemand other = *this;
    other.inputs_ = std::move(inputs);
    return other;
}

void ModelFunctionOnDemand::operator()(std::span<const double> x, std::span<const double> v, double t,
                                       std::span<const double> theta, const double* inputs,
                                       std::span<double> result) const {
    constexpr int often = 2000;  // by then interpreting has taken about as long as compiling would
    const FunctionGraph& function = shared_->function;
    if (shared_->calls < often) {
        ++shared_->calls;
        shared_->evaluator.operator()<double>(
            [&](std::size_t symbol) { return value_at<double>(function.places[symbol], x, v, t, theta, inputs); },
            result);
        return;
    }
    std::call_once(shared_->once,
                   [&] { shared_->compiled.emplace(function.graph, function.results, function.places); });
    (*shared_->compiled)(x.data(), v.data(), t, theta.data(), inputs, result.data());
}

void ModelFunctionOnDemand::operator()(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                                       std::span<const Taylor> theta, const double* inputs,
                                       std::span<Taylor> result) const {
    const auto& places = shared_->function.places;
    shared_->evaluator.operator()<Taylor>(
        [&](std::size_t symbol) { return value_at<Taylor>(places[symbol], x, v, t, theta, inputs); }, result);
}

void ModelFunctionOnDemand::operator()(std::span<const Increment<double>> x, const Increment<double>& t,
                                       std::span<Increment<double>> result) const {
    using Number = Increment<double>;
    const auto& places = shared_->function.places;
    shared_->evaluator.operator()<Number>(
        [&](std::size_t symbol) {
            return value_at<Number>(places[symbol], x, std::span<const Number>(), t, std::span<const Number>(),
                                    inputs_->data());
        },
        result);
}

}  // namespace lento::model
