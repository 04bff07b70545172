#include "method/relaxed_run.hpp"

#include <fmt/format.h>

#include "judge/slow_size.hpp"
#include "lento/base/misuse.hpp"
#include "problem/acceleration.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {
namespace {

/// Not more than thirty times the frequency of other springs, which windows have to cover while they resolve these.
double relaxation_frequency_beside(const std::vector<SpringEntry>& springs, double frequency) {
    constexpr double most_apart = 30;
    double limit = frequency;
    for (const auto& spring : springs) {
        if (spring.frequency < frequency / most_apart) {
            limit = std::min(limit, most_apart * spring.frequency);
        }
    }
    return limit;
}

/// k_j such that each spring by itself has the given frequency at x: omega^2 / (g' M^-1 g'^T)_jj.
std::vector<double> relaxation_strengths(const Problem& problem, In x, double t, double frequency) {
    const auto& pattern = problem.constraints->pattern();
    std::vector<double> gradient(pattern.entries());
    problem.constraints->gradient(x, t, gradient);
    const Mass mass = problem.mass.at(x, t);
    std::vector<double> strengths;
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        const double square = normal_entry(pattern, mass, gradient, j);
        if (!(square > 0) || !std::isfinite(square)) {
            throw Misuse(
                fmt::format("the constraint {} has a vanishing gradient at the start; as a spring it has no frequency "
                            "there. Write it so that its gradient is not zero",
                            problem.constraints->names()[j]));
        }
        strengths.push_back(frequency * frequency / square);
    }
    return strengths;
}

/// Adds the multipliers of the constraints to a state y = (x, v).
Settling with_multipliers(const Problem& problem) {
    auto acceleration = std::make_shared<Acceleration>(problem);
    return [acceleration, d = problem.dimension()](double t, std::vector<double>& y) {
        std::vector<double> a(d);
        (*acceleration)(In(y).first(d), In(y).subspan(d, d), t, {}, a);
        y.resize(2 * d);
        for (int copies = 0; copies < 2; ++copies) {  // without a vibration the mean total ones are the same
            y.insert(y.end(), acceleration->multipliers().begin(), acceleration->multipliers().end());
        }
    };
}

}  // namespace

RelaxedProblem relaxed_for(const Problem& problem, const Request& request) {
    const auto a =
        Acceleration(problem).at(request.start, request.velocity, request.t_start, problem.phases_at(request.t_start));
    const double length = std::isfinite(request.t_end) ? request.t_end - request.t_start : HUGE_VAL;
    const SlowSize size(request.start, request.velocity, a, length);
    const double time = std::isfinite(size.time) && size.time > 0 ? size.time : 1;
    const auto with = [&](double frequency) {
        return relaxed(problem, frequency, relaxation_strengths(problem, request.start, request.t_start, frequency));
    };
    const double wanted = std::clamp(std::sqrt(1e5 / request.rtol), 1e4, 1e7) / time;
    const double frequency = relaxation_frequency_beside(with(wanted).springs->entries, wanted);
    return {with(frequency), frequency};
}

Solution solve_on_springs(Run& run, Solution (*follow)(Run& run)) {
    if (!run.problem().constraints) {
        return follow(run);
    }
    if (!run.goes_on()) {
        return run.not_started();
    }
    Request request = run.request();
    request.options.fast_energy = "none";  // constraints do not oscillate
    const auto [stiff, frequency] = relaxed_for(run.problem(), request);
    const auto complete = with_multipliers(run.problem());
    if (request.sink) {
        request.sink = [complete, sink = request.sink](double t, In y) {
            std::vector<double> whole(y.begin(), y.end());
            complete(t, whole);
            sink(t, whole);
        };
    }
    Run on_springs(stiff, request, run.method(), run.by_auto() ? ChosenBy::automatic : ChosenBy::name);
    return follow(on_springs)
        .with_option({"relaxed_to", fmt::format("springs of frequency {:.3g}", frequency)})
        .completed_by(complete);
}

Verdict springs_verdict(const Problem& problem, double evaluations) {
    if (!problem.second_order || (!problem.springs && !problem.constraints)) {
        return {false, "the system has no stiff springs, nor constraints that could be relaxed to some"};
    }
    if (!problem.phases.empty()) {
        return {false, "it is for springs without a fast phase; this system has one"};
    }
    if (problem.constraints) {
        return {true, "constraints can be relaxed to stiff springs"};
    }
    return {true, "stiff springs are declared: their fast oscillation is taken out, the slow motion is followed",
            evaluations};
}

}  // namespace lento
