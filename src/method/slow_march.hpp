/// Marches of a slow motion x'' = a(t, x, v) that are to be compared with each other: by any macro-solver, from a start of their own, with
/// their states at the same times.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lento/run/macro.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// One march over the run.
struct SlowPass {
    MarchResult result{};
    Trajectory trajectory{};  ///< if everything is kept
    std::vector<std::vector<double>>
        samples{};  ///< y = (x, v) at equal distances: those wanted, and so many more that errors show
    std::vector<double> final_state{};
    std::vector<double> scales{};  ///< the largest |y_i| among the samples
};

/// The solvers of systems with coordinates and stoermer-cowell, which is the usual one.
MacroChoice slow_march_choice(const Request& request);

class SlowMarch {
public:
    SlowMarch(const Request& request, MacroChoice choice);

    /// Local errors are held to `tightness` times the tolerance asked for; fixed steps are `longer` times as long.
    SlowPass run(const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer) const;

    /// The largest difference of each component at the same times.
    std::vector<double> differences(const SlowPass& one, const SlowPass& other) const;

    /// Gives the sink of the request its samples.
    void send_samples(const SlowPass& pass) const;

    const MacroChoice& choice() const { return choice_; }

private:
    double time(std::size_t k) const;

    const Request* request_;
    MacroChoice choice_;
    std::size_t samples_;
};

}  // namespace lento
