/// Forces or rates of a model as a part of a problem: machine code at a point, vector code or the interpreter for blocks.
#pragma once

#include <memory>
#include <vector>

#include "lento/problem/forces.hpp"
#include "model/function.hpp"
#include "model/phase_evaluator.hpp"

namespace lento::model {

/// The values of the parameters are theirs who call: `Problem::parameters` are the values of the inputs.
class ModelForces {
public:
    /// Machine code is made at once, or when it has been asked for often.
    enum class Compile { at_once, on_demand };

    ModelForces(const Model& model, const std::vector<Node>& results, Compile when);

    const Forces& forces() const { return forces_; }
    std::size_t operations() const { return operations_; }

private:
    Forces forces_;
    std::size_t operations_ = 0;
};

}  // namespace lento::model
