#include "lento/run/solve.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/run.hpp"
#include "march/sample_store.hpp"
#include "run/second_opinion.hpp"

namespace lento {
namespace {

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
    const auto alone = [&](const Request& asked) {
        Run under_way(problem, asked, method, by);
        return method.solve(under_way);
    };
    const bool knows = method.estimate == Method::Estimate::own && !has_settings(request);
    return knows || request.options.estimate == "none" ? alone(request)
                                                       : with_second_opinion(problem, request, method, alone);
}

bool has_ended(Outcome outcome) {
    return outcome == Outcome::completed || outcome == Outcome::interrupted;
}

/// What to try where the first choice has ended so, one after the other; nothing where that is the answer.
std::vector<const Method*> instead(const Choice& choice, const Request& request, const Solution& found) {
    if (!found.record().better_by.empty()) {
        return {&method_named(found.record().better_by)};
    }
    std::vector<const Method*> next;
    const auto outcome = found.outcome();
    if (has_ended(outcome) || (choice.method == &method::direct && outcome != Outcome::budget_exhausted) ||
        (outcome == Outcome::tolerance_missed && has_settings(request))) {
        return next;
    }
    if (choice.method != &method::direct) {
        next.push_back(&method::direct);
    }
    // NOTE: what is not separated, or missed its tolerance, is resolved: other averages are no better there. Where a
    // method diverged the force may be finite, and its series not.
    if (choice.otherwise != nullptr && outcome != Outcome::tolerance_missed) {
        const bool first = outcome == Outcome::refused && choice.otherwise->estimate == Method::Estimate::own;
        next.insert(first ? next.begin() : next.end(), choice.otherwise);
    }
    return next;
}

/// Whether resolving every vibration takes no more than `auto` may spend on it; where nothing fast is declared nobody
/// knows.
bool can_be_resolved(const Problem& problem, const Request& request) {
    const double price = method::direct.judge(problem, request).evaluations;
    return price <= most_for_resolving(problem) || price == HUGE_VAL;
}

/// The request for another method than the one that options were given for.
Request request_for(const Method& method, const Problem& problem, const Request& request) {
    Request other = request;
    std::vector<std::string> kept{"estimate"};
    if (method.takes("initial")) {
        kept.emplace_back("initial");
    }
    other.options = only(request.options, kept);
    if (&method == &method::direct) {
        other.most_steps = std::min(request.most_steps, most_steps_for_resolving(problem));
    }
    return other;
}

Solution solve_automatically(const Problem& problem, Request request) {
    const Choice choice = automatic_choice(problem, request);
    if (choice.method == &method::direct) {
        request.most_steps = std::min(request.most_steps, most_steps_for_resolving(problem));
    }
    // Samples are held back until it is known whose they are.
    const auto sink = std::exchange(request.sink, {});
    SampleStore samples;
    if (sink) {
        request.sink = [&](double t, In y) { samples.append(t, y); };
    }
    const bool averaged_start = request.options.initial.value_or("true-state") != "true-state";
    auto found = run(problem, request, *choice.method, ChosenBy::automatic);
    std::vector<Tried> tried;
    std::int64_t evaluations = 0;
    const auto leave = [&](const Solution& solution) {
        tried.push_back({solution.record().method, solution.outcome(), solution.explanation()});
    };
    for (const Method* method : instead(choice, request, found)) {
        if (method == &method::direct && (averaged_start || !can_be_resolved(problem, request))) {
            continue;
        }
        auto before = std::exchange(samples, {});
        auto next = run(problem, request_for(*method, problem, request), *method, ChosenBy::automatic);
        const bool left = !found.record().better_by.empty();
        // NOTE: a motion that leaves all numbers when it is resolved does so: no average of it is an answer.
        const bool escapes = method == &method::direct && next.outcome() == Outcome::diverged;
        const bool better = has_ended(next.outcome()) || next.outcome() == Outcome::tolerance_missed || escapes;
        if (!better && (left || found.outcome() == Outcome::tolerance_missed)) {
            // It is the first choice after all.
            leave(found);
            leave(next);
            evaluations += next.statistics().force_evaluations;
            samples = std::move(before);
            if (left) {
                samples = {};
                evaluations += found.statistics().force_evaluations;
                found = run(problem, request, *choice.method, ChosenBy::automatic_at_last);
            }
            continue;
        }
        leave(found);
        evaluations += found.statistics().force_evaluations;
        found = std::move(next);
        if (has_ended(found.outcome()) || escapes) {
            break;
        }
    }
    SampleStore::Reader reader(samples);
    for (std::size_t k = 0; k < reader.size(); ++k) {
        sink(reader.t(k), reader[k]);
    }
    return std::move(found).after(std::move(tried), evaluations);
}

}  // namespace

Choice automatic_choice(const Problem& problem, const Request& request) {
    struct Candidate {
        const Method* method;
        Verdict verdict;
        bool promises;  // a result within its tolerance, by its own estimate
    };
    const auto resolving = method::direct.judge(problem, request);
    const bool affordable = can_be_resolved(problem, request);
    const auto given = names_of_set(request.options);
    std::vector<Candidate> candidates;
    for (const Method* method : methods()) {
        // Options say what is wanted where only some methods take them.
        const bool takes_all = std::ranges::all_of(given, [&](const auto& name) { return method->takes(name); });
        auto verdict = method == &method::direct ? resolving : method->judge(problem, request);
        if (verdict.applies && takes_all && verdict.evaluations < HUGE_VAL) {
            const bool own = method->estimate == Method::Estimate::own;
            const bool promises = own && !has_settings(request) && verdict.expected_error <= 1 &&
                                  (method != &method::direct || affordable);
            candidates.push_back({method, std::move(verdict), promises});
        }
    }
    std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
        return a.promises != b.promises ? a.promises : a.verdict.evaluations < b.verdict.evaluations;
    });
    Choice choice{&method::direct, resolving.why};
    if (!candidates.empty()) {
        choice = {candidates[0].method, candidates[0].verdict.why};
    }
    if (!std::ranges::all_of(given, [&](const auto& name) { return choice.method->takes(name); })) {
        throw Misuse(fmt::format("of the methods for this problem ({}) none takes all of the options given ({})",
                                 applying(problem, request), listed(given)));
    }
    for (const auto& candidate : candidates) {
        if (candidate.method != choice.method && candidate.method != &method::direct) {
            choice.otherwise = candidate.method;
            break;
        }
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
    return option == "estimate" || std::ranges::find(options, option, &Option::name) != options.end();
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
