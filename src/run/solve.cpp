#include "lento/run/solve.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/run/run.hpp"

namespace lento {
namespace {

using Sample = std::pair<double, std::vector<double>>;

/// Steps that `direct` may take where nobody asked for it.
constexpr std::int64_t few_steps = 3'000'000;

/// "a, b, c": those that are for the problem.
std::string applying(const Problem& problem, const Request& request) {
    std::vector<std::string> names;
    for (const Method* method : methods()) {
        if (method->judge(problem, request).applies) {
            names.emplace_back(method->name);
        }
    }
    return listed(names);
}

Solution run(const Problem& problem, const Request& request, const Method& method, ChosenBy by) {
    if (const auto verdict = method.judge(problem, request); !verdict.applies) {
        throw Misuse(fmt::format("method {} is not for this problem: {}; these are: {}", method.name, verdict.why,
                                 applying(problem, request)));
    }
    Run under_way(problem, request, method, by);
    return method.solve(under_way);
}

/// What to try where a method has ended so, one after the other; nothing where that is the answer.
std::vector<const Method*> instead(const Choice& choice, const Solution& found) {
    if (!found.record().better_by.empty()) {
        return {&method_named(found.record().better_by)};
    }
    const auto outcome = found.outcome();
    if (choice.method == &method::direct) {
        return {};
    }
    if (outcome == Outcome::diverged && choice.method == &method::harmonic) {
        return {&method::direct};  // the force may be finite where its series are not
    }
    if (outcome != Outcome::no_scale_separation && outcome != Outcome::refused) {
        return {};
    }
    // NOTE: what is not separated is resolved: other averages need as much separation, or more.
    std::vector<const Method*> next{&method::direct};
    if (choice.otherwise != nullptr) {
        next.insert(outcome == Outcome::no_scale_separation ? next.end() : next.begin(), choice.otherwise);
    }
    return next;
}

/// The request for another method than the one that options were given for.
Request request_for(const Method& method, const Request& request) {
    Request other = request;
    other.options = only(request.options,
                         method.takes("initial") ? std::vector<std::string>{"initial"} : std::vector<std::string>{});
    if (&method == &method::direct) {
        other.most_steps = std::min(request.most_steps, few_steps);
    }
    return other;
}

Solution solve_automatically(const Problem& problem, Request request) {
    const Choice choice = automatic_choice(problem, request);
    const auto given = names_of_set(request.options);
    if (!std::ranges::all_of(given, [&](const auto& name) { return choice.method->takes(name); })) {
        throw Misuse(fmt::format("of the methods for this problem ({}) none takes all of the options given ({})",
                                 applying(problem, request), listed(given)));
    }
    if (choice.method == &method::direct) {
        return run(problem, request, *choice.method, ChosenBy::automatic);
    }
    // Samples are held back until it is known whose they are.
    const auto sink = std::exchange(request.sink, {});
    std::vector<Sample> samples;
    if (sink) {
        request.sink = [&](double t, In y) { samples.emplace_back(t, std::vector<double>(y.begin(), y.end())); };
    }
    const bool averaged_start = request.options.initial.value_or("true-state") != "true-state";
    auto found = run(problem, request, *choice.method, ChosenBy::automatic);
    std::vector<Tried> tried;
    std::int64_t evaluations = 0;
    for (const Method* method : instead(choice, found)) {
        if (method == &method::direct && averaged_start) {
            continue;
        }
        const auto before = std::exchange(samples, {});
        auto next = run(problem, request_for(*method, request), *method, ChosenBy::automatic);
        if (next.outcome() == Outcome::budget_exhausted && method == &method::direct) {
            samples = before;
            continue;
        }
        tried.push_back({found.record().method, found.outcome(), found.explanation()});
        evaluations += found.statistics().force_evaluations;
        found = std::move(next);
        if (found.outcome() != Outcome::no_scale_separation && found.outcome() != Outcome::refused) {
            break;
        }
    }
    for (const auto& [t, y] : samples) {
        sink(t, y);
    }
    return std::move(found).after(std::move(tried), evaluations);
}

}  // namespace

Choice automatic_choice(const Problem& problem, const Request& request) {
    Choice choice{&method::direct, {}};
    double least = HUGE_VAL;
    double second = HUGE_VAL;
    const auto resolving = method::direct.judge(problem, request);
    const auto given = names_of_set(request.options);
    for (const Method* method : methods()) {
        // Options say what is wanted where only some methods take them.
        const bool takes_all = std::ranges::all_of(given, [&](const auto& name) { return method->takes(name); });
        const auto verdict = method == &method::direct ? resolving : method->judge(problem, request);
        if (!verdict.applies || !takes_all || !(verdict.evaluations < HUGE_VAL)) {
            continue;
        }
        if (verdict.evaluations < least) {
            if (choice.method != &method::direct) {
                second = least;
                choice.otherwise = choice.method;
            }
            least = verdict.evaluations;
            choice.method = method;
            choice.why = verdict.why;
        } else if (method != &method::direct && verdict.evaluations < second) {
            second = verdict.evaluations;
            choice.otherwise = method;
        }
    }
    if (choice.method == &method::direct) {
        choice.why = resolving.why;
    }
    return choice;
}

Solution solve(const Problem& problem, const Request& request) {
    if (request.method == method::automatic) {
        return solve_automatically(problem, request);
    }
    return solve(problem, request, method_named(request.method));
}

Solution solve(const Problem& problem, const Request& request, const Method& method) {
    return run(problem, request, method, ChosenBy::name);
}

bool Method::takes(std::string_view option) const {
    return std::ranges::find(options, option, &Option::name) != options.end();
}

const Method& method_named(std::string_view name) {
    std::vector<std::string> known{std::string(method::automatic)};
    for (const Method* method : methods()) {
        if (method->name == name) {
            return *method;
        }
        known.emplace_back(method->name);
    }
    throw Misuse(fmt::format("method '{}' is not known{}; there are {}", name, suggestion(name, known), listed(known)));
}

std::string_view name_of(SlowMeaning meaning) {
    constexpr std::array<std::string_view, 5> names{"averaged", "stroboscopic", "slow manifold", "slow variables",
                                                    "true"};
    return names[static_cast<std::size_t>(meaning)];
}

}  // namespace lento
