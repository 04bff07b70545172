/// The true motion at several scales, for the report: over the whole run as the band that the vibration fills, about a
/// few times in ever shorter pieces, down to single vibrations.
///
/// Where the vibration changes slowly it is looked at a few times along a piece and interpolated between looks
/// (`Solution::reconstruction_between`), or once at each point of the band; where a picture would show the difference,
/// at every point.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <span>

#include "base/number.hpp"
#include "model_run.hpp"

namespace lento::app {
namespace {

constexpr std::size_t points_of_piece = 33;
constexpr double points_a_vibration = 24;
constexpr double few_vibrations = 64;       // that a chart of the whole run shows singly
constexpr std::size_t points_of_band = 10;  // in a vibration
constexpr double closer = 8;                // from one piece to the next shorter one
constexpr double seconds_for_whole = 0.3;
constexpr double seconds_for_pieces = 0.7;
constexpr std::size_t most_dimension = 400;
constexpr std::size_t most_columns = 24;
constexpr std::size_t most_points_of_whole = 201;
constexpr double most_vibrations = 16;

/// Where pieces lie, the more telling ones first.
constexpr double places[] = {0.5, 0, 1, 0.25, 0.75, 0.125, 0.875};

bool is_known(const Solution& solution, double t) {
    return solution.trajectory().covers(t) || t == solution.final_state().t;
}

/// Whether the slow motion is the true one.
bool is_truth(const Solution& solution) {
    return solution.record().slow_is == name_of(SlowMeaning::true_motion);
}

/// The highest value of a curve through points of one period, by the parabola through the highest and its neighbours.
double peak(std::span<const double> values) {
    const auto highest = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
    const double before = values[(highest + values.size() - 1) % values.size()];
    const double after = values[(highest + 1) % values.size()];
    const double here = values[highest];
    const double bend = 2 * here - before - after;
    return bend > 0 ? here + (after - before) * (after - before) / (8 * bend) : here;
}

struct Piece {
    double from, to;
    std::size_t count;
    bool resolved;  // single vibrations, not the band

    double at(std::size_t k) const {
        return k + 1 == count ? to : from + (to - from) * (static_cast<double>(k) / static_cast<double>(count - 1));
    }
};

/// How closely is looked: less where a look at the true motion takes long.
struct Density {
    std::size_t points_of_whole = most_points_of_whole;
    double vibrations = most_vibrations;  // that are shown singly
};

/// How the vibration along a piece is seen.
struct Sight {
    Interval piece{};
    Reconstruction along{};    ///< from a few looks; none where it changes too much between them
    bool same_within = false;  ///< a vibration: one look shows it
    bool takes_long = false;   ///< where every point needs a look
};

/// When to stop looking, in time of the processor: a busy machine shows the same.
std::clock_t after(double seconds) {
    return std::clock() + static_cast<std::clock_t>(seconds * CLOCKS_PER_SEC);
}

class CloserLook {
public:
    CloserLook(const LoadedModel& loaded, const Request& request)
        : loaded_(&loaded), interval_{request.t_start, request.t_end}, period_(loaded.fastest_period()) {
        if (loaded.problem.dimension() <= most_dimension) {
            columns_ = std::min(most_columns, loaded.model.columns().size());
        }
    }

    Recorder::Keep keep() const {
        if (columns_ == 0 || !(interval_.length() > 0) || !std::isfinite(interval_.length())) {
            return Recorder::Keep::nothing;
        }
        std::vector<Interval> windows;
        // NOTE: where the period will only be found, steps about the points are kept: they are longer than it.
        const double half = period_.value_or(0) / 2;
        for (const auto& piece : pieces(period_.value_or(interval_.length() / few_vibrations / 2), interval_.to, {})) {
            if (piece.resolved) {
                windows.push_back({piece.from, piece.to});
                continue;
            }
            for (std::size_t k = 0; k < piece.count; ++k) {
                windows.push_back({piece.at(k) - half, piece.at(k) + half});
            }
        }
        std::ranges::sort(windows, {}, &Interval::from);
        std::vector<Interval> apart;
        for (const auto& window : windows) {
            if (!apart.empty() && window.from <= apart.back().to) {
                apart.back().to = std::max(apart.back().to, window.to);
            } else {
                apart.push_back(window);
            }
        }
        return Recorder::Keep::windows(std::move(apart));
    }

    std::optional<double> period(const Solution& solution) const {
        if (period_) {
            return period_;
        }
        const auto* option = model::found(solution.record().options, "period", &UsedOption::name);
        const double found = option == nullptr ? 0 : std::strtod(option->value.c_str(), nullptr);
        return found > 0 ? std::optional(found) : std::nullopt;
    }

