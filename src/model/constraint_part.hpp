/// The constraints of a model, or the measures of its springs, as a part of a problem.
#pragma once

#include <memory>

#include "lento/problem/constraints.hpp"
#include "model/derive.hpp"
#include "model/function.hpp"

namespace lento::model {

class ModelConstraints final : public Constraints {
public:
    /// Of a model that has constraints; with the values of its parameters.
    explicit ModelConstraints(Model model);

    /// The same code with other values of the inputs.
    std::shared_ptr<const ModelConstraints> with_inputs(const InputValues& inputs) const;

    void values(In x, double t, Out g) const override { values_(x, {}, t, {}, g); }
    void gradient(In x, double t, Out entries) const override { gradient_(x, {}, t, {}, entries); }
    void rates(In x, In v, double t, Clock clock, Out result) const override {
        (clock == Clock::running ? rates_ : rates_at_rest_)(x, v, t, {}, result);
    }
    void curvature(In x, In v, double t, Clock clock, Out result) const override {
        (clock == Clock::running ? curvature_ : curvature_at_rest_)(x, v, t, {}, result);
    }
    void change(In x, double t, In d, double s, Out result) const override;

    bool takes_series() const override { return true; }
    void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const override {
        values_(x, std::span<const Taylor>(), t, std::span<const Taylor>(), g);
    }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        gradient_(x, std::span<const Taylor>(), t, std::span<const Taylor>(), entries);
    }
    void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                   std::span<Taylor> result) const override {
        curvature_(x, v, t, std::span<const Taylor>(), result);
    }

private:
    ModelConstraints(const Model& model, const ConstraintTerms& terms);
    std::unique_ptr<Constraints> copy() const override { return std::make_unique<ModelConstraints>(*this); }

    ModelFunctionOnDemand values_, gradient_, rates_, curvature_;
    ModelFunctionOnDemand rates_at_rest_,
        curvature_at_rest_;  // with time standing still; the same code where nothing moves
};

}  // namespace lento::model
