/// What listens to a march: samples go to their sink, and the dense output of steps is kept if asked.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "lento/march/sampling.hpp"
#include "lento/step/dense.hpp"

namespace [[gnu::visibility("default")]] lento {

/// The dense output of all steps, one after the other, or of those that were kept.
class Trajectory {
public:
    void append(DenseStep step) { steps_.push_back(std::move(step)); }
    bool empty() const { return steps_.empty(); }
    double from() const { return steps_.front().from(); }
    double to() const { return steps_.back().to(); }
    const std::vector<DenseStep>& steps() const { return steps_; }

    /// Whether there is a step about t.
    bool covers(double t) const;
    /// y(t); where no step covers t this is Misuse.
    std::vector<double> value(double t) const;

private:
    std::vector<DenseStep>::const_iterator about(double t) const;

    std::vector<DenseStep> steps_;
};

/// Listens to a march: feeds the samples to their sink and keeps the dense output if asked.
class Recorder {
public:
    /// Which steps.
    class Keep {
    public:
        static const Keep everything, nothing;
        /// Those that meet one of the intervals, which are in order and may be points: memory stays constant.
        static Keep windows(std::vector<Interval> intervals) { return {false, std::move(intervals)}; }

        bool meets(double from, double to) const;

    private:
        Keep(bool all, std::vector<Interval> windows) : all_(all), windows_(std::move(windows)) {}

        bool all_;
        std::vector<Interval> windows_;
    };

    Recorder(Interval interval, std::size_t samples, SampleSink sink, Keep keep, std::function<void(double)> progress)
        : sampler_(interval, samples, std::move(sink)),
          keep_(std::move(keep)),
          progress_(std::move(progress)),
          reached_(interval.from) {}

    void begin(std::span<const double> y) { sampler_.begin(y); }
    bool wants(double to) {
        if (progress_) {
            progress_(to);
        }
        return keep_.meets(std::exchange(reached_, to), to) || sampler_.wants(to);
    }
    void take(DenseStep dense) {
        sampler_.take(dense);
        if (keep_.meets(dense.from(), dense.to())) {
            trajectory_.append(std::move(dense));
        }
    }
    Trajectory trajectory() && { return std::move(trajectory_); }

private:
    Sampler sampler_;
    Keep keep_;
    std::function<void(double)> progress_;
    double reached_;
    Trajectory trajectory_;
};

inline const Recorder::Keep Recorder::Keep::everything{true, {}};
inline const Recorder::Keep Recorder::Keep::nothing{false, {}};

}  // namespace lento