    std::vector<Level> levels(const Solution& solution, const std::optional<Interval>& extra) const {
        const auto period = this->period(solution);
        const double reached = solution.record().t_end;
        const bool has_truth = solution.has_fast() || is_truth(solution);
        if (columns_ == 0 || !period || !has_truth || !(reached > interval_.from) ||
            *period > (reached - interval_.from)) {
            return {};
        }
        auto wanted = pieces(*period, reached, density(*period, solution));
        Sight sight;
        if (extra && extra->to <= reached) {
            const double count = std::clamp(points_a_vibration * extra->length() / *period, 200.0, 2000.0);
            wanted.insert(wanted.begin() + 1, Piece{extra->from, extra->to, static_cast<std::size_t>(count), true});
        }
        // NOTE: where a look at the whole takes all the time, shorter pieces get as much again.
        constexpr double patience = 3;
        std::vector<Level> found;
        const auto for_whole = after(patience * seconds_for_whole);
        sight = sight_of(wanted.front(), *period, solution);
        found.push_back(level(wanted.front(), sight, *period, solution, for_whole).value_or(Level{}));
        const auto deadline = after(patience * seconds_for_pieces);
        for (std::size_t k = 1; k < wanted.size(); ++k) {
            if (!sight.along || wanted[k].from < sight.piece.from || wanted[k].to > sight.piece.to) {
                sight = sight_of(wanted[k], *period, solution);
            }
            if (auto next = level(wanted[k], sight, *period, solution, deadline)) {
                found.push_back(std::move(*next));
            }
        }
        return found.size() == 1 && found.front().columns.empty() ? std::vector<Level>() : found;
    }

private:
    /// The whole run, then pieces about each place, each within the one before, down to single vibrations; in runs of
    /// few vibrations only the whole.
    std::vector<Piece> pieces(double period, double reached, const Density& density) const {
        const double length = reached - interval_.from;
        if (length <= few_vibrations * period) {
            const auto count = static_cast<std::size_t>(points_a_vibration * length / period);
            return {{interval_.from, reached, std::max(most_points_of_whole, count), true}};
        }
        std::vector<Piece> list{{interval_.from, reached, density.points_of_whole, false}};
        for (const double place : places) {
            const auto about = [&](double width, std::size_t count, bool resolved) {
                const double from =
                    std::clamp(interval_.from + place * length - width / 2, interval_.from, reached - width);
                list.push_back({from, from + width, count, resolved});
            };
            for (double width = length / closer; width > 2 * most_vibrations * period; width /= closer) {
                about(width, points_of_piece, false);
            }
            about(density.vibrations * period, static_cast<std::size_t>(points_a_vibration * density.vibrations) + 1,
                  true);
        }
        return list;
    }

    std::vector<double> truth_at(const Solution& solution, double t, const Reconstruction& seen = {}) const {
        const auto slow = solution.slow(t);
        return loaded_->model.row(is_truth(solution) ? slow : seen ? seen(slow) : solution.reconstruct(slow));
    }

    /// The vibration from looks at these times, if a picture of no column shows the difference at others.
    Reconstruction from_looks(const Solution& solution, std::span<const double> looks,
                              std::span<const double> others) const {
        const auto known = [&](double t) { return is_known(solution, t); };
        if (!std::ranges::all_of(looks, known) || !std::ranges::all_of(others, known)) {
            return {};
        }
        const auto slow = [&](double t) { return solution.slow(t); };
        const auto states = model::mapped(looks, slow);
        auto seen = solution.reconstruction_between(states);
        if (!seen) {
            return {};
        }
        // Per column: how far the true motion is from the slow one, and what is seen from the true one; its size.
        std::vector<double> swing(columns_), off(columns_), size(columns_);
        const auto compare = [&](std::vector<double>& widest, const std::vector<double>& a,
                                 const std::vector<double>& b) {
            for (std::size_t i = 0; i < columns_; ++i) {
                widest[i] = larger(widest[i], std::abs(a[i] - b[i]));
                size[i] = larger(size[i], std::abs(a[i]));
            }
        };
        const auto row = [&](const Snapshot& state) { return loaded_->model.row(state); };
        for (const auto& state : states) {
            compare(swing, row(seen(state)), row(state));
        }
        for (const auto& state : model::mapped(others, slow)) {
            const auto truth = row(solution.reconstruct(state));
            compare(swing, truth, row(state));
            compare(off, truth, row(seen(state)));
        }
        constexpr double unseen = 3e-4;     // of the swing: a tenth of a pixel of a chart
        constexpr double rounding = 1e-14;  // of what does not swing
        for (std::size_t i = 0; i < columns_; ++i) {
            if (!(off[i] <= unseen * swing[i] + rounding * size[i])) {
                return {};
            }
        }
        return seen;
    }

