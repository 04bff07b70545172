/// The true motion at several scales, for the report: over the whole run as the band that the vibration fills, and about a few times in
/// ever shorter pieces, down to single vibrations.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lento/march/result.hpp"
#include "lento/output/run_view.hpp"
#include "loaded_model.hpp"

namespace lento::app {

class CloserLook {
public:
    /// Of the run that is asked for, before it is made.
    CloserLook(const LoadedModel& loaded, const Request& request);

    /// What has to be kept of the solution: the steps about the times to be shown.
    Recorder::Keep keep() const;

    /// As much of it as there is, within some time. `extra` is shown too.
    std::vector<Level> levels(const Solution& solution, const std::optional<Interval>& extra) const;
    std::optional<double> period(const Solution& solution) const;

private:
    struct Piece {
        double from, to;
        std::size_t count;
        bool resolved;  // single vibrations, not the band
    };

    std::vector<Piece> pieces(double period, double reached) const;
    /// When to stop looking.
    class Deadline {
    public:
        explicit Deadline(double seconds)
            : end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {
        }
        bool over() const { return Clock::now() > end_; }

    private:
        using Clock = std::chrono::steady_clock;
        Clock::time_point end_;
    };

    std::optional<Level> level(const Piece& piece, double period, const Solution& solution,
                               const Deadline& deadline) const;

    const LoadedModel* loaded_;
    Interval interval_;
    std::string method_;
    std::optional<double> period_;
    std::size_t columns_;
};

}  // namespace lento::app
