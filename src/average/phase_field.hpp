/// The right-hand side of a system with a fast phase at m phases at once, as truncated series in slow time: what
/// harmonic averages are made from. One indirect call for all m phases.
///
/// Blocks of numbers hold coefficient after coefficient of a series, in each component after component, in each its m
/// phases side by side.
#pragma once

#include <cstdint>

#include "lento/problem/problem.hpp"
#include "problem/time_scales.hpp"

namespace lento {

class PhaseField {
public:
    virtual ~PhaseField() = default;

    const std::vector<std::string>& names() const { return names_; }
    std::size_t dimension() const { return names_.size(); }
    /// x'' = a(x, x', t, theta); else y' = a(y, t, theta).
    bool second_order() const { return second_order_; }
    const std::vector<Phase>& phases() const { return phases_; }
    /// Common to all phases; none if there is none.
    std::optional<double> period() const { return period_; }
    double frequency() const { return 2 * std::numbers::pi / period_.value_or(NAN); }
    /// The common phase, which is zero where t is.
    double phase(double t) const { return reduced_phase(frequency(), t, 0); }

    /// Coefficients 0 to `degree` of a at m phases, from those of x and v (or of y, and v empty), about the time t; the
    /// first of the phases is so many turns of the common one.
    void evaluate(int degree, std::size_t m, double t, In x, In v, Out a, double first_turn = 0) {
        set_phases(m, first_turn);
        blocks(degree, t, x, v, a);
        evaluations_ += static_cast<std::int64_t>(m) * (degree + 1);
    }

    /// Where the field is one of other unknowns than the system's (`average/flow_field.hpp`): from the system's, (x,
    /// x') or y, at a time to its own, and back, in place; NaN where there are none.
    virtual void enter(double /*t*/, Out /*y*/) {}
    virtual void leave(double /*t*/, Out /*y*/) {}

    /// Rigid constraints, their multipliers on average over the phases of the last evaluation, and those at a state.
    virtual std::size_t constraints() const { return 0; }
    virtual In mean_multipliers() const { return {}; }
    virtual void multipliers(double /*t*/, In /*y*/, Out /*lambda*/) {}

    /// A series of degree d counts d + 1.
    std::int64_t evaluations() const { return evaluations_; }

protected:
    explicit PhaseField(const Problem& problem);

    virtual void blocks(int degree, double t, In x, In v, Out a) = 0;
    /// All points at the time t, as forces take them.
    Block block(int degree, double t, In x, In v, In parameters) {
        times_.assign(points_, t);
        return {degree, points_, times_, x, v, theta_, parameters};
    }

    std::size_t points() const { return points_; }
    /// Of the common phase at point k, from 0 to 1.
    double turns(std::size_t k) const { return first_turn_ + static_cast<double>(k) / static_cast<double>(points_); }

private:
    void set_phases(std::size_t m, double first_turn);

    std::vector<std::string> names_;
    bool second_order_;
    std::vector<Phase> phases_;
    std::optional<double> period_;
    std::size_t points_ = 0;
    double first_turn_ = 0;
    std::vector<double> theta_, times_;  // those of all points, phase after phase
    std::int64_t evaluations_ = 0;
};

/// The acceleration of coordinates, or the rate of variables, as the problem gives it.
class ForceField final : public PhaseField {
public:
    /// Of forces that take series.
    explicit ForceField(const Problem& problem);

private:
    void blocks(int degree, double t, In x, In v, Out a) override;

    Problem problem_;
    std::unique_ptr<BlockForces> forces_;
    std::vector<double> force_, scratch_;
};

}  // namespace lento
