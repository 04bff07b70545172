/// What the charts of a report show, as JSON.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lento/run/method.hpp"
#include "model/mapped.hpp"
#include "output/page.hpp"

namespace lento::page {
namespace {

constexpr std::size_t most_points = 2000;     // of a curve
constexpr std::size_t most_numbers = 60'000;  // of all curves of the whole run
constexpr std::size_t most_columns = 200;

/// A value with few digits, as a picture needs it.
double rounded(double value, int digits) {
    return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Json chart_json(const Chart& chart) {
    const auto numbers = [](std::vector<double> values, int digits) {
        std::ranges::transform(values, values.begin(), [=](double value) { return rounded(value, digits); });
        return values;
    };
    // Charts may show changes that are tiny against the values.
    const auto curves = model::mapped(chart.curves, [&](const Chart::Curve& curve) {
        return Json{{"label", curve.label}, {"x", numbers(curve.x, 9)}, {"y", numbers(curve.y, 13)}};
    });
    return {{"title", chart.title},
            {"x", chart.x},
            {"y", chart.y},
            {"log_x", chart.x_scale == Chart::Scale::logarithmic},
            {"log_y", chart.y_scale == Chart::Scale::logarithmic},
            {"markers", chart.marks == Chart::Marks::points},
            {"curves", curves}};
}

/// Numbers as whole steps from a base: short, and as exact as a picture of this range needs. Where some blew up, and
/// steps over the range would leave nothing of the others, as they are.
Json column_json(const Level::Column& column) {
    std::vector<double> finite;
    for (const auto* list : {&column.slow, &column.low, &column.high, &column.truth}) {
        std::ranges::copy_if(*list, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
    }
    double base = 0;
    std::optional<double> step;  // none: numbers as they are
    if (!finite.empty()) {
        constexpr double blown_up = 1e4;
        constexpr double steps = 50'000;
        const auto size = [](double value) { return std::abs(value); };
        const auto [low, high] = std::ranges::minmax(finite);
        const auto middle = finite.begin() + std::ssize(finite) / 2;
        std::ranges::nth_element(finite, middle, {}, size);
        if (!(std::max(std::abs(low), std::abs(high)) > blown_up * std::abs(*middle))) {
            base = low;
            step = high > low ? (high - low) / steps : std::max(std::abs(low) * 1e-16, 1e-300);
        }
    }
    Json json{{"base", base}, {"step", step.value_or(1)}};
    const auto add = [&](const char* name, const std::vector<double>& list) {
        Json::array_t numbers;
        numbers.reserve(list.size());
        for (const double value : list) {
            if (step && std::isfinite(value)) {
                numbers.emplace_back(std::llround((value - base) / *step));
            } else {
                numbers.emplace_back(rounded(value, 7));
            }
        }
        json[name] = std::move(numbers);
    };
    add("slow", column.slow);
    if (!column.low.empty()) {
        add("low", column.low);
        add("high", column.high);
    }
    if (!column.truth.empty()) {
        add("true", column.truth);
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

/// Of a run, no more samples than a chart can show: one of each few that follow each other, and between which values
/// all of these lie.
struct Thinned {
    std::size_t stride = 1;
    std::vector<double> t;
    std::vector<Level::Column> columns;
};

Thinned thinned(const Series& series, std::size_t columns) {
    SampleStore::Reader rows(series.rows);
    const std::size_t count = rows.size();
    const std::size_t most = std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(1, columns), 50, most_points);
    Thinned result{std::max<std::size_t>(1, (count + most - 1) / most), {}, std::vector<Level::Column>(columns)};
    for (std::size_t first = 0; first < count; first += result.stride) {
        const std::size_t end = std::min(count, first + result.stride);
        // Both ends of the run are among them.
        const std::size_t pick = first == 0 ? 0 : end == count ? count - 1 : first + result.stride / 2;
        for (std::size_t k = first; k < end; ++k) {
            const auto row = rows[k];
            for (std::size_t i = 0; i < columns; ++i) {
                const double value = row[i];
                auto& [slow, low, high, truth] = result.columns[i];
                if (k == first) {
                    low.push_back(HUGE_VAL);
                    high.push_back(-HUGE_VAL);
                    slow.push_back(value);
                }
                low.back() = std::min(low.back(), value);
                high.back() = std::max(high.back(), value);
                if (k == pick) {
                    slow.back() = value;
                }
            }
        }
        result.t.push_back(rows.t(pick));
    }
    return result;
}

/// The samples, with the band that the vibration fills where it is known; else, where samples are left out, with the
/// lowest and highest of them.
Json whole_run(const RunOutput& output, std::size_t columns) {
    auto shown = thinned(output.slow, columns);
    Json json = Json::object();
    const Level* look = output.view.levels.empty() ? nullptr : &output.view.levels.front();
    // NOTE: where the slow solution is the true one it jumps about within the band.
    const bool true_itself = output.record.slow_is == name_of(SlowMeaning::true_motion);
    for (std::size_t i = 0; i < columns; ++i) {
        auto& column = shown.columns[i];
        const bool band = look != nullptr && i < look->columns.size() && !look->columns[i].low.empty();
        for (std::size_t k = 0; k < shown.t.size() && band; ++k) {
            const auto at = [&](const std::vector<double>& values) { return between(*look, values, shown.t[k]); };
            const double slow = true_itself ? 0.0 : column.slow[k] - at(look->columns[i].slow);
            column.low[k] = slow + at(look->columns[i].low);
            column.high[k] = slow + at(look->columns[i].high);
        }
        if (!band && shown.stride == 1) {
            column.low.clear();
            column.high.clear();
        }
        json[output.slow.names[i]] = column_json(column);
    }
    return {{"from", shown.t.front()},
            {"to", shown.t.back()},
            {"count", shown.t.size()},
            {"t", shown.t},
            {"columns", std::move(json)}};
}

Json mechanism_json(const RunOutput& output, const Mechanism& mechanism) {
    const auto& names = output.slow.names;
    const auto points = model::mapped(mechanism.points, [&](const auto& point) {
        return std::array{names[point[0]], names[point[1]]};
    });
    const auto json = [](const auto& end) { return Json(end); };
    const auto links = model::mapped(mechanism.links, [&](const Mechanism::Link& link) {
        return Json{{"kind", link.kind == Mechanism::Link::Kind::rod ? "rod" : "spring"},
                    {"from", std::visit(json, link.from)},
                    {"to", std::visit(json, link.to)}};
    });
    return {{"points", points}, {"links", links}};
}

}  // namespace

Json report_data(const RunOutput& output) {
    const std::size_t columns = std::min(most_columns, output.slow.names.size());
    Json data{{"columns", std::vector<std::string>(output.slow.names.begin(),
                                                   output.slow.names.begin() + static_cast<std::ptrdiff_t>(columns))},
              {"slow_label", output.record.slow_is == name_of(SlowMeaning::true_motion) ? "solution" : "slow"},
              {"period", or_null(output.view.period)}};
    Json levels = Json::array();
    double shortest = 1;
    if (!output.slow.rows.empty()) {
        SampleStore::Reader rows(output.slow.rows);
        shortest = (rows.t(rows.size() - 1) - rows.t(0)) / 100;
        levels.push_back(whole_run(output, columns));
    }
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
    data["charts"] = {{"course", model::mapped(output.view.course, chart_json)},
                      {"comparison", model::mapped(output.view.comparison, chart_json)}};
    if (output.view.mechanism) {
        const auto fits = [&](const auto& point) { return point[0] < columns && point[1] < columns; };
        if (std::ranges::all_of(output.view.mechanism->points, fits)) {
            data["mechanism"] = mechanism_json(output, *output.view.mechanism);
        }
    }
    return data;
}

}  // namespace lento::page
