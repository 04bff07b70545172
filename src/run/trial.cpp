#include "run/trial.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "lento/run/solve.hpp"

namespace lento {
namespace {

constexpr double loose = 1e-3;

}  // namespace

Request trial_request(const Method& method, Request request) {
    request.rtol = loose;
    request.atol = 1e-6;
    request.most_steps = 50;
    if (method.estimate != Method::Estimate::own) {
        request.options.estimate = "none";
    }
    return request;
}

std::optional<Trial> trial_of(const Solution& tried, const Method& method, const Request& asked) {
    const auto outcome = tried.outcome();
    if (outcome != Outcome::completed && outcome != Outcome::tolerance_missed && outcome != Outcome::budget_exhausted) {
        return std::nullopt;
    }
    const auto& statistics = tried.statistics();
    const double reached = tried.record().t_end - asked.t_start;
    const double order = &method == &method::multirevolution ? 8 : 4;
    const double finer = std::pow(loose / asked.rtol, 1 / (order + 1));
    Trial trial{statistics.all_evaluations() * finer * (asked.t_end - asked.t_start) / reached,
                reached / static_cast<double>(std::max<std::int64_t>(1, statistics.macro_steps))};
    if (const auto revolutions = tried.final_state().revolutions) {
        trial.period = reached / *revolutions;
    }
    return trial;
}

double direct_by_trial(const Problem& problem, Request request, double period) {
    constexpr double periods = 20;
    constexpr double tightest = 1e-13;
    const double count = (request.t_end - request.t_start) / period;
    const double given = request.rtol;
    request.rtol = std::max(tightest, request.rtol / count);
    request.atol = std::max(tightest * request.atol / given, request.atol / count);
    request.t_end = std::min(request.t_end, request.t_start + periods * period);
    const double share = (request.t_end - request.t_start) / (count * period);
    return solve(problem, request, method::direct).statistics().all_evaluations() / share;
}

}  // namespace lento
