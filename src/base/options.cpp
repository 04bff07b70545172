#include "lento/base/options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {

std::span<const OptionEntry> option_catalogue() {
    static const std::vector<OptionEntry> catalogue{
        {"macro",
         "solver for the slow motion: dopri5 and ode45 choose their step, ode113 (Adams, without constraints) its step "
         "and order; verlet, verlet4, verlet6, verlet8, midpoint, heun3, rk4, dopri5, implicit-midpoint take "
         "macro_step or steps; with constraints these are shake, rattle, rattle4, rattle6, rattle8, lobatto, and "
         "herk3, herk4 for one-period maps; for strides over many of them adams, rk2, rk3, rk4; with slow variables "
         "leapfrog, leapfrog-tangent and leapfrog-field, equations (3.11), (3.9) and (2.7), and euler; "
         "where an error is estimated stoermer-cowell, which chooses step and order; where every vibration is "
         "resolved rkn12 and dop853. Of SUNDIALS, without constraints: cvode-adams, cvode-bdf, arkode-4, arkode-5, "
         "arkode-8, which choose their step; the errors of cvode are some hundred times rtol",
         &Options::macro},
        {"macro_step", "length of a step along the slow motion; without it and without steps the solver is adaptive",
         &Options::macro_step},
        {"steps", "number of equal macro-steps, instead of macro_step", &Options::steps},
        {"micro",
         "stepper inside windows: verlet, verlet4, verlet6, verlet8, midpoint, heun3, rk4, dopri5; where the force "
         "depends on the velocity, verlet takes it at a predicted velocity (order 2) and verlet4 to verlet8 are "
         "refused; with constraints: shake, rattle, rattle4, rattle6, rattle8, lobatto; for variables and maps also "
         "dopri8, with constraints herk3, herk4",
         &Options::micro},
        {"micro_step", "length of a step inside windows; rounded down to a whole number of steps a period",
         &Options::micro_step},
        {"micro_steps_per_period",
         "steps inside windows for each period of the fastest phase or spring (nominal), instead of micro_step",
         &Options::micro_steps_per_period},
        {"filter",
         "weights of the average: exponential, cubic, cos4, cos8, ..., flat4, flat6, ..., period (exactly one period, "
         "for forces even about the window's start)",
         &Options::filter},
        {"window", "whole width of the averaging window, as a time", &Options::window},
        {"window_periods",
         "whole width of the averaging window in periods of the slowest phase or spring (nominal), instead of window",
         &Options::window_periods},
        {"initial",
         "true-state: start and velocity are the true state and are converted; averaged: they are averaged data "
         "already",
         &Options::initial},
        {"mean_force", "refuse: stop if the leading force does not average to zero; accept: run all the same",
         &Options::mean_force},
        {"parity",
         "of the force about the start of a window: detect; even (half windows, not checked); none (whole windows, a "
         "kernel)",
         &Options::parity},
        {"project",
         "when a motion with stiff springs is projected onto its slow manifold: start, times (at project_times), each "
         "(before each evaluation of the force), auto (when what the springs have gathered moves the slow motion), "
         "never",
         &Options::project},
        {"project_times", "times at which to project, as in 1,2,3", &Options::project_times},
        {"projection_tolerance",
         "the iterated projection stops when elongations and their rates change by less than this",
         &Options::projection_tolerance},
        {"guess",
         "where iterated projections on the way begin: elongations (where springs are as long as at the last projected "
         "point) or none (at the point itself)",
         &Options::guess},
        {"fast_energy",
         "what oscillations of stiff springs that the start holds do to the slow motion: adiabatic (each keeps its "
         "action, and its energy is a potential) or none (they are taken out, and that is left out)",
         &Options::fast_energy},
        {"difference",
         "how the averaged rate is recovered from the map over one period: central, forward or backward differences",
         &Options::difference},
        {"difference_order",
         "of that recovery: 2, 4, 6, 8 for central differences, 1 to 8 for one-sided ones, 1 to 4 for nested maps",
         &Options::difference_order},
        {"periods_per_step", "periods that a macro-step strides over; without it they are chosen by tolerance",
         &Options::periods_per_step},
        {"reconstruction",
         "which state a leapfrog step with slow variables leads to: symmetric (the way back is the same from any "
         "phase) or nearest (to the middle point)",
         &Options::reconstruction},
        {"smoothing",
         "what keeps even and odd leapfrog steps together: even-odd (their difference is taken out every 50 steps), "
         "segments (the true motion is followed here and there), none (a run with exchanged ends leads back to its "
         "start, to rounding)",
         &Options::smoothing},
        {"segments", "number of segments in which the true motion is followed, evenly spread over the run",
         &Options::segments},
        {"segment_steps", "length of each of these segments, in macro-steps", &Options::segment_steps},
        {"phases",
         "equally spaced phases at which the response to the vibration is found: about 8 for the highest frequency in "
         "the force",
         &Options::phases},
        {"sweeps",
         "orders in one over the frequency to which the response is found; of stiff springs, how often their force is "
         "corrected, two orders each",
         &Options::sweeps},
        {"estimate",
         "yes: the error of the result is estimated, and the run ends as completed only where that is within the "
         "tolerance; none: one plain run, without an estimate",
         &Options::estimate},
    };
    return catalogue;
}

namespace {

const OptionEntry& entry_of(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& entry : option_catalogue()) {
        if (entry.name == name) {
            return entry;
        }
        known.push_back(entry.name);
    }
    throw Misuse(fmt::format("option '{}' is not known{}; `lento methods` lists the options of each method", name,
                             suggestion(name, known)));
}

}  // namespace

void set_option(Options& options, std::string_view name, std::string_view value) {
    const auto& entry = entry_of(name);
    std::visit(
        [&](auto field) {
            using Value = typename std::decay_t<decltype(options.*field)>::value_type;
            if constexpr (std::is_same_v<Value, std::string>) {
                options.*field = std::string(value);
            } else if constexpr (std::is_same_v<Value, std::vector<double>>) {
                auto& numbers = (options.*field).emplace();
                for (const auto& item : list_items(value)) {
                    numbers.push_back(number_from(item, fmt::format("option {}", name)));
                }
            } else {
                const double number = number_from(value, fmt::format("option {}", name));
                if constexpr (std::is_same_v<Value, std::size_t>) {
                    const int least = name == "sweeps" ? 0 : 1;
                    if (!(number >= least) || number > 1e15 || number != std::floor(number)) {
                        throw Misuse(
                            fmt::format("option {} = {} must be a whole number, {} or more", name, value, least));
                    }
                }
                options.*field = static_cast<Value>(number);
            }
        },
        entry.field);
}

std::vector<std::string> names_of_set(const Options& options) {
    std::vector<std::string> names;
    for (const auto& entry : option_catalogue()) {
        std::visit(
            [&](auto field) {
                if (options.*field) {
                    names.push_back(entry.name);
                }
            },
            entry.field);
    }
    return names;
}

void require_not_both(const Options& options, std::string_view one, std::string_view other) {
    const auto names = names_of_set(options);
    if (std::ranges::find(names, one) != names.end() && std::ranges::find(names, other) != names.end()) {
        throw Misuse(fmt::format("both {} and {} are given; one decides the other", one, other));
    }
}

Options only(Options options, const std::vector<std::string>& names) {
    for (const auto& entry : option_catalogue()) {
        if (std::ranges::find(names, entry.name) == names.end()) {
            std::visit([&](auto field) { (options.*field).reset(); }, entry.field);
        }
    }
    return options;
}

}  // namespace lento
