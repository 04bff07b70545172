/// The true motion at several scales, for the report: over the whole run as the band that the vibration fills, and about a few times in
/// ever shorter pieces, down to single vibrations.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "lento/march/result.hpp"
#include "loaded_model.hpp"
#include "output/run_view.hpp"

namespace lento::app {

class CloserLook {
public:
    /// Of the run that is asked for, before it is made.
    CloserLook(const LoadedModel& loaded, const Request& request);

    /// What has to be kept of the solution: the steps about the times to be shown.
    Recorder::Keep keep() const;

    /// As much of it as there is, within a second or two. `extra` is shown too.
    std::vector<Level> levels(const Solution& solution, const std::optional<Interval>& extra) const;
    std::optional<double> period(const Solution& solution) const;

private:
    struct Piece {
        double from, to;
        std::size_t count;
        bool resolved;  // single vibrations, not the band
    };

    /// How closely is looked: less where a look at the true motion takes long.
    struct Density {
        std::size_t points_of_whole = most_points_of_whole;
        double vibrations = most_vibrations;  // that are shown singly
    };
    static constexpr std::size_t most_points_of_whole = 201;
    static constexpr double most_vibrations = 16;

    /// When to stop looking, in time of the processor: a busy machine shows the same.
    class Deadline {
    public:
        explicit Deadline(double seconds) : end_(std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC)) {}
        bool over() const { return std::clock() > end_; }

    private:
        std::clock_t end_;
    };

    std::vector<Piece> pieces(double period, double reached, const Density& density) const;
    Density density(double period, const Solution& solution) const;
    std::vector<double> truth_at(const Solution& solution, double t) const;
    /// None where a step was not kept, or time is over.
    std::optional<Level> level(const Piece& piece, double period, const Solution& solution,
                               const Deadline& deadline) const;

    const LoadedModel* loaded_;
    Interval interval_;
    std::optional<double> period_;
    std::size_t columns_;
};

}  // namespace lento::app
