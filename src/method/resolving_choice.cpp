#include "method/resolving_choice.hpp"

#include <fmt/format.h>

#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"

namespace lento {
namespace {

using Pair = ResolvingMarch::Stepper;

/// What suits the force: Nystroem's, where it sees positions alone.
ResolvingChoice suited(const Run& run) {
    const Problem& problem = run.problem();
    const auto& request = run.request();
    if (problem.constraints) {
        return {};
    }
    if (!problem.second_order) {
        auto form = MechanicalForm::of(problem, request.t_start, request.start);
        return form ? ResolvingChoice{Pair::nystroem, std::move(form)} : ResolvingChoice{};
    }
    Acceleration acceleration(problem);
    const ProbeStates probes(request.start, request.velocity, request.t_start, request.t_end, request.scales);
    return {velocity_dependence(acceleration, probes).any ? Pair::dop853 : Pair::nystroem};
}

}  // namespace

double step_tolerance(const Run& run) {
    return run.request().rtol * (run.estimates() ? first_tightness : 1);
}

std::optional<ResolvingChoice> resolving_choice(const Run& run) {
    const auto& given = run.options();
    if (given.macro_step || given.steps) {
        return std::nullopt;
    }
    if (given.macro == ResolvingMarch::name_of(Pair::dop853)) {
        return ResolvingChoice{};
    }
    const bool named = given.macro == ResolvingMarch::name_of(Pair::nystroem);
    if (given.macro && !named && given.macro != ResolvingMarch::name_of(Pair::taylor)) {
        return std::nullopt;
    }
    auto found = suited(run);
    if (given.macro == ResolvingMarch::name_of(Pair::taylor)) {
        if (!ResolvingMarch::has_series(run.problem())) {
            throw Misuse(
                fmt::format("macro = {} is for models written as text, without constraints "
                            "and functions with kinks (abs, sign, floor, min, max); leave it out",
                            *given.macro));
        }
        found.series_after = 0;
        return found;
    }
    if (!given.macro) {
        found.series_after = evaluations_before_series(run.problem(), found.pair, step_tolerance(run));
    }
    if (named && found.pair != Pair::nystroem) {
        throw Misuse(
            fmt::format("macro = {} is for coordinates without constraints, or variables that are positions and "
                        "momenta, and for forces that do not depend on the velocity; leave it out, or take {}",
                        *given.macro, ResolvingMarch::name_of(Pair::dop853)));
    }
    return found;
}

}  // namespace lento
