/// The acceleration of a system with rigid constraints at m phases at once (`average/phase_field.hpp`): forces and
/// constraints at all phases, then the elimination of the multipliers (`average/lane_elimination.hpp`).
#pragma once

#include "average/lane_elimination.hpp"
#include "average/phase_field.hpp"
#include "lento/problem/problem.hpp"
#include "problem/ground.hpp"

namespace lento {

class ConstrainedField final : public PhaseField {
public:
    /// Of forces and constraints that take series.
    explicit ConstrainedField(const Problem& problem);

    /// A true state is put onto the constraints, from which steps of the slow motion lead it by as much as they err.
    void leave(double t, Out y) override;
    std::size_t constraints() const override { return mean_.size(); }
    In mean_multipliers() const override { return mean_; }
    void multipliers(double t, In y, Out lambda) override;

private:
    void blocks(int degree, double t, In x, In v, Out a) override;

    Problem problem_;
    std::unique_ptr<BlockForces> forces_;
    LaneElimination elimination_;
    Ground ground_;
    std::vector<double> mean_, before_, force_;
};

}  // namespace lento
