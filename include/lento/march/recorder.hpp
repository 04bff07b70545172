/// What a march is given, slow right-hand sides, and what listens to it: samples to a sink, dense output if asked.
#pragma once

#include <functional>
#include <utility>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"

namespace [[gnu::visibility("default")]] lento {

/// Any average, as the acceleration of the slow motion. Behind the acceleration there may be room for more, which the
/// march keeps beside the motion: the mean multipliers of a constrained system.
using AveragedAcceleration =
    std::function<void(double t, std::span<const double> x, std::span<const double> v, std::span<double> a)>;

/// y' = rate(t, y).
using FirstOrderRate = std::function<void(double t, std::span<const double> y, std::span<double> rate)>;

/// What listens to a march: asked before each step's dense output is made, then given it.
struct StepListener {
    std::function<bool(double to)> wants{};
    std::function<void(DenseStep)> take{};
};

/// Receives the slow state y = (x, v) at time t.
using SampleSink = std::function<void(double t, std::span<const double> y)>;

/// Equally spaced samples of a march, both ends included, streamed to a sink: memory stays constant on long runs.
class Sampler {
public:
    Sampler(Interval interval, std::size_t samples, SampleSink sink)
        : interval_(interval), samples_(samples), sink_(std::move(sink)) {}

    /// The start is not the end of any step.
    void begin(std::span<const double> y) {
        if (samples_ > 0 && sink_) {
            sink_(interval_.from, y);
            next_ = 1;
        }
    }
    bool wants(double to) const { return sink_ && next_ < samples_ && time(next_) <= to; }
    void take(const DenseStep& dense) {
        values_.resize(dense.dimension());
        for (; wants(dense.to()); ++next_) {
            dense.value(time(next_), values_);
            sink_(time(next_), values_);
        }
    }

private:
    double time(std::size_t k) const {
        if (k + 1 == samples_) {
            return interval_.to;
        }
        return interval_.from + interval_.length() * static_cast<double>(k) / static_cast<double>(samples_ - 1);
    }

    Interval interval_;
    std::size_t samples_;
    SampleSink sink_;
    std::size_t next_ = 0;
    std::vector<double> values_;
};

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
