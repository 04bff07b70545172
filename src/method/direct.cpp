#include "lento/method/direct.hpp"

#include <fmt/format.h>

namespace lento {

Solution direct_solution(const Request& request, const std::vector<std::string>& names, const MacroChoice& macro,
                         Marched marched, Statistics statistics, std::vector<std::string> warnings, Settling settling,
                         std::optional<double> fastest_period, std::chrono::steady_clock::time_point began) {
    RunRecord record{.method = direct_description.name,
                     .requested_method = request.method,
                     .slow_is = direct_description.slow_is,
                     .outcome = marched.result.outcome,
                     .explanation = marched.result.explanation,
                     .t_end = marched.result.reached,
                     .statistics = statistics,
                     .warnings = std::move(warnings),
                     .options = {{"macro", macro.name}}};
    if (marched.result.culprit) {
        record.explanation += fmt::format(" (first in {})", names[*marched.result.culprit % names.size()]);
    }
    if (macro.step && fastest_period && *macro.step > *fastest_period / 8) {
        record.warnings.push_back(
            fmt::format("{:.3g} steps a vibration do not resolve it; direct integration needs 20 or more",
                        *fastest_period / *macro.step));
    }
    if (macro.step) {
        record.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
    }
    record.statistics.macro_steps = marched.result.steps;
    record.statistics.rejected_steps = marched.result.rejected;
    record.statistics.newton_iterations += marched.result.newton_iterations;
    record.statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return Solution(
        std::move(record), std::move(marched.trajectory), std::move(marched.final_state),
        [](const Snapshot& state) { return state; }, std::move(settling));
}

}  // namespace lento
