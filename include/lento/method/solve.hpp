/// The front door: a system and a request in, a solution out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/constrained_field.hpp"
#include "lento/average/flow_field.hpp"
#include "lento/average/stiff_motion.hpp"
#include "lento/base/misuse.hpp"
#include "lento/method/bounded_derivative.hpp"
#include "lento/method/choice.hpp"
#include "lento/method/direct.hpp"
#include "lento/method/harmonic.hpp"
#include "lento/method/hmm_async.hpp"
#include "lento/method/hmm_stiff.hpp"
#include "lento/method/hmm_sync.hpp"
#include "lento/method/ipa.hpp"
#include "lento/method/multirevolution.hpp"
#include "lento/method/relaxed.hpp"
#include "lento/method/request.hpp"
#include "lento/method/reversible.hpp"
#include "lento/method/sam.hpp"
#include "lento/method/shake_shake.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/split_system.hpp"
#include "lento/problem/stiff_system.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

/// Every method there is, in the order in which `lento methods` lists them.
inline const std::vector<MethodDescription>& method_descriptions() {
    static const std::vector<MethodDescription> all{hmm_sync_description,
                                                    hmm_async_description,
                                                    shake_shake_description,
                                                    rattle_shake_description,
                                                    hmm_stiff_description,
                                                    ipa_description,
                                                    bounded_derivative_description,
                                                    sam_description,
                                                    lips_description,
                                                    multirevolution_description,
                                                    reversible_description,
                                                    harmonic_description,
                                                    direct_description};
    return all;
}

/// Throws Misuse unless a method has that name, or it is auto.
inline void require_method(const std::string& name) {
    std::vector<std::string> known{"auto"};
    for (const auto& description : method_descriptions()) {
        known.push_back(description.name);
    }
    if (std::find(known.begin(), known.end(), name) == known.end()) {
        throw Misuse(
            fmt::format("method '{}' is not known{}; there are {}", name, suggestion(name, known), listed(known)));
    }
}

/// Whether the method is one on one-period maps.
inline bool is_stroboscopic(const std::string& method) {
    return method == sam_description.name || method == lips_description.name ||
           method == multirevolution_description.name;
}

inline Solution solve_stroboscopic(SharedMotion motion, const std::string& method, const Request& request,
                                   StartReport start = {}) {
    const auto run = method == sam_description.name ? sam : method == lips_description.name ? lips : multirevolution;
    return run(std::move(motion), request, std::move(start));
}

inline void require_slow_variables(const std::string& method) {
    if (method == reversible_description.name) {
        throw Misuse(
            "method reversible needs slow variables, and this system declares none: in C++ with lento::slow_system, in "
            "a model with "
            "[slow]");
    }
}

/// What `auto` stands for, and what is left where that refuses (`MethodChoice::instead`), `direct` if few steps are enough: `run` takes a
/// request. Samples are held back until it is known whose they are.
template <class Run>
Solution solve_as(const MethodChoice& choice, Request request, Run&& run) {
    constexpr std::int64_t few_steps = 3'000'000;
    request.method = choice.method;
    request.by_auto = true;
    if (choice.method == "direct") {
        return run(request).requested_as("auto");
    }
    const auto sink = std::exchange(request.sink, {});
    using Samples = std::vector<std::pair<double, std::vector<double>>>;
    Samples samples;
    if (sink) {
        request.sink = [&](double t, std::span<const double> y) {
            samples.emplace_back(t, std::vector<double>(y.begin(), y.end()));
        };
    }
    auto found = run(request).requested_as("auto");
    std::string why;
    const bool resolved = found.record().method == "direct";  // by the method itself
    for (const auto& method : resolved ? std::vector<std::string>() : choice.instead(found.outcome())) {
        Request other = request;
        other.method = method;
        other.options = {.initial = request.options.initial};
        if (method == "direct") {
            if (request.options.initial.value_or("true-state") != "true-state") {
                continue;
            }
            other.options = {};
            other.most_steps = std::min(request.most_steps, few_steps);
        }
        const auto before = std::exchange(samples, {});
        const std::string so_far =
            fmt::format("{}{}{}: {}", why, why.empty() ? "" : "; ", found.record().method, found.explanation());
        auto next = run(other).handed_over("auto", fmt::format("{}; {} was used instead", so_far, method),
                                           found.statistics().force_evaluations);
        if (next.outcome() == Outcome::budget_exhausted && method == "direct") {
            samples = before;
            continue;
        }
        found = std::move(next);
        why = so_far;
        if (choice.instead(found.outcome()).empty()) {
            break;
        }
    }
    for (const auto& [t, y] : samples) {
        sink(t, y);
    }
    return found;
}

