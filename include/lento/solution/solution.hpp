/// The past of a run: the slow motion at any time, the true motion reconstructed from it, what it cost and how it
/// ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/base/outcome.hpp"
#include "lento/base/statistics.hpp"
#include "lento/march/recorder.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Snapshot {
    double t = 0;
    std::vector<double> position{}, velocity{};
    std::vector<double> multipliers{};        ///< of the constraints, if there are any: those of the slow equations
    std::vector<double> total_multipliers{};  ///< the mean of the true ones, as a gauge in a bearing would show it
    std::optional<double> revolutions{};      ///< from the start, where their length is not known beforehand
};

/// A state as marches and sinks know it, y = (position, velocity, multipliers, total multipliers), taken apart.
Snapshot snapshot_of(double t, std::span<const double> y, std::size_t dimension, std::size_t constraints);

/// The true state at time t, from the slow one.
using Reconstruction = std::function<Snapshot(const Snapshot& slow)>;

/// The same from a look at the vibration at each of a few slow states: between them it is interpolated.
using Vibration = std::function<Reconstruction(std::span<const Snapshot> looks)>;

/// Moves an interpolated state y onto the constraints, where there are any, or adds to it.
using Settling = std::function<void(double t, std::vector<double>& y)>;

/// One option as it was used, given or chosen.
struct UsedOption {
    std::string name, value;
};

/// A method that was tried before the one that ran, and how it ended.
struct Tried {
    std::string method;
    Outcome outcome = Outcome::refused;
    std::string why;
};

struct RunRecord {
    std::string method{}, requested_method{};
    std::vector<Tried> tried{};  ///< by `auto`, before this method
    std::string better_by{};     ///< the method that this one leaves the problem to, if it does
    std::string slow_is{};       ///< what the slow solution means: averaged, true, ...
    Outcome outcome = Outcome::completed;
    std::string explanation{};  ///< a sentence a user can act on; empty when completed
    double t_end = 0;           ///< the time reached
    Statistics statistics{};
    std::vector<std::string> warnings{};
    std::vector<UsedOption> options{};
    /// Of the true solution's y = (position, velocity), the largest over the run; empty: not known.
    std::vector<double> error_estimate{};
    /// Of slow variables (all outputs of `SlowFunctions`), where the method follows nothing else; empty: not known.
    std::vector<double> slow_error_estimate{};
    /// Amplitudes of oscillations that the solution omits by definition, of y; empty: none.
    std::vector<double> left_out{};
};

/// What a run beside another found of its error, and what that took.
struct Estimated {
    std::vector<double> errors{}, slow_errors{}, left_out{};  ///< as in RunRecord
    std::optional<std::string> missed{};                      ///< a sentence, where that is above the tolerance
    std::optional<std::string> coarse{};                      ///< a warning, where that tolerance says little
    std::int64_t evaluations = 0;
    double seconds = 0;
};

/// Reading is for one thread at a time: states on constraints are put back on them with work space of the solution.
class Solution {
public:
    Solution(RunRecord record, Trajectory trajectory, Snapshot final_state, Reconstruction reconstruction,
             Settling settling = {}, Vibration vibration = {})
        : record_(std::move(record)),
          trajectory_(std::move(trajectory)),
          final_(std::move(final_state)),
          reconstruction_(std::move(reconstruction)),
          settling_(std::move(settling)),
          vibration_(std::move(vibration)) {}

    /// The same with an option noted.
    Solution with_option(UsedOption option) && {
        record_.options.push_back(std::move(option));
        return std::move(*this);
    }
    /// The same after other methods were tried, which took so many evaluations.
    Solution after(std::vector<Tried> tried, std::int64_t evaluations) &&;
    /// The same with what another run found to be its error.
    Solution with_estimate(Estimated estimated) &&;
    /// The same with states that `completion` adds multipliers to.
    Solution completed_by(Settling completion) &&;

    /// The slow motion. Misuse outside the time reached, or if the run streamed its samples and kept nothing.
    Snapshot slow(double t) const;

    /// A state as its sink was given it.
    Snapshot snapshot(double t, std::span<const double> y) const;

    /// The true motion, reconstructed. Misuse where the method gives none.
    Snapshot fast(double t) const { return reconstruct(slow(t)); }
    bool has_fast() const { return static_cast<bool>(reconstruction_); }
    Snapshot reconstruct(const Snapshot& slow_state) const;
    /// Reconstructs states about a few slow ones, in order of time, from a look at each: with N of them it is wrong by
    /// O(d^N), d how far apart they are over the time in which the vibration changes. For pictures. None where each
    /// state has to be looked at.
    Reconstruction reconstruction_between(std::span<const Snapshot> looks) const;

    /// The slow state at the time reached; kept in any case.
    const Snapshot& final_state() const { return final_; }

    const Trajectory& trajectory() const { return trajectory_; }
    const RunRecord& record() const { return record_; }
    Outcome outcome() const { return record_.outcome; }
    const std::string& explanation() const { return record_.explanation; }
    const Statistics& statistics() const { return record_.statistics; }
    const std::vector<std::string>& warnings() const { return record_.warnings; }

private:
    RunRecord record_;
    Trajectory trajectory_;
    Snapshot final_;
    Reconstruction reconstruction_;
    Settling settling_;
    Vibration vibration_;
};

}  // namespace lento
