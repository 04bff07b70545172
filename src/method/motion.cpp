#include "method/motion.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/catalogue.hpp"

namespace lento {

VelocityDependence FreeMotion::velocity_dependence(Acceleration& acceleration, const ProbeStates& probes) {
    return lento::velocity_dependence(acceleration, probes);
}

std::vector<double> FreeMotion::active_acceleration(Acceleration& acceleration, In x, In v, double t, In theta) {
    return acceleration.at(x, v, t, theta);
}

SymmetryPhase FreeMotion::symmetry(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales) {
    return symmetry_phase(acceleration, probes, scales);
}

std::string FreeMotion::usual_micro(const Options&, VelocityUse velocity) const {
    return own_oscillation_ && velocity == VelocityUse::none ? "verlet8" : "dopri5";
}

std::unique_ptr<Window> FreeMotion::window(std::string_view micro, Acceleration& acceleration, const TimeScales& scales,
                                           const WindowShape& shape) {
    return make_window(micro, acceleration, scales, shape);
}

MacroChoice FreeMotion::macro(const Options& options, Interval interval) const {
    return macro_choice(options, interval, free_solvers());
}

Marched FreeMotion::march(const MacroChoice& choice, VelocityUse, const AveragedAcceleration& force,
                          const Request& request, const PhasePoint& start) {
    return march_macro(choice, force, request, start.position, start.velocity);
}

void FreeMotion::require_stepper_suits_velocity(std::string_view role, std::string_view stepper) const {
    if (is_composition(stepper)) {
        throw Misuse(
            fmt::format("{} = {} keeps its order only for forces that do not depend on the velocity, and this one "
                        "does; use rk4 or dopri5 (verlet runs too, with order 2)",
                        role, stepper));
    }
}

}  // namespace lento
