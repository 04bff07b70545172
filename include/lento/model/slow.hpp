/// The slow variables of a model, with the members that `problem/slow_variables.hpp` describes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lento/model/derive.hpp"
#include "lento/model/model.hpp"
#include "lento/model/system.hpp"
#include "lento/problem/slow_variables.hpp"

namespace lento::model {

/// One object is for one thread: it has work space.
class ModelSlow {
public:
    explicit ModelSlow(Model model);

    const std::vector<SlowName>& names() const { return names_; }

    void values(std::span<const double> x, double t, std::span<const double> theta, std::span<double> xi) {
        function(values_, x, t, theta, xi);
    }
    void rates(std::span<const double> x, std::span<const double> x_rate, double t, double t_rate,
               std::span<const double> theta, std::span<const double> theta_rate, std::span<double> result);
    void gradients(std::span<const double> x, double t, std::span<const double> theta, std::span<double> result);
    std::vector<HessianEntry> hessians(std::span<const double> x, double t, std::span<const double> theta);

private:
    struct Terms;
    ModelSlow(const Model& model, const Terms& terms);

    template <class Function>
    void function(const Function& given, std::span<const double> x, double t, std::span<const double> theta,
                  std::span<double> result) {
        const auto q = x.first(positions_);
        std::copy(x.begin() + static_cast<std::ptrdiff_t>(positions_), x.end(), beyond_.begin());
        given.template operator()<double>(q, beyond_, t, theta, result);
    }

    std::vector<SlowName> names_;
    std::size_t positions_;       // of the unknowns, what is no velocity
    std::vector<double> beyond_;  // velocities, and then the rates of all unknowns, of the time, of the phases
    ModelFunction values_, rates_, gradient_, hessian_;
    std::vector<MatrixEntry> places_;          // of the entries of the gradients
    std::vector<HessianEntry> second_places_;  // and of the Hessians
    std::vector<double> entries_, second_entries_;
};

/// The system with its slow variables; Misuse if it has none, or if it has constraints.
SlowSystem<FirstOrderSystem<ModelRate>, ModelSlow> slow_first_order_system(const Model& model);
SlowSystem<VibratedSystem<ModelForce>, ModelSlow> slow_second_order_system(const Model& model);

}  // namespace lento::model
