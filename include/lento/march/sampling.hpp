/// Equally spaced samples of a march, both ends included, streamed to a sink: memory stays constant however long the
/// run.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "lento/march/result.hpp"
#include "lento/step/dense.hpp"

namespace [[gnu::visibility("default")]] lento {

/// Receives the slow state y = (x, v) at time t.
using SampleSink = std::function<void(double t, std::span<const double> y)>;

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

}  // namespace lento
