/// What a user asks of `lento::solve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "lento/base/options.hpp"
#include "lento/base/tolerance.hpp"
#include "lento/march/recorder.hpp"
#include "lento/problem/problem.hpp"
#include "lento/solution/solution.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Request {
    std::vector<double> start;       ///< the true position at t_start
    std::vector<double> velocity{};  ///< the true velocity; zero if empty
    double t_start = 0;
    double t_end = 0;
    std::string method = "auto";
    double rtol = 1e-6;
    double atol = 1e-9;
    std::vector<double> scales{};  ///< of y = (x, v) or the variables, that atol is multiplied by; empty: the problem's
    Options options{};
    std::size_t samples = 201;                         ///< equally spaced, for the sink
    SampleSink sink{};                                 ///< receives the samples as they come
    Recorder::Keep keep = Recorder::Keep::everything;  ///< for slow(t) and fast(t)
    std::int64_t most_steps = 1'000'000'000;           ///< of an adaptive march, before it ends as budget_exhausted
    std::vector<std::string> notes{};                  ///< to stand before the warnings of the run
    std::stop_token stop{};
    std::function<void(double t)> progress{};  ///< told the time reached, once a macro-step

    Tolerance tolerance() const { return {rtol, atol, scales}; }
};

/// Throws Misuse for what no method can run: sizes that do not fit, times in the wrong order, tolerances and scales
/// that are not positive. Returns the request with the velocity and the scales of the problem filled in.
Request checked(Request request, const Problem& problem);
/// Of the result, by the scales of the request or else of the problem.
Tolerance tolerance_of(const Problem& problem, const Request& request);

}  // namespace lento
