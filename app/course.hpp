/// How a run went, as charts: step sizes, constraint residuals, energy, the filter and what it lets through.
#pragma once

#include <cstddef>
#include <vector>

#include "loaded_model.hpp"
#include "output/run_output.hpp"

namespace lento::app {

/// The macro-steps of a run, from the times that it tells as it goes; few of many.
class StepLog {
public:
    explicit StepLog(double t_start) : start_(t_start), last_(t_start) {}

    void operator()(double t);
    Chart chart() const;

private:
    static constexpr std::size_t most = 2000;

    double start_, last_;
    std::size_t every_ = 1, count_ = 0;
    std::vector<double> t_, h_;
};

/// What the samples and options of a run say.
std::vector<Chart> course_charts(const LoadedModel& loaded, const RunOutput& output);

}  // namespace lento::app
