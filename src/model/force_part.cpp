#include <algorithm>
#include <type_traits>
#include <utility>

#include "model/motion_code.hpp"
#include "model/phase_evaluator.hpp"
#include "model/problem_parts.hpp"

namespace lento::model {
namespace {

/// What forces and their blocks share.
struct Code {
    std::size_t dimension, phases;
    ModelFunction function;
    PhaseEvaluator at_phases;

    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* inputs, double* f) {
        const auto& code = *static_cast<const Code*>(self);
        const std::size_t n = code.dimension;
        code.function(In(x, n), In(v, v == nullptr ? 0 : n), t, In(theta, theta == nullptr ? 0 : code.phases), inputs,
                      Out(f, n));
    }
};

class ModelBlocks final : public BlockForces {
public:
    explicit ModelBlocks(std::shared_ptr<const Code> code) : code_(std::move(code)), at_phases_(code_->at_phases) {}

    void operator()(const Block& block, Out f) override {
        const bool at_one_time = std::ranges::all_of(block.t, [&](double t) { return t == block.t[0]; });
        if (at_one_time && at_phases_.ready(block.degree, block.lanes)) {
            at_phases_(block.degree, block.lanes, block.t[0], block.x, block.v, block.theta, block.parameters.data(),
                       f);
        } else if (block.degree == 0) {
            lanes<double>(block, numbers_, f);
        } else {
            lanes<Taylor>(block, series_, f);
        }
    }

private:
    /// One after the other.
    template <class S>
    void lanes(const Block& block, std::vector<S>& space, Out f) {
        const std::size_t n = code_->dimension;
        const BlockLayout layout{n, block.lanes};
        space.resize(3 * n + code_->phases);
        const std::span<S> all(space);
        const auto x = all.first(n);
        const auto v = all.subspan(n, block.v.empty() ? 0 : n);
        const auto result = all.subspan(2 * n, n);
        const auto theta = all.subspan(3 * n);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            for (std::size_t l = 0; l < theta.size(); ++l) {
                theta[l] = block.theta.empty() ? 0.0 : block.theta[l * block.lanes + k];
            }
            if constexpr (std::is_same_v<S, double>) {
                layout.gather(block.x, k, x);
                layout.gather(block.v, k, v);
                code_->function(x, v, block.t[k], theta, block.parameters.data(), result);
                layout.scatter(In(result), k, f);
            } else {
                layout.gather(block.degree, block.x, k, x);
                layout.gather(block.degree, block.v, k, v);
                code_->function.operator()<S>(x, v, S::variable(block.t[k], block.degree), theta,
                                              block.parameters.data(), result);
                layout.scatter(block.degree, result, k, f);
            }
        }
    }

    std::shared_ptr<const Code> code_;
    PhaseEvaluator at_phases_;  // of this caller: what it has counted decides which code it uses
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace

ModelForces::ModelForces(const Model& model, const std::vector<Node>& results, Compile when) {
    const ModelFunction function(model, results, when);
    const auto code = std::make_shared<const Code>(
        Code{results.size(), model.phases.size(), function, PhaseEvaluator(model, results)});
    const auto blocks = [code] { return std::make_unique<ModelBlocks>(code); };
    if (when == Compile::on_demand) {
        forces = Forces(code, &Code::at, nullptr, blocks);
        return;
    }
    // NOTE: what is called is the machine code itself; the pointer it is given keeps the function alive.
    const auto& compiled = function.compiled();
    operations = compiled.operations();
    forces = Forces(std::shared_ptr<const void>(code, compiled.self()), compiled.entry(), compiled.scalar(), blocks);
    if (operations <= MotionCode::longest) {
        using Kind = MotionCode::Kind;
        const Kind kind = model.is_first_order()                              ? Kind::rates
                          : model.masses.empty() && !model.mass.is_diagonal() ? Kind::forces_on_coupled_masses
                                                                              : Kind::forces;
        forces = std::move(forces).with_motion_series(
            MotionCode::of(hoisted(model.graph, results, model.places, *model.inputs), kind));
    }
}

}  // namespace lento::model
