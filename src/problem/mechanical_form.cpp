#include "problem/mechanical_form.hpp"

#include <algorithm>
#include <cmath>

#include "problem/partition.hpp"

namespace lento {
std::optional<MechanicalForm> MechanicalForm::of(const Problem& problem, double t_start, In start) {
    if (problem.second_order || start.size() % 2 != 0) {
        return std::nullopt;
    }
    const auto parts = partition_of(problem, t_start, start);
    if (!parts || parts->coupling.size() != start.size() / 2 || parts->positions.size() != parts->momenta.size()) {
        return std::nullopt;
    }
    MechanicalForm form;
    std::vector<bool> taken(start.size());
    for (const auto& [position, momentum, factor] : parts->coupling) {
        if (taken[position] || taken[momentum]) {
            return std::nullopt;
        }
        taken[position] = taken[momentum] = true;
        form.pairs_.push_back({position, momentum, factor});
    }
    std::vector<double> rates(start.size());
    problem.forces.at(start.data(), nullptr, t_start, problem.phases_at(t_start).data(), problem.parameters.data(),
                      rates.data());
    return form.holds(start, rates) ? std::optional(std::move(form)) : std::nullopt;
}

void MechanicalForm::enter(Out y) const {
    const std::vector<double> variables(y.begin(), y.end());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        y[i] = variables[pairs_[i].position];
        y[pairs_.size() + i] = pairs_[i].factor * variables[pairs_[i].momentum];
    }
}

void MechanicalForm::leave(Out y) const {
    const std::vector<double> motion(y.begin(), y.end());
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        y[pairs_[i].position] = motion[i];
        y[pairs_[i].momentum] = motion[pairs_.size() + i] / pairs_[i].factor;
    }
}

void MechanicalForm::leave_sizes(Out sizes) const {
    leave(sizes);
    for (double& size : sizes) {
        size = std::abs(size);
    }
}

Tolerance MechanicalForm::entered(const Tolerance& tolerance) const {
    Tolerance result = tolerance;
    result.scales.assign(2 * pairs_.size(), 1.0);
    const auto scale = [&](std::size_t k) { return k < tolerance.scales.size() ? tolerance.scales[k] : 1.0; };
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
        const auto& [position, momentum, factor] = pairs_[i];
        result.scales[i] = scale(position);
        result.scales[pairs_.size() + i] = std::abs(factor) * scale(momentum);
    }
    return result;
}

bool MechanicalForm::holds(In variables, In rates) const {
    constexpr double rounding = 1e-14;
    return std::ranges::all_of(pairs_, [&](const Pair& pair) {
        const double expected = pair.factor * variables[pair.momentum];
        return std::abs(rates[pair.position] - expected) <= rounding * std::abs(expected);
    });
}

}  // namespace lento
