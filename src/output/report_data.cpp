#include "output/report_data.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <variant>
#include "lento/run/method.hpp"

#include "output/page.hpp"

namespace lento {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_points = 2000;     // of a curve
constexpr std::size_t most_numbers = 60'000;  // of all curves of the whole run
constexpr std::size_t most_columns = 200;

/// A series at no more points than a chart can show; where points were left out, with the lowest and highest of them.
class Thinned {
public:
    Thinned(const Series& series, std::size_t columns) : series_(series) {
        const std::size_t most =
            std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(1, columns), 50, most_points);
        size_ = series.t.size();
        stride_ = (size_ + most - 1) / most;
        stride_ = std::max<std::size_t>(1, stride_);
        for (std::size_t k = 0; k < size_; k += stride_) {
            picks_.push_back(std::min(k + stride_ / 2, size_ - 1));
        }
        if (stride_ > 1 && !picks_.empty()) {
            picks_.front() = 0;
            picks_.back() = size_ - 1;
        }
    }
    bool thinned() const { return stride_ > 1; }
    std::size_t size() const { return picks_.size(); }
    double t(std::size_t k) const { return series_.t[picks_[k]]; }
    double value(std::size_t k, std::size_t column) const { return series_.rows[picks_[k]][column]; }
    double extreme(std::size_t k, std::size_t column, bool high) const {
        double found = value(k, column);
        for (std::size_t i = k * stride_; i < std::min(size_, (k + 1) * stride_); ++i) {
            const double next = series_.rows[i][column];
            found = high ? std::max(found, next) : std::min(found, next);
        }
        return found;
    }

private:
    const Series& series_;
    std::size_t size_ = 0, stride_ = 1;
    std::vector<std::size_t> picks_;
};

/// Numbers as whole steps from a base: short, and as exact as a picture of this range needs. Where some blew up, and steps over the range would
/// leave nothing of the others, as they are.
class Quantized {
public:
    explicit Quantized(std::initializer_list<const std::vector<double>*> lists) {
        std::vector<double> sizes;
        double low = HUGE_VAL;
        double high = -HUGE_VAL;
        for (const auto* list : lists) {
            for (const double value : *list) {
                if (std::isfinite(value)) {
                    low = std::min(low, value);
                    high = std::max(high, value);
                    sizes.push_back(std::abs(value));
                }
            }
        }
        if (sizes.empty()) {
            return;
        }
        constexpr double blown_up = 1e4;
        std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2));
        if (std::max(std::abs(low), std::abs(high)) > blown_up * sizes[sizes.size() / 2]) {
            return;
        }
        constexpr double steps = 50'000;
        base_ = low;
        step_ = high > low ? (high - low) / steps : std::max(std::abs(low) * 1e-16, 1e-300);
    }
    Json base() const { return base_; }
    Json step() const { return step_.value_or(1); }
    Json operator()(const std::vector<double>& list) const {
        Json numbers = Json::array();
        for (const double value : list) {
            numbers.push_back(!std::isfinite(value) || !step_
                                  ? page::rounded(value)
                                  : Json(static_cast<std::int64_t>(std::llround((value - base_) / *step_))));
        }
        return numbers;
    }

private:
    double base_ = 0;
    std::optional<double> step_;  // none: numbers as they are
};

Json column_json(const Level::Column& column) {
    const Quantized numbers{&column.slow, &column.low, &column.high, &column.truth};
    Json json{{"base", numbers.base()}, {"step", numbers.step()}, {"slow", numbers(column.slow)}};
    if (!column.low.empty()) {
        json["low"] = numbers(column.low);
        json["high"] = numbers(column.high);
    }
    if (!column.truth.empty()) {
        json["true"] = numbers(column.truth);
    }
    return json;
}

Json level_json(const RunOutput& output, const Level& level) {
    Json columns = Json::object();
    for (std::size_t i = 0; i < level.columns.size(); ++i) {
        columns[output.slow.names[i]] = column_json(level.columns[i]);
    }
    return {{"from", level.from}, {"to", level.to}, {"count", level.count}, {"columns", std::move(columns)}};
}

/// A level's value at t, straight between its points.
double between(const Level& level, const std::vector<double>& values, double t) {
    const double share = (t - level.from) / (level.to - level.from) * static_cast<double>(level.count - 1);
    const auto k = static_cast<std::size_t>(std::clamp(share, 0.0, static_cast<double>(level.count - 2)));
    const double part = std::clamp(share - static_cast<double>(k), 0.0, 1.0);
    return values[k] + part * (values[k + 1] - values[k]);
}

