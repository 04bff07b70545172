/// SHAKE-SHAKE (vibrated, section 4.2): windows on the constraints, then large steps by SHAKE (`method/motion.hpp`).
#include "method/rest_window.hpp"

namespace lento {
namespace {

constexpr auto options = rest_window_options("shake with macro_step or steps, else dopri5", micro_on_constraints);

}  // namespace

constinit const Method method::shake_shake{
    .name = "shake-shake",
    .problems = "vibrated, with constraints",
    .paper = "vibrated",
    .slow_is = SlowMeaning::averaged,
    .summary = "windows on the constraints from rest at phase zero; then large SHAKE steps",
    .options = options,
    .judge = [](const Problem& problem,
                const Request&) { return windows_verdict(problem, ForConstraints::yes, 2.1e4); },
    .solve =
        [](Run& run) { return average_from_rest(run, std::make_unique<ConstrainedMotion>(run.problem(), "shake")); }};

}  // namespace lento
