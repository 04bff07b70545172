/// RATTLE-SHAKE (vibrated, section 4.3): windows on the constraints, then large steps by RATTLE (`method/motion.hpp`).
#include "method/rest_window.hpp"

namespace lento {
namespace {

constexpr auto options = rest_window_options("rattle with macro_step or steps, else dopri5", micro_on_constraints);

}  // namespace

constinit const Method method::rattle_shake{
    .name = "rattle-shake",
    .problems = "vibrated, with constraints",
    .paper = "vibrated",
    .slow_is = SlowMeaning::averaged,
    .summary =
        "windows on the constraints from rest at phase zero; then large RATTLE "
        "steps, whose velocities keep the constraints too",
    .options = options,
    .judge = [](const Problem& problem, const Request&) { return windows_verdict(problem, ForConstraints::yes, 2e4); },
    .solve =
        [](Run& run) { return average_from_rest(run, std::make_unique<ConstrainedMotion>(run.problem(), "rattle")); }};

}  // namespace lento
