#include "lento/model/phase_evaluator.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "lento/model/phase_code.hpp"

namespace lento::model {

struct PhaseEvaluator::Shared {
    struct Degree {
        std::size_t asked = 0;
        std::unique_ptr<PhaseCode> code{};
    };

    Graph graph{};
    std::vector<Node> results{};
    std::vector<Place> places{};
    std::size_t dimension = 0;
    std::mutex mutex{};
    std::map<int, Degree> degrees{};
};

PhaseEvaluator::PhaseEvaluator(const Model& model, const std::vector<Node>& results)
    : shared_(std::make_shared<Shared>()) {
    shared_->results = shared_->graph.copies(model.graph, results, {});
    shared_->places = model.places;
    shared_->dimension = model.dimension();
}

bool PhaseEvaluator::ready(int degree, std::size_t points) {
    // By then evaluating has taken about as long as compiling will: there is machine code for numbers, one phase after another, and series are
    // interpreted.
    const std::size_t often = degree == 0 ? 300'000 : 3'000;
    const std::lock_guard lock(shared_->mutex);
    auto& entry = shared_->degrees[degree];
    entry.asked += points;
    if (!entry.code && entry.asked > often) {
        entry.code =
            std::make_unique<PhaseCode>(shared_->graph, shared_->results, shared_->places, shared_->dimension, degree);
    }
    return entry.code != nullptr;
}

void PhaseEvaluator::operator()(int degree, std::size_t points, double t, std::span<const double> x,
                                std::span<const double> v, std::span<const double> theta, std::span<double> result) {
    const PhaseCode& code = *[&] {
        const std::lock_guard lock(shared_->mutex);
        return shared_->degrees.at(degree).code.get();
    }();
    auto table = std::find_if(tables_.begin(), tables_.end(), [&](const Table& kept) {
        return kept.degree == degree && std::equal(theta.begin(), theta.end(), kept.theta.begin(), kept.theta.end());
    });
    if (table == tables_.end()) {
        constexpr std::size_t most = 16;
        if (tables_.size() == most) {
            tables_.erase(tables_.begin());
        }
        tables_.push_back({degree, {theta.begin(), theta.end()}, std::vector<double>(code.table_rows() * points)});
        table = std::prev(tables_.end());
        code.tabulate(points, theta.data(), table->values.data());
    }
    code.at_table(points, t, x.data(), v.data(), table->values.data(), result.data());
}

}  // namespace lento::model
