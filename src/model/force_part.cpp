#include <memory>

#include "model/motion_code.hpp"
#include "model/phase_evaluator.hpp"
#include "model/problem_parts.hpp"

namespace lento::model {
namespace {

class ModelBlocks final : public BlockForces {
public:
    ModelBlocks(PhaseEvaluator at_phases, std::size_t phases) : at_phases_(std::move(at_phases)), phases_(phases) {}

    void operator()(const Block& block, Out f) override {
        if (!block.theta.empty() || phases_ == 0) {
            return at_phases_(block, f);
        }
        zeros_.resize(phases_ * block.lanes);
        Block at_zero = block;
        at_zero.theta = zeros_;
        at_phases_(at_zero, f);
    }

private:
    PhaseEvaluator at_phases_;  // of this caller
    std::size_t phases_;
    std::vector<double> zeros_;  // phases that are not given
};

}  // namespace

ModelForces::ModelForces(const Model& model, const std::vector<Node>& results) {
    const ModelFunction function(model, results);
    const auto blocks = [at_phases = PhaseEvaluator(model, results), phases = model.phases.size()] {
        return std::make_unique<ModelBlocks>(at_phases, phases);
    };
    operations = function.operations();
    forces =
        Forces(function.self(), &ModelFunction::at, function.takes_numbers() ? &ModelFunction::one : nullptr, blocks)
            .with_single(&ModelFunction::single);
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
