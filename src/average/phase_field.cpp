#include "average/phase_field.hpp"

namespace lento {

PhaseField::PhaseField(const Problem& problem)
    : names_(problem.names), second_order_(problem.second_order), phases_(problem.phases) {
    if (!phases_.empty() || problem.period) {
        period_ = time_scales(problem).common_period;
    }
}

void PhaseField::set_phases(std::size_t m, double first_turn) {
    if (m == points_ && first_turn == first_turn_) {
        return;
    }
    points_ = m;
    first_turn_ = first_turn;
    theta_.clear();
    for (const auto& phase : phases_) {
        const double own_turns = std::round(phase.frequency / frequency());
        for (std::size_t k = 0; k < m; ++k) {
            const double share =
                std::fmod(own_turns * static_cast<double>(k), static_cast<double>(m)) / static_cast<double>(m);
            theta_.push_back(phase.start + 2 * std::numbers::pi * (share + own_turns * first_turn));
        }
    }
}

ForceField::ForceField(const Problem& problem)
    : PhaseField(problem),
      problem_(problem),
      forces_(problem.forces.blocks()),
      force_(problem.dimension()),
      scratch_(problem.dimension()) {}

void ForceField::blocks(int degree, double t, In x, In v, Out a) {
    (*forces_)(block(degree, t, x, v, problem_.parameters), a);
    if (!problem_.second_order || problem_.mass.is_one() || problem_.mass.varies()) {
        return;
    }
    const BlockLayout layout{dimension(), points()};
    for (int j = 0; j <= degree; ++j) {
        const auto coefficient = a.subspan(layout.at(j, 0, 0), dimension() * points());
        for (std::size_t k = 0; k < points(); ++k) {
            layout.gather(coefficient, k, force_);
            problem_.mass.to_acceleration(Out(force_), Out(scratch_));
            layout.scatter(In(force_), k, coefficient);
        }
    }
}

}  // namespace lento
