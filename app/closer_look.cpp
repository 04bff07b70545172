#include "closer_look.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lento::app {
namespace {

constexpr std::size_t points_of_whole = 201;
constexpr std::size_t points_of_piece = 33;
constexpr double points_a_vibration = 24;
constexpr double vibrations_resolved = 16;
constexpr double few_vibrations = 64;  // that a chart of the whole run shows singly
constexpr int points_of_band = 10;     // in a vibration
constexpr double closer = 8;           // from one piece to the next shorter one
constexpr double most_seconds = 0.5;
constexpr std::size_t most_dimension = 400;
constexpr std::size_t most_columns = 24;

/// Where pieces lie, the more telling ones first.
constexpr double places[] = {0.5, 0, 1, 0.25, 0.75, 0.125, 0.875};

}  // namespace

CloserLook::CloserLook(const LoadedModel& loaded, const Request& request)
    : loaded_(&loaded),
      interval_{request.t_start, request.t_end},
      method_(request.method),
      period_(loaded.fastest_period()),
      columns_(loaded.model().dimension() > most_dimension ? 0 : std::min(most_columns, loaded.columns().size())) {}

/// The whole run, then pieces about each place, the longest first; in runs of few vibrations only the whole.
std::vector<CloserLook::Piece> CloserLook::pieces(double period, double reached) const {
    const double length = reached - interval_.from;
    if (length <= few_vibrations * period) {
        const auto count = static_cast<std::size_t>(points_a_vibration * length / period);
        return {{interval_.from, reached, std::max(points_of_whole, count), true}};
    }
    std::vector<Piece> list{{interval_.from, reached, points_of_whole, false}};
    for (const double place : places) {
        const auto about = [&](double width, std::size_t count, bool resolved) {
            const double from =
                std::clamp(interval_.from + place * length - width / 2, interval_.from, reached - width);
            list.push_back({from, from + width, count, resolved});
        };
        const double shortest = vibrations_resolved * period;
        for (double width = length / closer; width > 2 * shortest; width /= closer) {
            about(width, points_of_piece, false);
        }
        about(shortest, static_cast<std::size_t>(points_a_vibration * vibrations_resolved) + 1, true);
    }
    return list;
}

Recorder::Keep CloserLook::keep() const {
    if (columns_ == 0 || !(interval_.length() > 0) || !std::isfinite(interval_.length())) {
        return Recorder::Keep::nothing;
    }
    std::vector<Interval> windows;
    // NOTE: where the period will only be found, steps about the points are kept: they are longer than it.
    const double half = period_.value_or(0) / 2;
    for (const auto& piece : pieces(period_.value_or(interval_.length() / few_vibrations / 2), interval_.to)) {
        if (piece.resolved) {
            windows.push_back({piece.from, piece.to});
            continue;
        }
        for (std::size_t k = 0; k < piece.count; ++k) {
            const double t =
                piece.from + (piece.to - piece.from) * static_cast<double>(k) / static_cast<double>(piece.count - 1);
            windows.push_back({t - half, t + half});
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

std::optional<double> CloserLook::period(const Solution& solution) const {
    if (period_) {
        return period_;
    }
    for (const auto& option : solution.record().options) {
        if (option.name == "period") {
            const double found = std::strtod(option.value.c_str(), nullptr);
            return found > 0 ? std::optional(found) : std::nullopt;
        }
    }
    return {};
}

/// None where a step was not kept, or time is over.
std::optional<Level> CloserLook::level(const Piece& piece, double period, const Solution& solution,
                                       const Deadline& deadline) const {
    Level level{piece.from, piece.to, piece.count, std::vector<Level::Column>(columns_)};
    const bool true_itself = solution.record().slow_is == "true";
    const auto known = [&](double t) { return solution.trajectory().covers(t) || t == solution.final_state().t; };
    const auto truth_at = [&](const Snapshot& slow) {
        return true_itself ? loaded_->row(slow) : loaded_->row(solution.reconstruct(slow));
    };
    for (std::size_t k = 0; k < piece.count; ++k) {
        const double share = static_cast<double>(k) / static_cast<double>(piece.count - 1);
        const double t = k + 1 == piece.count ? piece.to : piece.from + (piece.to - piece.from) * share;
        if (!known(t) || deadline.over()) {
            return {};
        }
        const auto slow = solution.slow(t);
        const auto row = loaded_->slow_row(method_, slow);
        std::vector<double> low(columns_, HUGE_VAL);
        std::vector<double> high(columns_, -HUGE_VAL);
        std::vector<double> truth;
        if (piece.resolved) {
            truth = truth_at(slow);
        } else {
            const double first = std::clamp(t - period / 2, interval_.from, solution.record().t_end - period);
            for (int j = 0; j < points_of_band; ++j) {
                const double time = first + period * j / points_of_band;
                if (!known(time)) {
                    return {};
                }
                const auto values = truth_at(solution.slow(time));
                for (std::size_t i = 0; i < columns_; ++i) {
                    low[i] = std::min(low[i], values[i]);
                    high[i] = std::max(high[i], values[i]);
                }
            }
        }
        for (std::size_t i = 0; i < columns_; ++i) {
            auto& column = level.columns[i];
            column.slow.push_back(row[i]);
            if (piece.resolved) {
                column.truth.push_back(truth[i]);
            } else {
                column.low.push_back(low[i] <= high[i] ? low[i] : NAN);
                column.high.push_back(low[i] <= high[i] ? high[i] : NAN);
            }
        }
    }
    return level;
}

std::vector<Level> CloserLook::levels(const Solution& solution, const std::optional<Interval>& extra) const {
    const auto period = this->period(solution);
    const double reached = solution.record().t_end;
    const bool has_truth = solution.has_fast() || solution.record().slow_is == "true";
    if (columns_ == 0 || !period || !has_truth || !(reached > interval_.from) || *period > (reached - interval_.from)) {
        return {};
    }
    auto wanted = pieces(*period, reached);
    if (extra && extra->to <= reached) {
        const double count = std::clamp(points_a_vibration * extra->length() / *period, 200.0, 2000.0);
        wanted.insert(wanted.begin() + 1, Piece{extra->from, extra->to, static_cast<std::size_t>(count), true});
    }
    // NOTE: where a look at the whole takes all the time, shorter pieces get as much again.
    std::vector<Level> found;
    const Deadline for_whole(most_seconds / 2);
    found.push_back(level(wanted.front(), *period, solution, for_whole).value_or(Level{}));
    const Deadline deadline(most_seconds / 2);
    for (std::size_t k = 1; k < wanted.size(); ++k) {
        if (auto next = level(wanted[k], *period, solution, deadline)) {
            found.push_back(std::move(*next));
        }
    }
    return found.size() == 1 && found.front().columns.empty() ? std::vector<Level>() : found;
}

}  // namespace lento::app