    Sight sight_of(const Piece& piece, double period, const Solution& solution) const {
        constexpr std::size_t looks = 9;  // equally spaced, at points of the band
        const double length = piece.to - piece.from;
        const auto at = [&](double share) { return piece.from + length * share; };
        std::vector<double> times;
        for (std::size_t k = 0; k + 1 < looks; ++k) {
            times.push_back(at(static_cast<double>(k) / (looks - 1)));
        }
        times.push_back(piece.to);
        Sight sight{{piece.from, piece.to}, from_looks(solution, times, {{at(1.0 / 16), at(9.0 / 16), at(15.0 / 16)}})};
        if (!sight.along && !piece.resolved) {
            const auto same_about = [&](double t) {
                t = std::clamp(t, piece.from + period / 2, piece.to - period / 2);
                return static_cast<bool>(from_looks(solution, {{t}}, {{t - period / 2, t + period / 4}}));
            };
            sight.same_within = std::ranges::all_of(times, same_about);
        }
        sight.takes_long = !sight.along && !sight.same_within && !is_truth(solution);
        return sight;
    }

    /// What a look at the true motion takes, in seconds: from microseconds to milliseconds.
    double price_of_look(double period, const Solution& solution) const {
        if (is_truth(solution)) {
            return 0;
        }
        if (solution.reconstruction_between({})) {  // told by the model: every run of it shows the same
            constexpr double seconds_an_operation = 5e-9;
            constexpr double evaluations = 100;
            return seconds_an_operation * evaluations * static_cast<double>(loaded_->model.operations());
        }
        const double middle = interval_.from + (solution.record().t_end - interval_.from) / 2;
        constexpr int looks = 5;
        std::clock_t began = 0;
        for (int k = 0; k < looks; ++k) {
            const double t = middle + period * k / looks;
            if (!is_known(solution, t)) {
                return 0;
            }
            (void)truth_at(solution, t);
            began = k == 0 ? std::clock() : began;  // the first one may compile
        }
        return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC / (looks - 1);
    }

    Density density(double period, const Solution& solution) const {
        const double price = price_of_look(period, solution);
        const std::size_t looks_a_point = solution.reconstruction_between({}) ? 1 : points_of_band;
        Density density;
        for (const std::size_t every : {2U, 4U, 5U, 8U}) {
            if (price * static_cast<double>(density.points_of_whole * looks_a_point) > seconds_for_whole) {
                density.points_of_whole = (most_points_of_whole - 1) / every + 1;
            }
        }
        if (price * points_a_vibration * most_vibrations * std::size(places) > seconds_for_pieces) {
            density.vibrations = most_vibrations / 4;
        }
        return density;
    }

    /// None where a step was not kept, or time is over.
    std::optional<Level> level(const Piece& piece, const Sight& sight, double period, const Solution& solution,
                               std::clock_t deadline) const {
        Level level{piece.from, piece.to, piece.count, std::vector<Level::Column>(columns_)};
        const auto append = [&](std::vector<double> Level::Column::*part, const std::vector<double>& row) {
            for (std::size_t i = 0; i < columns_; ++i) {
                (level.columns[i].*part).push_back(row[i]);
            }
        };
        std::vector<std::vector<double>> values(columns_);  // within a vibration
        for (std::size_t k = 0; k < piece.count; ++k) {
            const double t = piece.at(k);
            if (!is_known(solution, t) || (sight.takes_long && std::clock() > deadline)) {
                return {};
            }
            const auto slow = solution.slow(t);
            append(&Level::Column::slow, loaded_->model.slow_row(slow, solution.record(), interval_.from));
            if (piece.resolved) {
                append(&Level::Column::truth, truth_at(solution, t, sight.along));
                continue;
            }
            const auto here = sight.same_within ? solution.reconstruction_between({&slow, 1}) : Reconstruction();
            const auto& seen = here ? here : sight.along;
            const double first = std::clamp(t - period / 2, interval_.from, solution.record().t_end - period);
            std::ranges::for_each(values, [](auto& of_column) { of_column.clear(); });
            for (std::size_t j = 0; j < points_of_band; ++j) {
                const double time = first + period * static_cast<double>(j) / points_of_band;
                if (!is_known(solution, time)) {
                    continue;  // in the step beside the one that was kept
                }
                const auto truth = truth_at(solution, time, seen);
                for (std::size_t i = 0; i < columns_; ++i) {
                    values[i].push_back(truth[i]);
                }
            }
            for (std::size_t i = 0; i < columns_; ++i) {
                if (values[i].empty()) {
                    return {};
                }
                level.columns[i].high.push_back(peak(values[i]));
                std::ranges::transform(values[i], values[i].begin(), std::negate());
                level.columns[i].low.push_back(-peak(values[i]));
            }
        }
        return level;
    }

    const LoadedModel* loaded_;
    Interval interval_;
    std::optional<double> period_;
    std::size_t columns_ = 0;
};

}  // namespace

Recorder::Keep kept_for_closer_look(const LoadedModel& loaded, const Request& request) {
    return CloserLook(loaded, request).keep();
}

void add_levels(const LoadedModel& loaded, const Request& request, const Solution& solution,
                const std::optional<Interval>& extra, RunView& view) {
    const CloserLook look(loaded, request);
    view.period = look.period(solution);
    view.levels = look.levels(solution, extra);
}

}  // namespace lento::app
