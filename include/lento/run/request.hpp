/// What a user asks of `lento::solve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "lento/base/options.hpp"
#include "lento/march/recorder.hpp"
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
    Options options{};
    std::size_t samples = 201;                         ///< equally spaced, for the sink
    SampleSink sink{};                                 ///< receives the samples as they come
    Recorder::Keep keep = Recorder::Keep::everything;  ///< for slow(t) and fast(t)
    std::int64_t most_steps = 1'000'000'000;           ///< of an adaptive march, before it ends as budget_exhausted
    std::vector<std::string> notes{};                  ///< to stand before the warnings of the run
    std::stop_token stop{};
    std::function<void(double t)> progress{};  ///< told the time reached, once a macro-step
};

/// Throws Misuse for what no method can run: sizes that do not fit, times in the wrong order, tolerances that are not
/// positive. Returns the request with the velocity filled in.
Request checked(Request request, std::size_t dimension);

}  // namespace lento
