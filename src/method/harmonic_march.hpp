/// The slow motion of a harmonic average by multistep formulas, twice: the second time more finely, to know the error of the second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "average/harmonic.hpp"
#include "lento/march/result.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"
#include "method/harmonic_start.hpp"

namespace lento {

/// One march over the run.
struct HarmonicPass {
    MarchResult result{};
    Trajectory trajectory{};  ///< if everything is kept
    std::vector<std::vector<double>>
        samples{};  ///< at equal distances, as many as are wanted; at least so many that errors show
    std::vector<double> final_state{}, scales{};
    double local_errors = 0;  ///< their sum, over the tolerance asked for
    double tightness = 1;     ///< the share of that tolerance that a step was allowed

    /// Where a between the phases of the grid was farthest from its interpolation, in a march that watched it.
    struct Doubt {
        double t = 0, size = -1;  ///< over the tolerance
        std::vector<double> state{};
    } doubt{};
};

class HarmonicMarch {
public:
    HarmonicMarch(HarmonicAverage& average, const HarmonicPlan& plan, const Request& request);

    /// One that watches looks between the phases of the grid too, at one phase a step.
    enum class Watch { no, yes };
    HarmonicPass run(double tightness, std::span<const double> scales, Watch watch);

    /// How wrong each component of the second is, at worst over the run: the difference of both is what the first is wrong by, and both
    /// grow from what they leave out in the same way. `defect` is what the average leaves out.
    std::vector<double> errors(const HarmonicPass& coarse, const HarmonicPass& fine, const Defect& defect) const;

    /// The shortest step with which slow derivatives are known from the past.
    double shortest_step() const;
    /// Of sample k.
    double time(std::size_t k) const;
    std::size_t samples() const { return samples_; }
    /// atol + rtol max|y_i|
    double tolerance(std::size_t i, std::span<const double> scales) const;

private:
    std::vector<double> largest_differences(const HarmonicPass& coarse, const HarmonicPass& fine) const;

    HarmonicAverage* average_;
    const HarmonicPlan* plan_;
    const Request* request_;
    std::size_t samples_ = 0;
};

}  // namespace lento
