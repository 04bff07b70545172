/// RATTLE-SHAKE (vibrated, section 4.3): windows on the constraints, then large steps by RATTLE (`method/motion.hpp`).
#include "method/motion.hpp"
#include "method/rest_window.hpp"

namespace lento {
namespace {

constexpr auto options = rest_window_options("rattle with macro_step or steps, else dopri5", micro_on_constraints);

Verdict judge(const Problem& problem, const Request&) {
    constexpr double evaluations = 2e4;
    return windows_verdict(problem, ForConstraints::yes, evaluations);
}

Solution solve(Run& run) {
    return average_from_rest(run, std::make_unique<ConstrainedMotion>(run.problem(), "rattle"));
}

}  // namespace

constinit const Method method::rattle_shake{.name = "rattle-shake",
                                            .problems = "vibrated, with constraints",
                                            .paper = "vibrated",
                                            .slow_is = SlowMeaning::averaged,
                                            .summary =
                                                "windows on the constraints from rest at phase zero; then large RATTLE "
                                                "steps, whose velocities keep the constraints too",
                                            .options = options,
                                            .judge = judge,
                                            .solve = solve};

}  // namespace lento
