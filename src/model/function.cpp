#include "model/function.hpp"

namespace lento::model {

ModelFunction::Shared::Shared(FunctionGraph given)
    : function(std::move(given)),
      evaluator(function.graph, function.results),
      takes_numbers(fits_in_numbers(function)),
      often([&] {
          constexpr double a_call = 15, an_operation = 0.7;  // nanoseconds
          const std::size_t operations = evaluator.operations() + function.results.size();
          return evaluations_before_code(operations, a_call + an_operation * static_cast<double>(operations));
      }()) {}

void ModelFunction::Shared::compile() const {
    std::call_once(once, [&] {
        compiled.emplace(function);
        code.store(&*compiled, std::memory_order_release);
    });
}

void ModelFunction::Shared::interpret(const double* x, const double* v, double t, const double* theta,
                                      const double* inputs, double* result) const {
    const std::array<const double*, 5> arrays{x, v, &t, theta, inputs};  // in the order of Place::Array
    evaluator.operator()<double>(
        [&](std::size_t symbol) {
            const Place& place = function.places[symbol];
            return arrays[static_cast<std::size_t>(place.array)][place.index];
        },
        Out(result, function.results.size()));
    // NOTE: relaxed, and not one operation: threads may count a call less.
    const std::size_t count = calls.load(std::memory_order_relaxed) + 1;
    calls.store(count, std::memory_order_relaxed);
    if (count > often) {
        compile();
    }
}

}  // namespace lento::model