[[noreturn]] inline void refuse_double_alone(const std::string& what, const std::string& instead) {
    throw Misuse(
        fmt::format("method harmonic evaluates {} with truncated series, and this one takes double alone: write it as "
                    "a template on its numbers, or use {}",
                    what, instead));
}

/// A system with coordinates. `auto` becomes the method that suits its class (`method/choice.hpp`).
template <class Force, std::size_t Extent>
Solution solve(const VibratedSystem<Force, Extent>& system, const Request& request) {
    require_method(request.method);
    if (request.method == "auto") {
        return solve_as(automatic_choice(problem_class(system)), request,
                        [&](const Request& chosen) { return solve(system, chosen); });
    }
    const std::string& method = request.method;
    require_slow_variables(method);
    if (method == shake_shake_description.name || method == rattle_shake_description.name) {
        throw Misuse(
            fmt::format("method {} is for systems with constraints; this one has none: use hmm-async", method));
    }
    if (method == hmm_stiff_description.name || method == ipa_description.name ||
        method == bounded_derivative_description.name) {
        throw Misuse(fmt::format(
            "method {} is for systems with stiff springs or constraints; this one has neither: in C++ springs are "
            "declared with lento::stiff_system, in a model with [springs.NAME]",
            method));
    }
    if (is_stroboscopic(method)) {
        return solve_stroboscopic(std::make_shared<PeriodicCoordinates<VibratedSystem<Force, Extent>>>(system), method,
                                  request);
    }
    if (method == harmonic_description.name) {
        if constexpr (VibratedSystem<Force, Extent>::template accepts<Taylor>) {
            return harmonic(std::make_shared<CoordinatesField<VibratedSystem<Force, Extent>>>(system), request,
                            [&](const Request& other) { return direct(system, other); });
        } else {
            refuse_double_alone("forces", "hmm-async");
        }
    }
    if (method == "hmm-async") {
        return hmm_async(system, request);
    }
    if (method == "hmm-sync") {
        return hmm_sync(system, request);
    }
    return direct(system, request);
}

/// A system with constraints.
template <class Free, class Constraints>
Solution solve(const ConstrainedSystem<Free, Constraints>& system, const Request& request) {
    require_method(request.method);
    if (request.method == "auto") {
        auto problem = problem_class(system);
        problem.constraints = true;
        return solve_as(automatic_choice(problem), request,
                        [&](const Request& chosen) { return solve(system, chosen); });
    }
    const std::string& method = request.method;
    for (const auto& description : {shake_shake_description, rattle_shake_description}) {
        if (method == description.name) {
            return average_on_constraints(system, request, description);
        }
    }
    if (method == ipa_description.name || method == hmm_stiff_description.name) {
        return solve_relaxed(system, request);
    }
    if (is_stroboscopic(method) || method == harmonic_description.name) {
        Request on_constraints = checked(request, system.dimension());
        StartReport start;
        Manifold<Constraints> manifold(system.mass(), system.constraints());
        start.violation = StartOnManifold(manifold, system.names())(on_constraints, start.warnings);
        if (is_stroboscopic(method)) {
            return solve_stroboscopic(std::make_shared<PeriodicOnConstraints<Free, Constraints>>(system), method,
                                      on_constraints, std::move(start));
        }
        if constexpr (ConstrainedSystem<Free, Constraints>::template accepts<Taylor>) {
            return harmonic(
                std::make_shared<ConstrainedField<Free, Constraints>>(system), on_constraints,
                [&](const Request& other) { return direct(system, other); }, std::move(start));
        } else {
            refuse_double_alone("forces and constraints", "rattle-shake");
        }
    }
    if (method != "direct") {
        throw Misuse(
            fmt::format("method {} is for systems without constraints; this one has {}: use harmonic, shake-shake, "
                        "rattle-shake, sam, multirevolution, ipa, hmm-stiff or direct",
                        method, system.constraints().count()));
    }
    return direct(system, request);
}

