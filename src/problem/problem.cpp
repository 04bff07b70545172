#include "lento/problem/problem.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "problem/divided_forces.hpp"

namespace lento {
namespace {

template <class Change>
Problem changed(Problem problem, Change&& change) {
    change(problem);
    return problem;
}

}  // namespace

std::string Problem::name_of_unknown(std::size_t i) const {
    return i < dimension() ? names[i] : "the velocity of " + names[i - dimension()];
}

std::vector<double> Problem::phases_at(double t) const {
    std::vector<double> theta;
    for (const auto& phase : phases) {
        theta.push_back(phase.at(t));
    }
    return theta;
}

bool Problem::takes_series() const {
    return forces.takes_series() && (!constraints || constraints->takes_series());
}

Problem Problem::with_mass(Mass other) const {
    if (other.dimension() != dimension()) {
        throw Misuse(
            fmt::format("the mass matrix is for {} coordinates; the system has {}", other.dimension(), dimension()));
    }
    if (mass.varies()) {
        throw Misuse("the masses of the system vary, and its forces are divided by them already; give masses once");
    }
    Problem problem = *this;
    problem.mass = std::move(other);
    if (!problem.mass.varies()) {
        return problem;
    }
    problem.forces = divided_by(problem.mass, springs ? springs->slow : forces);
    return springs ? beside_springs(std::move(problem), springs->entries, springs->measures) : problem;
}

Problem Problem::with_names(std::vector<std::string> other) const {
    if (other.size() != dimension()) {
        throw Misuse(
            fmt::format("{} names for {} {}", other.size(), dimension(), second_order ? "coordinates" : "variables"));
    }
    return changed(*this, [&](Problem& problem) { problem.names = std::move(other); });
}

Problem Problem::with_constraint_names(std::vector<std::string> other) const {
    if (!constraints) {
        throw Misuse(fmt::format("{} names of constraints for a system without any", other.size()));
    }
    return changed(*this, [&](Problem& problem) { problem.constraints = constraints->with_names(std::move(other)); });
}

Problem Problem::with_phase_start(std::vector<double> start) const {
    if (start.size() != phases.size()) {
        throw Misuse(fmt::format("{} starting phases for {} phases", start.size(), phases.size()));
    }
    return changed(*this, [&](Problem& problem) {
        for (std::size_t j = 0; j < start.size(); ++j) {
            problem.phases[j].start = start[j];
        }
    });
}

Problem Problem::with_parity(Parity declared) const {
    return changed(*this, [&](Problem& problem) { problem.parity = declared; });
}

Problem Problem::with_fast_velocity(FastVelocity formula) const {
    return changed(*this, [&](Problem& problem) { problem.fast_velocity = std::move(formula); });
}

Problem Problem::with_period(double length) const {
    require_positive(length, "the period of the fast oscillation");
    return changed(*this, [&](Problem& problem) { problem.period = length; });
}

Problem Problem::with_scales(std::vector<double> sizes) const {
    require_scales(*this, sizes);
    return changed(*this, [&](Problem& problem) { problem.scales = std::move(sizes); });
}

Problem Problem::free() const {
    return changed(*this, [&](Problem& problem) { problem.constraints.reset(); });
}

void require_scales(const Problem& problem, In scales) {
    if (!scales.empty() && scales.size() != problem.unknowns()) {
        throw Misuse(fmt::format("{} scales are given; the system has {} {}, so that there are {}{}", scales.size(),
                                 problem.dimension(), problem.second_order ? "coordinates" : "variables",
                                 problem.unknowns(), problem.second_order ? ", those of the velocities last" : ""));
    }
    for (std::size_t i = 0; i < scales.size(); ++i) {
        require_positive(scales[i], fmt::format("the scale of {}", problem.name_of_unknown(i)));
    }
}

std::size_t outputs_of(const std::vector<SlowName>& names) {
    std::size_t outputs = 0;
    for (const auto& name : names) {
        outputs += name.alternative.empty() ? 1 : 2;
    }
    return outputs;
}

SlowFunctions::SlowFunctions(std::vector<SlowName> names) : names_(std::move(names)), outputs_(outputs_of(names_)) {
    if (names_.empty()) {
        throw Misuse("a system needs at least one slow variable");
    }
}

}  // namespace lento
