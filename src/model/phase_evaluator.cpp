#include "model/phase_evaluator.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>

#include "model/phase_code.hpp"
#include "model/phase_interpreter.hpp"

namespace lento::model {

struct PhaseEvaluator::Degree {
    const PhaseProgram program;
    const PhaseInterpreter interpreter;
    const std::size_t often;  // how many points are interpreted
    std::atomic<std::size_t> points = 0;
    std::once_flag once{};
    std::optional<const PhaseCode> compiled{};
    std::atomic<const PhaseCode*> code = nullptr;  // `compiled`, once it is there

    Degree(const FunctionGraph& function, std::size_t dimension, int degree)
        : program(function, dimension, degree), interpreter(program), often([&] {
              constexpr double a_point = 2, an_operation = 0.3;  // nanoseconds
              const std::size_t operations = program.operations() + program.source.results.size();
              return evaluations_before_code(operations, a_point + an_operation * static_cast<double>(operations));
          }()) {}

    /// The code, if it has been made by now. Asking counts as so many points without it.
    const PhaseCode* code_after(std::size_t more) {
        if (const auto* made = code.load(std::memory_order_acquire)) {
            return made;
        }
        // NOTE: relaxed, and not one operation: threads may count some points less.
        const std::size_t count = points.load(std::memory_order_relaxed) + more;
        points.store(count, std::memory_order_relaxed);
        if (count > often) {
            std::call_once(once, [&] {
                compiled.emplace(program);
                code.store(&*compiled, std::memory_order_release);
            });
        }
        return code.load(std::memory_order_acquire);
    }
};

struct PhaseEvaluator::Shared {
    const FunctionGraph function;
    const std::size_t dimension;
    std::mutex mutex{};
    std::map<int, std::unique_ptr<Degree>> degrees{};

    Degree& at(int degree) {
        const std::lock_guard lock(mutex);
        auto& known = degrees[degree];
        if (!known) {
            known = std::make_unique<Degree>(function, dimension, degree);
        }
        return *known;
    }
};

PhaseEvaluator::PhaseEvaluator(const Model& model, const std::vector<Node>& results)
    : shared_(new Shared{hoisted(model.graph, results, model.places, *model.inputs), model.dimension()}) {}

const PhaseEvaluator::Table& PhaseEvaluator::table_at(const Degree& with, const Block& block) {
    const std::span inputs = block.parameters.first(with.program.table_inputs);
    const auto known = std::ranges::find_if(tables_, [&](const Table& kept) {
        return kept.degree == block.degree && std::ranges::equal(block.theta, kept.theta) &&
               std::ranges::equal(inputs, kept.inputs);
    });
    if (known != tables_.end()) {
        return *known;
    }
    constexpr std::size_t most = 16;
    if (tables_.size() == most) {
        tables_.erase(tables_.begin());
    }
    tables_.push_back({block.degree,
                       {block.theta.begin(), block.theta.end()},
                       {inputs.begin(), inputs.end()},
                       std::vector<double>(with.program.table.size() * block.lanes)});
    with.interpreter.tabulate({.m = block.lanes,
                               .x = nullptr,
                               .v = nullptr,
                               .t = nullptr,
                               .phases = block.theta.data(),
                               .inputs = block.parameters.data(),
                               .result = tables_.back().values.data()});
    return tables_.back();
}

void PhaseEvaluator::operator()(const Block& block, Out result) {
    auto& degree = degrees_[block.degree];
    if (degree == nullptr) {
        degree = &shared_->at(block.degree);
    }
    const PhaseArrays arrays{.m = block.lanes,
                             .x = block.x.data(),
                             .v = block.v.data(),
                             .t = block.t.data(),
                             .phases = table_at(*degree, block).values.data(),
                             .inputs = block.parameters.data(),
                             .result = result.data()};
    if (const auto* code = degree->code_after(block.lanes)) {
        code->at_table(arrays);
    } else {
        degree->interpreter.at_table(arrays);
    }
}

}  // namespace lento::model
