/// The true motion over short stretches, followed with fixed micro-steps from a point y:
///
///     y' = f(y, t, theta),   y = (x, v) for systems with coordinates
///
/// as its *increment* u = y(t) - y(t_0), which starts from zero: what is left of it after a period is small, and keeps
/// its digits. A system with coordinates is followed in a frame that moves along with v_0, x = x_0 + v_0 (t - t_0) +
/// u_x: its steppers see u'' = a.
///
/// Phases start where they stand at the start of the run, whatever the time t; they are fractions of a period from
/// there (stroboscopic, section 3.2). One indirect call a stretch, one a force.
#pragma once

#include <cstdint>

#include "lento/problem/problem.hpp"

namespace lento {

/// `marks` times `steps` micro-steps of length h, from time t on.
struct Stretch {
    double t = 0;
    double h = 0;      ///< negative backwards
    double turns = 0;  ///< what h is in periods; phases follow it
    std::int64_t steps = 0;
    std::size_t marks = 1;
};

class MicroFlow {
public:
    virtual ~MicroFlow() = default;

    /// Of y.
    virtual std::size_t dimension() const = 0;
    /// Of the stepper.
    virtual int order() const = 0;

    /// Follows the motion from y; `increments` are those at the marks, not finite where it could not be followed.
    virtual void follow(const Stretch& stretch, In y, Out increments) = 0;

    /// y' at y, at the phases of the start.
    virtual void rate(double t, In y, Out rate) = 0;

    /// The multipliers of constraints at y, `turns` periods after the start's phases; and their mean over a stretch.
    virtual void multipliers(double, double, In, Out) {}
    virtual void mean_multipliers(const Stretch&, In, Out) {}

    /// Why the last stretch ended early, as a sentence; nothing if it did not, or if numbers are just not finite.
    virtual std::optional<std::string> failure() const { return std::nullopt; }

    std::int64_t micro_steps() const { return micro_steps_; }
    std::int64_t evaluations() const { return evaluations_; }
    virtual std::int64_t newton_iterations() const { return 0; }

protected:
    std::int64_t micro_steps_ = 0;
    std::int64_t evaluations_ = 0;
};

/// Phases as whole numbers of turns in the common period, so that they return to where they started.
class PhaseClock {
public:
    PhaseClock(const Problem& problem, double t_start);

    /// The phases `periods` common periods from the start.
    In at(double periods) {
        for (std::size_t j = 0; j < theta_.size(); ++j) {
            const double turns = turns_[j] * periods;
            theta_[j] = start_[j] + 2 * std::numbers::pi * (turns - std::floor(turns + 0.5));
        }
        return theta_;
    }

private:
    std::vector<double> start_, turns_, theta_;
};

/// The steppers that can follow the fast motion of a problem, and the one that does where nobody names another.
std::vector<std::string> micro_steppers(const Problem& problem);
std::string usual_micro_stepper(const Problem& problem);
/// The fast motion with the micro-stepper of that name, phases starting as they stand at t_start. Else Misuse.
std::unique_ptr<MicroFlow> micro_flow(const Problem& problem, std::string_view micro, double t_start);

}  // namespace lento
