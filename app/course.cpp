/// How a run went, as charts: step sizes, constraint residuals, energy, the filter and what it lets through.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include "average/filter.hpp"
#include "base/number.hpp"
#include "model/function.hpp"
#include "model_run.hpp"

namespace lento::app {

void StepLog::operator()(double t) {
    if (t - start_ < (last_ - start_) / 2) {  // another march
        marches_.emplace_back();
        last_ = start_;
    }
    auto& [every, count, times, lengths] = marches_.back();
    while (!times.empty() && times.back() >= t) {  // the last step is taken again
        last_ = times.back() - lengths.back();
        times.pop_back();
        lengths.pop_back();
    }
    if (t <= last_) {
        last_ = t;
        return;
    }
    if (count++ % every == 0) {
        times.push_back(t);
        lengths.push_back(t - last_);
    }
    last_ = t;
    if (times.size() > most) {
        every *= 2;
        std::size_t kept = 0;
        for (std::size_t k = 0; k < times.size(); k += 2, ++kept) {
            times[kept] = times[k];
            lengths[kept] = lengths[k];
        }
        times.resize(kept);
        lengths.resize(kept);
    }
}

Chart StepLog::chart(std::int64_t steps) const {
    const auto distance = [&](const March& march) { return std::abs(static_cast<std::int64_t>(march.count) - steps); };
    const auto& [every, count, times, lengths] =
        *std::ranges::min_element(marches_.rbegin(), marches_.rend(), {}, distance);
    return {.title = "Step sizes",
            .x = "t",
            .y = "length of the step",
            .y_scale = Chart::Scale::logarithmic,
            .marks = times.size() <= 100 ? Chart::Marks::points : Chart::Marks::none,
            .curves = {{every > 1 ? fmt::format("one of {} steps", every) : "step", times, lengths}}};
}

namespace {

constexpr std::size_t most_samples = 400;
constexpr std::size_t most_dimension = 2000;

/// A number at some samples of the slow solution, from values of nodes of the model there: number(row, values).
template <class Number>
Chart::Curve over_samples(std::string label, const model::Model& model, const Series& series,
                          const std::vector<model::Node>& nodes, Number number) {
    const std::size_t d = model.dimension();
    const model::ModelFunction evaluate(model, nodes);
    const auto inputs = model::input_values(model);
    SampleStore::Reader rows(series.rows);
    const std::size_t stride = std::max<std::size_t>(1, rows.size() / most_samples);
    Chart::Curve curve{std::move(label), {}, {}};
    std::vector<double> values(nodes.size());
    for (std::size_t k = 0; k < rows.size(); k += stride) {
        const auto row = rows[k];
        evaluate(row.first(d), row.subspan(d, d), rows.t(k), {}, inputs->data(), values);
        curve.x.push_back(rows.t(k));
        curve.y.push_back(number(row, values));
    }
    return curve;
}

std::optional<Chart> residual_chart(const model::Model& model, const Series& series) {
    if (model.constraints.empty()) {
        return {};
    }
    const auto nodes = model::mapped(model.constraints, &model::NamedExpression::node);
    const auto largest = [](std::span<const double>, const std::vector<double>& values) {
        const auto worse = [](double worst, double value) { return larger(worst, std::abs(value)); };
        return std::accumulate(values.begin(), values.end(), 1e-18, worse);
    };
    return Chart{.title = "Constraints",
                 .x = "t",
                 .y = "largest |g(q)|",
                 .y_scale = Chart::Scale::logarithmic,
                 .curves = {over_samples("residual of the slow solution", model, series, nodes, largest)}};
}

/// Where all forces have a potential that does not vibrate.
std::optional<Chart> energy_chart(const model::Model& model, const Series& series) {
    const bool forced =
        std::ranges::any_of(model.coordinates, [](const auto& coordinate) { return coordinate.force.line > 0; });
    if (model.is_first_order() || forced || !model.masses.empty() || !model.phases.empty() ||
        (!model.potential && model.springs.empty())) {
        return {};
    }
    auto nodes = model::mapped(model.springs, &model::Spring::potential);
    if (model.potential) {
        nodes.insert(nodes.begin(), *model.potential);
    }
    const auto energy = [&](std::span<const double> row, const std::vector<double>& potentials) {
        const auto v = row.subspan(model.dimension(), model.dimension());
        const auto momentum = model.mass.times(v);
        const double kinetic = 0.5 * std::inner_product(v.begin(), v.end(), momentum.begin(), 0.0);
        return std::accumulate(potentials.begin(), potentials.end(), kinetic);
    };
    return Chart{.title = "Energy",
                 .x = "t",
                 .y = "energy",
                 .curves = {over_samples("of the slow solution", model, series, nodes, energy)}};
}

/// The filter's shape, and what it lets through of a vibration by the number of periods in the window.
std::vector<Chart> filter_charts(const RunRecord& record) {
    const auto* used = model::found(record.options, "filter", &UsedOption::name);
    if (used == nullptr) {
        return {};
    }
    const Filter filter(used->value);
    const auto* given = model::found(record.options, "window_periods", &UsedOption::name);
    const double periods = given != nullptr ? std::strtod(given->value.c_str(), nullptr) : filter.usual_periods();
    Chart shape{
        .title = "Filter " + used->value, .x = "place in the window", .y = "weight", .curves = {{"weight", {}, {}}}};
    constexpr int points = 200;
    for (int k = -points; k <= points; ++k) {
        shape.curves[0].x.push_back(static_cast<double>(k) / points);
        shape.curves[0].y.push_back(filter.shape(static_cast<double>(k) / points));
    }
    if (filter.is_one_period()) {
        return {shape};
    }
    Chart leakage{.title = "What the filter lets through",
                  .x = "vibrations in the window",
                  .y = "share of the vibration",
                  .y_scale = Chart::Scale::logarithmic,
                  .curves = {{"leakage", {}, {}}, {"this run", {periods}, {}}}};
    constexpr double least = 1e-18;
    for (double n = 1; n <= std::max(2 * periods, 10.0); n += std::max(2 * periods, 10.0) / 400) {
        leakage.curves[0].x.push_back(n);
        leakage.curves[0].y.push_back(std::max(least, std::abs(filter.leakage(n))));
    }
    leakage.curves[1].y.push_back(std::max(least, std::abs(filter.leakage(periods))));
    return {shape, leakage};
}

}  // namespace

std::vector<Chart> course_charts(const LoadedModel& loaded, const RunOutput& output) {
    auto charts = filter_charts(output.record);
    const auto& model = loaded.model.parsed();
    if (model.dimension() <= most_dimension && output.slow.rows.size() > 1) {
        for (auto chart : {energy_chart(model, output.slow), residual_chart(model, output.slow)}) {
            if (chart) {
                charts.insert(charts.begin(), std::move(*chart));
            }
        }
    }
    return charts;
}

}  // namespace lento::app
