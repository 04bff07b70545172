#include "model/phase_evaluator.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "model/phase_code.hpp"

namespace lento::model {

struct PhaseEvaluator::Shared {
    const FunctionGraph function;
    const std::size_t dimension;
    std::mutex mutex{};
    std::map<int, std::optional<PhaseCode>> codes{};  // by degree

    const PhaseCode& code(int degree) {
        const std::lock_guard lock(mutex);
        auto& code = codes[degree];
        if (!code) {
            code.emplace(function, dimension, degree);
        }
        return *code;
    }
};

PhaseEvaluator::PhaseEvaluator(const Model& model, const std::vector<Node>& results)
    : shared_(new Shared{hoisted(model.graph, results, model.places, *model.inputs), model.dimension()}) {}

bool PhaseEvaluator::ready(int degree, std::size_t points) {
    // By then evaluating has taken about as long as compiling will: there is machine code for numbers, one phase after
    // another, and series are interpreted.
    const std::size_t often = degree == 0 ? 300'000 : 3'000;
    auto& own = degrees_[degree];
    own.asked += points;
    if (own.code == nullptr && own.asked > often) {
        own.code = &shared_->code(degree);
    }
    return own.code != nullptr;
}

void PhaseEvaluator::operator()(int degree, std::size_t points, double t, std::span<const double> x,
                                std::span<const double> v, std::span<const double> theta, const double* inputs,
                                std::span<double> result) {
    const PhaseCode& code = *degrees_.at(degree).code;
    const std::span own(inputs, code.table_inputs());
    auto table = std::find_if(tables_.begin(), tables_.end(), [&](const Table& kept) {
        return kept.degree == degree && std::ranges::equal(theta, kept.theta) && std::ranges::equal(own, kept.inputs);
    });
    if (table == tables_.end()) {
        constexpr std::size_t most = 16;
        if (tables_.size() == most) {
            tables_.erase(tables_.begin());
        }
        tables_.push_back({degree,
                           {theta.begin(), theta.end()},
                           {own.begin(), own.end()},
                           std::vector<double>(code.table_rows() * points)});
        table = std::prev(tables_.end());
        code.tabulate(points, theta.data(), inputs, table->values.data());
    }
    code.at_table(points, t, x.data(), v.data(), table->values.data(), inputs, result.data());
}

}  // namespace lento::model