/// The samples, with the band that the vibration fills where it is known.
Json whole_run(const RunOutput& output, std::size_t columns) {
    const Thinned samples(output.slow, columns);
    Json t = Json::array();
    for (std::size_t k = 0; k < samples.size(); ++k) {
        t.push_back(samples.t(k));
    }
    Json json = Json::object();
    const Level* look = output.view.levels.empty() ? nullptr : &output.view.levels.front();
    for (std::size_t i = 0; i < columns; ++i) {
        Level::Column column;
        const bool band = look != nullptr && i < look->columns.size() && !look->columns[i].low.empty();
        for (std::size_t k = 0; k < samples.size(); ++k) {
            const double value = samples.value(k, i);
            column.slow.push_back(value);
            if (band) {
                // NOTE: where the slow solution is the true one it jumps about within the band.
                const auto& source = look->columns[i];
                const bool true_itself = output.record.slow_is == name_of(SlowMeaning::true_motion);
                const double slow = true_itself ? 0.0 : value - between(*look, source.slow, samples.t(k));
                column.low.push_back(slow + between(*look, source.low, samples.t(k)));
                column.high.push_back(slow + between(*look, source.high, samples.t(k)));
            } else if (samples.thinned()) {
                column.low.push_back(samples.extreme(k, i, false));
                column.high.push_back(samples.extreme(k, i, true));
            }
        }
        json[output.slow.names[i]] = column_json(column);
    }
    return {{"from", samples.t(0)},
            {"to", samples.t(samples.size() - 1)},
            {"count", samples.size()},
            {"t", std::move(t)},
            {"columns", std::move(json)}};
}

Json end_json(const Mechanism::End& end) {
    if (const auto* place = std::get_if<std::array<double, 2>>(&end)) {
        return Json::array({(*place)[0], (*place)[1]});
    }
    return std::get<std::size_t>(end);
}

Json mechanism_json(const RunOutput& output, const Mechanism& mechanism) {
    Json points = Json::array();
    for (const auto& point : mechanism.points) {
        points.push_back({output.slow.names[point[0]], output.slow.names[point[1]]});
    }
    Json links = Json::array();
    for (const auto& link : mechanism.links) {
        links.push_back({{"kind", link.kind == Mechanism::Link::Kind::rod ? "rod" : "spring"},
                         {"from", end_json(link.from)},
                         {"to", end_json(link.to)}});
    }
    return {{"points", std::move(points)}, {"links", std::move(links)}};
}

}  // namespace

Json report_data(const RunOutput& output) {
    const std::size_t columns = std::min(most_columns, output.slow.names.size());
    Json data{{"columns", std::vector<std::string>(output.slow.names.begin(),
                                                   output.slow.names.begin() + static_cast<std::ptrdiff_t>(columns))},
              {"slow_label", output.record.slow_is == name_of(SlowMeaning::true_motion) ? "solution" : "slow"},
              {"period", output.view.period ? Json(*output.view.period) : Json(nullptr)}};
    Json levels = Json::array();
    if (!output.slow.t.empty()) {
        levels.push_back(whole_run(output, columns));
    }
    double shortest = output.slow.t.empty() ? 1 : (output.slow.t.back() - output.slow.t.front()) / 100;
    for (std::size_t k = 0; k < output.view.levels.size(); ++k) {
        const auto& level = output.view.levels[k];
        // NOTE: what the first one says of the whole run stands with the samples already, unless it is the true motion.
        if (level.columns.empty() || (k == 0 && level.columns[0].truth.empty())) {
            continue;
        }
        levels.push_back(level_json(output, level));
        shortest = std::min(shortest, (level.to - level.from) / 40);
    }
    data["shortest"] = shortest;
    data["levels"] = std::move(levels);
    const auto charts = [](const std::vector<Chart>& list) {
        Json json = Json::array();
        for (const auto& chart : list) {
            json.push_back(page::chart_json(chart));
        }
        return json;
    };
    data["charts"] = {{"course", charts(output.view.course)}, {"comparison", charts(output.view.comparison)}};
    if (output.view.mechanism) {
        const auto fits = [&](const auto& point) { return point[0] < columns && point[1] < columns; };
        if (std::ranges::all_of(output.view.mechanism->points, fits)) {
            data["mechanism"] = mechanism_json(output, *output.view.mechanism);
        }
    }
    return data;
}

}  // namespace lento
