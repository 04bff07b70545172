/// The Verlet method for first-order systems that are mechanical in disguise (`problem/partition.hpp`),
/// q' = B p + c, p' = g(q, t):
///
///     q_1 = q_0 + h q'_0 + h^2/2 B g(q_0),     p_1 = p_0 + h/2 (g(q_0) + g(q_1))
///
/// Order 2, symmetric, one evaluation a step.
#pragma once

#include "problem/partition.hpp"
#include "step/state.hpp"

namespace lento {

class PartitionedVerlet {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;

    explicit PartitionedVerlet(Partition partition)
        : partition_(std::move(partition)), rate_(partition_.positions.size() + partition_.momenta.size()) {}

    template <class Rate>
    void step(Rate&& rate, double h, FirstOrderState<double>& state) {
        for (const auto i : partition_.positions) {
            state.y[i] += h * state.rate[i];
        }
        for (const auto& entry : partition_.coupling) {
            state.y[entry.position] += h * h / 2 * entry.factor * state.rate[entry.momentum];
        }
        rate(1.0, In(state.y), Out(rate_));  // of the momenta: theirs does not depend on them
        for (const auto i : partition_.momenta) {
            const double change = h / 2 * (state.rate[i] + rate_[i]);
            state.y[i] += change;
            state.rate[i] = rate_[i];
            rate_[i] = change;
        }
        for (const auto& entry : partition_.coupling) {
            state.rate[entry.position] += entry.factor * rate_[entry.momentum];
        }
    }

private:
    Partition partition_;
    std::vector<double> rate_;
};

}  // namespace lento
