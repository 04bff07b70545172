#include "slow_solutions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "lento/method/slow_point.hpp"
#include "run/constrained_macro.hpp"

namespace lento::papers {

namespace {

double stopping_tolerance(double omega) {
    return omega < 500 ? 1e-7 : 1e-9;
}

}  // namespace

Request ipa_request(double omega) {
    Request request{.start = constraint_start,
                    .velocity = constraint_velocity,
                    .t_end = 10,
                    .method = "ipa",
                    .keep = Recorder::Keep::nothing};
    request.options.projection_tolerance = stopping_tolerance(omega);
    request.options.fast_energy = "none";
    return request;
}

const Target& target(double omega) {
    static std::map<double, Target> known;
    auto& target = known[omega];
    if (target.end.empty()) {
        const auto point = slow_point(TwoSprings{omega, omega}.stiff(), ipa_request(omega), Extrapolation::none);
        target = {point.position, point.velocity, {}};
        Request request{.start = point.position, .velocity = point.velocity, .t_end = 10};
        target.end = true_motion({omega, omega}, request, {10.0}, 1e-12)[0];
    }
    return target;
}

Errors errors_of(double omega, const Solution& run) {
    const std::span<const double> end = target(omega).end;
    const bool done = run.outcome() == Outcome::completed;
    return {done ? distance(run.final_state().position, end.first(4)) : NAN,
            done ? distance(run.final_state().velocity, end.last(4)) : NAN, double(run.statistics().force_evaluations)};
}

void add_rows(Result& result, const std::string& label, double omega, const Errors& errors, double tolerance,
              const Reference& reference) {
    const std::string with = fmt::format("omega={:.0f}", omega);
    result.rows.push_back({label, "q " + with, {}, errors.q, true, tolerance, reference.q});
    result.rows.push_back({label, "p " + with, {}, errors.p, true, tolerance, reference.p});
    result.rows.push_back({label, "evaluations " + with, {}, errors.evaluations});
}

void add_pictures(Result& result, int figure, const std::string& caption) {
    constexpr std::array markers{Marker::circle, Marker::star, Marker::diamond};
    constexpr double largest_shown = 10;
    const auto lost = [](double error) { return error > largest_shown; };
    for (const char* quantity : {"q", "p"}) {
        auto picture = log_log(fmt::format("Figure {}, {}: {}", figure, quantity, caption), "force evaluations",
                               fmt::format("error in {} at t = 10", quantity), {});
        picture.x_shown = {50, 1e7};
        picture.y_shown = {1e-12, largest_shown};
        for (std::size_t k = 0; k < omegas.size(); ++k) {
            const std::string with = fmt::format("omega={:.0f}", omegas[k]);
            auto errors = result.column(fmt::format("{} {}", quantity, with));
            if (std::ranges::any_of(errors, lost)) {
                std::ranges::replace_if(errors, lost, NAN);
                picture.y_label =
                    fmt::format("error in {} at t = 10 (runs beyond {} are left out)", quantity, largest_shown);
            }
            picture.curves.push_back({.label = fmt::format("omega = {:.0f}", omegas[k]),
                                      .x = result.column("evaluations " + with),
                                      .y = std::move(errors),
                                      .style = Curve::Style::marked,
                                      .marker = markers[k]});
        }
        result.pictures.push_back(std::move(picture));
    }
}

Errors rattle_errors(double omega, double step, const std::string& solver) {
    const auto rods = constrained(plain_system(4, TwoSprings::force(0, 0)), 2, TwoSprings::both_elongations());
    Manifold manifold(rods);
    const Request request{.start = target(omega).start, .t_end = 10, .keep = Recorder::Keep::nothing};
    std::int64_t evaluations = 0;
    const AveragedAcceleration no_force = [&](double, std::span<const double>, std::span<const double>,
                                              std::span<double> a) {
        std::fill(a.begin(), a.end(), 0.0);
        ++evaluations;
    };
    const auto marched = march_on_manifold(rods, manifold, {solver, step}, VelocityUse::none, no_force, request,
                                           target(omega).start, target(omega).velocity);
    const std::span<const double> end = target(omega).end;
    return {distance(marched.final_state.position, end.first(4)), distance(marched.final_state.velocity, end.last(4)),
            double(evaluations)};
}

std::string slow_solution_setting() {
    return "omega_1 = omega_2 = 100, 1000, 10000; the slow solution from the projection of q = (1, 0, 2, 0), p = (0, "
           "-0.5, 0, 0.5), Euclidean errors in q and p at t = 10 against integration with rtol = 1e-12. ";
}

std::string slow_solution_projection() {
    return " Projection: " + projection_window() + ", stopping tolerance 1e-9 (1e-7 for omega = 100).";
}

}  // namespace lento::papers
