#include "model/function.hpp"

#include <utility>

namespace lento::model {

ModelFunction::Shared::Shared(FunctionGraph given)
    : function(std::move(given)), evaluator(function.graph, function.results) {}

const CompiledFunction& ModelFunction::Shared::code() {
    std::call_once(once, [&] { compiled.emplace(function); });
    return *compiled;
}

ModelFunction::ModelFunction(const Model& model, const std::vector<Node>& results, Compile when)
    : shared_(std::make_shared<Shared>(hoisted(model.graph, results, model.places, *model.inputs))),
      compiled_(when == Compile::at_once ? &shared_->code() : nullptr) {}

void ModelFunction::on_demand(In x, In v, double t, In theta, const double* inputs, Out result) const {
    constexpr int often = 2000;  // by then interpreting has taken about as long as compiling would
    if (shared_->calls < often) {
        ++shared_->calls;
        operator()<double>(x, v, t, theta, inputs, result);
    } else {
        shared_->code()(x.data(), v.data(), t, theta.data(), inputs, result.data());
    }
}

}  // namespace lento::model
