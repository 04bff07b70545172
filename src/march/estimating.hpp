/// A march that estimates its own error: over the whole run, coarsely and then finely. What the two differ by tells
/// what the second is wrong by; as long as that is more than the tolerance, another one follows, with a tolerance for
/// its steps made smaller by as much.
///
/// The passes may be of any kind. All of them leave their states at the same times, those that a user wants among them.
#pragma once

#include <limits>
#include <optional>

#include "march/sample_store.hpp"
#include "march/stoermer_cowell.hpp"

namespace lento {

/// One march over the run.
struct Pass {
    MarchResult result{};
    Trajectory trajectory{};                   ///< of the steps that are kept
    SampleStore samples{};                     ///< at equal distances
    std::vector<std::vector<double>> looks{};  ///< at the true motion, where samples are not that
    std::vector<double> final_state{};
    std::vector<double> scales{};  ///< the largest |y_i|
    double tightness = 1;     ///< the share of the tolerance that a step was allowed; more than was asked: rounding
    double local_errors = 0;  ///< their sum, over the tolerance; of multistep passes
    std::int64_t evaluations = 0;  ///< of the force, where passes are told apart by them
};

class EstimatingMarch {
public:
    /// `wanted` samples are wanted, if any; there are others between them, so many that errors show.
    EstimatingMarch(Interval interval, Tolerance tolerance, std::size_t wanted);

    std::size_t samples() const { return samples_; }
    /// Of sample k.
    double time(std::size_t k) const;
    using Change = std::function<void(double t, std::vector<double>& y)>;
    /// Gives a sink the samples that are wanted, after `complete` where there is one.
    void send(const Pass& pass, const SampleSink& sink, const Change& complete = {}) const;

    /// atol + rtol max|y_i|, with atol by the scale of y_i
    double tolerance(std::size_t i, std::span<const double> sizes) const { return tolerance_.of(i, sizes[i]); }
    /// The largest of errors over their tolerances.
    double excess(std::span<const double> errors, std::span<const double> scales) const;
    /// The largest difference of each component at the same times, at most `most` of them; as `seen` shows the states.
    std::vector<double> differences(const Pass& one, const Pass& other,
                                    std::size_t most = std::numeric_limits<std::size_t>::max(),
                                    const Change& seen = {}) const;

    /// A pass by a multistep method.
    struct Surroundings {
        Recorder::Keep keep = Recorder::Keep::nothing;
        std::function<void(double t)> progress{};
        std::stop_token stop{};
    };
    Pass multistep(MultistepForce& force, const MultistepStart& start, const MultistepLimits& limits, double tightness,
                   const Surroundings& surroundings) const;

    /// How tight passes are.
    struct Schedule {
        double first = 0.01;          ///< tightness of the second pass
        double looser = 3;            ///< the first pass by so much
        std::optional<double> sum{};  ///< of the local errors that the second pass is to have, instead of `first`
        double least = 0;             ///< below it there is only rounding
        double most_tighter = 1e-2;   ///< from one pass to the next
        int most = 5;                 ///< passes after the first; none: no estimate
        enum class Steps { chosen, given } steps = Steps::chosen;  ///< given: two passes, whatever comes of the first
    };
    struct Passes {
        std::function<Pass(double tightness)> march{};
        std::function<void(const Pass& first)> prepare{};  ///< the others, by what the first tells; may be missing
        std::function<std::vector<double>(const Pass& coarse, const Pass& fine)> errors{};  ///< of the finer
    };
    struct Estimated {
        Pass pass{};                   ///< the last one
        std::vector<double> errors{};  ///< of its components, the largest over the run; empty: not known
        double excess = HUGE_VAL;      ///< of them over the tolerance
    };
    /// Where a pass ends early, it is the last one. Where its steps became too short (not_converged), less is tried.
    Estimated run(const Schedule& schedule, const Passes& passes) const;

private:
    Interval interval_;
    Tolerance tolerance_;
    std::size_t every_;  // sample is wanted
    std::size_t samples_;
};

}  // namespace lento
