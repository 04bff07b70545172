/// What a problem needs beside its numbers, made of the expressions of a model. Code is made once; values of the
/// parameters are theirs who call (`Problem::parameters` are the values of the inputs), or given by `with_inputs`.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "lento/problem/problem.hpp"
#include "model/derive.hpp"
#include "model/function.hpp"
#include "model/phase_evaluator.hpp"

namespace lento::model {

/// Forces or rates: a function at a point, programs for blocks.
struct ModelForces {
    ModelForces(const Model& model, const std::vector<Node>& results);

    Forces forces;
    std::size_t operations = 0;  ///< at a point
};

/// The constraints of a model, or the measures of its springs.
class ModelConstraints final : public Constraints {
public:
    /// Of a model that has constraints; with the values of its parameters.
    explicit ModelConstraints(Model model);

    std::shared_ptr<const ModelConstraints> with_inputs(const InputValues& inputs) const;

    void values(In x, double t, Out g) const override { values_(x, {}, t, {}, inputs_->data(), g); }
    void gradient(In x, double t, Out entries) const override { gradient_(x, {}, t, {}, inputs_->data(), entries); }
    void rates(In x, In v, double t, Clock clock, Out result) const override {
        (clock == Clock::running ? rates_ : rates_at_rest_)(x, v, t, {}, inputs_->data(), result);
    }
    void curvature(In x, In v, double t, Clock clock, Out result) const override {
        (clock == Clock::running ? curvature_ : curvature_at_rest_)(x, v, t, {}, inputs_->data(), result);
    }
    void change(In x, double t, In d, double s, Out result) const override;

    bool takes_series() const override { return true; }
    void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const override {
        values_(x, {}, t, {}, inputs_->data(), g);
    }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        gradient_(x, {}, t, {}, inputs_->data(), entries);
    }
    void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                   std::span<Taylor> result) const override {
        curvature_(x, v, t, {}, inputs_->data(), result);
    }
    std::unique_ptr<BlockConstraints> blocks() const override;

private:
    ModelConstraints(const Model& model, const ConstraintTerms& terms);
    std::unique_ptr<Constraints> copy() const override { return std::make_unique<ModelConstraints>(*this); }

    ModelFunction values_, gradient_, rates_, curvature_;
    ModelFunction rates_at_rest_, curvature_at_rest_;  // time standing still; the same code where nothing moves
    PhaseEvaluator at_phases_;                         // gradient and curvature
    InputValues inputs_;
};

/// M(x, t) of a model whose masses vary; with the values of its parameters.
class ModelMass final : public MassFunction {
public:
    explicit ModelMass(const Model& model) : entries_(model, model.masses), inputs_(input_values(model)) {}

    Mass with_inputs(std::size_t dimension, const InputValues& inputs) const;

    void at(In x, double t, Out entries) const override { entries_(x, {}, t, {}, inputs_->data(), entries); }
    bool takes_series() const override { return true; }
    void at(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        entries_(x, {}, t, {}, inputs_->data(), entries);
    }

private:
    ModelFunction entries_;
    InputValues inputs_;
};

class ModelSlow final : public SlowFunctions {
public:
    explicit ModelSlow(const Model& model);

    std::shared_ptr<const ModelSlow> with_inputs(const InputValues& inputs) const;

    void values(In x, double t, In theta, Out xi) const override { at(values_, x, t, theta, xi); }
    void rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const override;
    void gradients(In x, double t, In theta, Out result) const override;
    std::vector<HessianEntry> hessians(In x, double t, In theta) const override;

private:
    struct Terms;
    ModelSlow(const Model& model, const Terms& terms);
    void at(const ModelFunction& function, In x, double t, In theta, Out result) const {
        function(x.first(positions_), x.subspan(positions_), t, theta, inputs_->data(), result);
    }

    std::size_t positions_;  // of the unknowns, what is no velocity
    std::size_t beyond_;     // velocities, and then the rates of all unknowns, of the time, of the phases
    ModelFunction values_, rates_, gradient_, hessian_;
    InputValues inputs_;
    std::vector<MatrixEntry> places_;          // of the entries of the gradients
    std::vector<HessianEntry> second_places_;  // and of the Hessians
};

/// Whether a model has springs that are not soft.
bool has_stiff_springs(const Model& model);

class ModelSprings {
public:
    explicit ModelSprings(const Model& model);

    /// For the values of its parameters that `model` has; `slow` are the forces beside the springs. The frequency of a
    /// spring given by its stiffness is that at the start.
    Springs with_values(const Model& model, const Mass& mass, Forces slow) const;

private:
    struct Shared;
    std::shared_ptr<Shared> shared_;
};

/// The model with springs of stiffness strengths[j] in place of its constraints, beside the springs that are there; the
/// frequency follows from it.
Model relaxed(Model model, const std::vector<double>& strengths);

}  // namespace lento::model
