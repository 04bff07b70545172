/// Variables that are positions and momenta one by one (`problem/partition.hpp`), as coordinates:
///
///     q_i' = b_i p_i,  p_i' = g_i(q, t, theta):     x = q,  v_i = b_i p_i,  x_i'' = b_i g_i(x, t, theta)
///
/// so that steppers for coordinates whose force does not see velocities can carry them. A motion is y = (x, v).
#pragma once

#include <optional>
#include <vector>

#include "lento/base/tolerance.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

class MechanicalForm {
public:
    /// None if the variables are not of that kind, by probes near the start.
    static std::optional<MechanicalForm> of(const Problem& problem, double t_start, In start);

    std::size_t coordinates() const { return pairs_.size(); }
    /// Where variables of the system stand, and their factors.
    struct Pair {
        std::size_t position, momentum;
        double factor;
    };
    const std::vector<Pair>& pairs() const { return pairs_; }

    /// In place: from variables to a motion, and back.
    void enter(Out y) const;
    void leave(Out y) const;
    /// What each component of a motion may err by where its variable may err by this.
    Tolerance entered(const Tolerance& tolerance) const;
    /// Sizes and rates of variables, from those of a motion.
    void leave_sizes(Out sizes) const;

    /// Whether q' = b p at these variables, of which the rates are given. Probes may have missed where it does not.
    bool holds(In variables, In rates) const;

private:
    std::vector<Pair> pairs_;
};

}  // namespace lento
