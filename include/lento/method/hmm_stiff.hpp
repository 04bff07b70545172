/// HMM for stiff springs (stiff, section 3). The slow motion obeys the underlying system
///
///     q' = p,   p' = F(q, p)                                  (11)
///
/// whose force is found from the stiff system itself: a window of +-eta around (q, p), and
///
///     F = sum_k w_|k| a(q_k),     q_0 = q,  p_0 = p             (section 3.1)
///
/// p is known and never averaged. The start is projected by filtering the state in the same way (section 3.2). The underlying system
/// does not know the length of the springs: its solutions drift off it, and are projected again at given times, or when what the springs
/// have gathered moves the slow motion.
#pragma once

#include "lento/average/stiff_motion.hpp"
#include "lento/method/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

inline const MethodDescription hmm_stiff_description{
    .name = "hmm-stiff",
    .problems = "stiff springs, constraints",
    .paper = "stiff",
    .slow_is = "averaged",
    .summary = "forces averaged by a kernel in windows around the current state; any solver for the slow motion",
    .options = {{"macro", "rk4 with macro_step or steps, else dopri5"},
                {"macro_step", "adaptive"},
                {"steps", "adaptive"},
                {"micro", "verlet"},
                {"micro_step", "from micro_steps_per_period"},
                {"micro_steps_per_period", "6, more where springs move faster together"},
                {"filter", "flat8 to flat32, by leakage; exponential where the start holds fast oscillations"},
                {"window", "from window_periods"},
                {"window_periods", "12, or 20 with exponential; more where springs move slower together"},
                {"project", "auto; or start, times, never"},
                {"project_times", "none"}}};

Solution hmm_stiff(const StiffMotion& motion, const Request& request);

}  // namespace lento