/// A system with stiff springs.
template <class Springs>
Solution solve(const StiffSystem<Springs>& system, const Request& request) {
    require_method(request.method);
    const auto& springs = system.springs().entries();
    if (request.method == "auto") {
        auto problem = problem_class(system);
        problem.stiff_springs = true;
        problem.elongations =
            std::all_of(springs.begin(), springs.end(), [](const auto& spring) { return spring.has_elongation; });
        problem.oscillations = (request.t_end - request.t_start) / spring_scales(springs).fastest;
        return solve_as(automatic_choice(problem), request,
                        [&](const Request& chosen) { return solve(system, chosen); });
    }
    const std::string& method = request.method;
    if (method == bounded_derivative_description.name) {
        return bounded_derivative(SpringsMotion(system), request,
                                  [&](const Request& other) { return direct(system.whole(), other); });
    }
    if (method == ipa_description.name) {
        return ipa(SpringsMotion(system), request);
    }
    if (method == hmm_stiff_description.name) {
        return hmm_stiff(SpringsMotion(system), request);
    }
    const auto own = system.whole();  // with work space of its own
    if (method == direct_description.name) {
        return direct(own, request);
    }
    // NOTE: springs of text models may stand beside a phase or a period; those in C++ do not.
    if constexpr (StiffSystem<Springs>::Whole::fixed_windows) {
        return solve(own, request);
    } else {
        require_slow_variables(method);
        throw Misuse(fmt::format(
            "method {} is not for stiff springs: use bounded-derivative, ipa, hmm-stiff or direct; the system's "
            "whole() takes springs as any other force",
            method));
    }
}

/// A first-order system.
template <class Rate>
Solution solve(const FirstOrderSystem<Rate>& system, const Request& request) {
    require_method(request.method);
    if (request.method == "auto") {
        return solve_as(automatic_choice(problem_class(system)), request,
                        [&](const Request& chosen) { return solve(system, chosen); });
    }
    const std::string& method = request.method;
    if (is_stroboscopic(method)) {
        return solve_stroboscopic(std::make_shared<PeriodicVariables<FirstOrderSystem<Rate>>>(system), method, request);
    }
    require_slow_variables(method);
    if (method == harmonic_description.name) {
        return harmonic(std::make_shared<VariablesField<FirstOrderSystem<Rate>>>(system), request,
                        [&](const Request& other) { return direct(system, other); });
    }
    if (method != "direct") {
        throw Misuse(fmt::format(
            "method {} is for systems with coordinates; this one has variables: use harmonic, multirevolution, sam, "
            "lips or direct",
            method));
    }
    return direct(system, request);
}

/// A first-order system with an exactly solvable part.
template <class Rate, ExactFlow Flow>
Solution solve(const SplitSystem<Rate, Flow>& system, const Request& request) {
    require_method(request.method);
    if (request.method == "auto") {
        auto problem = problem_class(system);
        problem.series = SeriesFlow<Flow>;
        return solve_as(automatic_choice(problem), request,
                        [&](const Request& chosen) { return solve(system, chosen); });
    }
    if (is_stroboscopic(request.method)) {
        return solve_stroboscopic(std::make_shared<PeriodicSplit<Rate, Flow>>(system), request.method, request);
    }
    if (request.method == harmonic_description.name && (system.period() || !system.phases().empty())) {
        if constexpr (SeriesFlow<Flow>) {
            const auto field = std::make_shared<FlowField<Rate, Flow>>(system);
            const double periods = (request.t_end - request.t_start) / field->period().value_or(NAN);
            const auto why_not = field->not_periodic(request.start, periods, request.rtol);
            // NOTE: beside declared phases the exact part may be a slow one.
            if (!why_not || system.phases().empty()) {
                StartReport start;
                if (why_not) {
                    start.violation = Violation{Outcome::no_scale_separation, *why_not};
                }
                return harmonic(
                    field, request, [&](const Request& other) { return direct(system.whole(), other); },
                    std::move(start));
            }
        } else if (system.phases().empty()) {
            refuse_double_alone("exactly solved flows", "multirevolution");
        }
    }
    return solve(system.whole(), request);
}

/// A system with slow variables.
template <class System, class Slow>
Solution solve(const SlowSystem<System, Slow>& given, const Request& request) {
    require_method(request.method);
    if (request.method == reversible_description.name) {
        return reversible(slow_problem(given), request);
    }
    return solve(given.system, request);
}

}  // namespace lento
