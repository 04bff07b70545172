#include "lento/method/direct.hpp"

#include <cmath>

#include <fmt/format.h>

namespace lento {
namespace {

double largest(std::span<const double> values) {
    double size = 0;
    for (const double value : values) {
        size = std::max(size, std::abs(value));
    }
    return size;
}

/// NOTE: an error control that is relative to the solution lets it grow without bounds: Adams methods of high order add energy to
/// an undamped vibration, step by step within the tolerance.
std::optional<std::string> growth_warning(const MacroChoice& macro, const Request& request, const Snapshot& end) {
    constexpr double suspicious = 1e6;
    const double before = largest(request.start);
    const double after = largest(end.position);
    if (before == 0 || !(after > suspicious * before)) {
        return std::nullopt;
    }
    return fmt::format(
        "the motion grew {:.2g} times, from {:.3g} to {:.3g}; if it should not, {} has let errors grow: take a smaller "
        "rtol and atol, or macro={}",
        after / before, before, after, macro.name, macro.name == "dopri5" ? "arkode-8" : "dopri5");
}

}  // namespace

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
    if (auto growth = growth_warning(macro, request, marched.final_state);
        growth && record.outcome == Outcome::completed) {
        record.warnings.push_back(std::move(*growth));
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
