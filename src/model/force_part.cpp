#include "model/force_part.hpp"

#include <algorithm>
#include <utility>

namespace lento::model {
namespace {

/// What forces and their blocks share.
struct Code {
    std::size_t dimension, phases;
    std::vector<Place> places;
    Evaluator evaluator;
    PhaseEvaluator at_phases;

    Code(const Model& model, const std::vector<Node>& results, FunctionGraph function)
        : dimension(results.size()),
          phases(model.phases.size()),
          places(function.places),
          evaluator(function.graph, function.results),
          at_phases(model, results) {}

    template <class S>
    void interpret(std::span<const S> x, std::span<const S> v, const S& t, std::span<const S> theta,
                   const double* inputs, std::span<S> result) const {
        evaluator.template operator()<S>(
            [&](std::size_t symbol) { return value_at<S>(places[symbol], x, v, t, theta, inputs); }, result);
    }
};

class ModelBlocks final : public BlockForces {
public:
    ModelBlocks(std::shared_ptr<const Code> code, Forces forces)
        : code_(std::move(code)), forces_(std::move(forces)), at_phases_(code_->at_phases) {}

    void operator()(const Block& block, Out f) override {
        const bool at_one_time = std::all_of(block.t.begin(), block.t.end(), [&](double t) { return t == block.t[0]; });
        if (at_one_time && at_phases_.ready(block.degree, block.lanes)) {
            at_phases_(block.degree, block.lanes, block.t[0], block.x, block.v, block.theta, block.parameters.data(),
                       f);
        } else if (block.degree == 0) {
            one_by_one(block, f);
        } else {
            series(block, f);
        }
    }

private:
    void one_by_one(const Block& block, Out f) {
        const std::size_t n = code_->dimension;
        const BlockLayout layout{n, block.lanes};
        numbers_.resize(3 * n + code_->phases);
        const Out all(numbers_);
        const auto v = all.subspan(n, block.v.empty() ? 0 : n);
        const auto theta = all.subspan(3 * n);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            layout.gather(block.x, k, all.first(n));
            layout.gather(block.v, k, v);
            take_phases<double>(block, k, theta);
            forces_.at(all.data(), v.data(), block.t[k], theta.data(), block.parameters.data(), all.data() + 2 * n);
            layout.scatter(In(all.subspan(2 * n, n)), k, f);
        }
    }

    void series(const Block& block, Out f) {
        const std::size_t n = code_->dimension;
        const BlockLayout layout{n, block.lanes};
        series_.resize(3 * n + code_->phases);
        const std::span<Taylor> all(series_);
        const auto v = all.subspan(n, block.v.empty() ? 0 : n);
        const auto theta = all.subspan(3 * n);
        const auto result = all.subspan(2 * n, n);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            layout.gather(block.degree, block.x, k, all.first(n));
            layout.gather(block.degree, block.v, k, v);
            take_phases<Taylor>(block, k, theta);
            code_->interpret<Taylor>(all.first(n), v, Taylor::variable(block.t[k], block.degree), theta,
                                     block.parameters.data(), result);
            layout.scatter(block.degree, result, k, f);
        }
    }

    template <class S>
    static void take_phases(const Block& block, std::size_t k, std::span<S> theta) {
        for (std::size_t l = 0; l < theta.size(); ++l) {
            theta[l] = block.theta.empty() ? 0.0 : block.theta[l * block.lanes + k];
        }
    }

    std::shared_ptr<const Code> code_;
    Forces forces_;
    PhaseEvaluator at_phases_;  // of this caller: what it has counted decides which code it uses
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

/// Interpreted until that has been done often.
struct OnDemand {
    ModelFunctionOnDemand function;
    std::size_t dimension, phases;

    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* inputs, double* f) {
        const auto& given = *static_cast<const OnDemand*>(self);
        const std::size_t n = given.dimension;
        given.function(In(x, n), In(v, v == nullptr ? 0 : n), t, In(theta, theta == nullptr ? 0 : given.phases), inputs,
                       Out(f, n));
    }
};

}  // namespace

ModelForces::ModelForces(const Model& model, const std::vector<Node>& results, Compile when) {
    auto code =
        std::make_shared<const Code>(model, results, hoisted(model.graph, results, model.places, *model.inputs));
    const auto with_blocks = [&](std::shared_ptr<const void> self, Forces::At at, Forces::One one) {
        const Forces plain(self, at, one, {});
        return Forces(self, at, one, [code, plain] { return std::make_unique<ModelBlocks>(code, plain); });
    };
    if (when == Compile::on_demand) {
        auto made = std::make_shared<const OnDemand>(
            OnDemand{ModelFunctionOnDemand(model, results), results.size(), model.phases.size()});
        forces_ = with_blocks(made, &OnDemand::at, nullptr);
        return;
    }
    auto function = std::make_shared<const ModelFunction>(model, results);
    const auto& compiled = function->compiled();
    operations_ = compiled.operations();
    // NOTE: what is called is the machine code itself; the pointer it is given keeps the function alive.
    forces_ = with_blocks(std::shared_ptr<const void>(function, compiled.self()), compiled.entry(), compiled.scalar());
}

}  // namespace lento::model
