/// The slow variables of a model as a part of a problem.
#pragma once

#include <memory>
#include <vector>

#include "lento/problem/slow_functions.hpp"
#include "model/derive.hpp"
#include "model/function.hpp"

namespace lento::model {

class ModelSlow final : public SlowFunctions {
public:
    explicit ModelSlow(const Model& model);

    /// The same code with other values of the inputs.
    std::shared_ptr<const ModelSlow> with_inputs(const InputValues& inputs) const;

    void values(In x, double t, In theta, Out xi) const override;
    void rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const override;
    void gradients(In x, double t, In theta, Out result) const override;
    std::vector<HessianEntry> hessians(In x, double t, In theta) const override;

private:
    struct Terms;
    ModelSlow(const Model& model, const Terms& terms);

    std::size_t positions_;  // of the unknowns, what is no velocity
    std::size_t beyond_;     // velocities, and then the rates of all unknowns, of the time, of the phases
    ModelFunction values_, rates_, gradient_, hessian_;
    std::vector<MatrixEntry> places_;          // of the entries of the gradients
    std::vector<HessianEntry> second_places_;  // and of the Hessians
};

}  // namespace lento::model
