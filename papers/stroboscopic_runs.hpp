/// The systems of the paper stroboscopic, section 5, and conventional integrations of them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "average/micro_flow.hpp"
#include "lento/lento.hpp"
#include "lento/problem/exact_flow.hpp"
#include "reproduction.hpp"

namespace lento::papers {

/// (-2 E)^(-3/2): what the time of a bound orbit is stretched by for a period of 2 pi. Its energy is |v|^2/2 - 1/r.
struct KeplerTimeFactor {
    template <class S>
    S operator()(std::span<const S> y) const {
        return of(y[0], y[1], y[2], y[3]);
    }
    template <class S>
    static S of(const S& x1, const S& x2, const S& v1, const S& v2) {
        using std::pow, std::sqrt;
        return pow(2 / sqrt(x1 * x1 + x2 * x2) - v1 * v1 - v2 * v2, -1.5);
    }
};

/// (18), its time stretched by a factor of the state; with 1 it is its own time.
template <class Factor>
Problem kepler_system(double eps, Factor factor) {
    return first_order_system(4,
                              [eps, factor](auto y, auto, auto rate) {
                                  using std::sqrt;
                                  const auto square = y[0] * y[0] + y[1] * y[1];
                                  const auto cube = square * sqrt(square);
                                  const auto fifth = cube * square;
                                  const auto ratio = y[0] * y[0] / square;
                                  const auto lambda = factor(y[0], y[1], y[2], y[3]);
                                  rate[0] = lambda * y[2];
                                  rate[1] = lambda * y[3];
                                  rate[2] = lambda * (-y[0] / cube - eps * y[0] * (4.5 - 7.5 * ratio) / fifth);
                                  rate[3] = lambda * (-y[1] / cube - eps * y[1] * (1.5 - 7.5 * ratio) / fifth);
                              })
        .with_names({"x1", "x2", "v1", "v2"})
        .with_period(2 * std::numbers::pi);
}

/// (19), with the Kepler motion of section 5.1.2 as its exact part.
inline Problem perturbed_kepler(double eps) {
    const auto lambda = [](const auto& x1, const auto& x2, const auto& v1, const auto& v2) {
        return KeplerTimeFactor::of(x1, x2, v1, v2);
    };
    return split(kepler_system(eps, lambda), KeplerFlow<KeplerTimeFactor>({0, 1}, {2, 3}, 1.0));
}
inline const std::vector<double> kepler_start{1, 0, 0, 1};

/// (17), with the harmonic oscillator as its exact part.
inline Problem van_der_pol(double eps) {
    const auto whole = first_order_system(2, [eps](auto y, auto, auto rate) {
        rate[0] = y[1];
        rate[1] = -y[0] + eps * (1 - y[0] * y[0]) * y[1];
    });
    return split(whole.with_names({"q", "p"}).with_period(2 * std::numbers::pi), OscillatorFlow({{0, 1, 1.0}}));
}

/// Micro-steps of a run as the paper counts them: without two looks at the first period (32 steps each) and the check
/// of its map (three maps) before the run, and without the last evaluation (`maps_at_end`), which only gives what
/// follows the end.
inline double counted_micro_steps(const Solution& run, std::size_t n, std::size_t maps_at_end) {
    return static_cast<double>(run.statistics().micro_steps) - 64 - static_cast<double>((3 + maps_at_end) * n);
}

/// States at the ends of `marks` equal parts of a run, by a conventional integration with n steps a period.
inline std::vector<std::vector<double>> conventional(const Problem& problem, const std::string& stepper, double period,
                                                     std::int64_t n, std::int64_t periods, std::size_t marks,
                                                     const std::vector<double>& start) {
    const auto flow = micro_flow(problem, stepper, 0);
    std::vector<double> increments(marks * start.size());
    const auto steps = static_cast<double>(n);
    flow->follow({.t = 0,
                  .h = period / steps,
                  .turns = 1 / steps,
                  .steps = n * periods / static_cast<std::int64_t>(marks),
                  .marks = marks},
                 start, increments);
    std::vector<std::vector<double>> states;
    for (std::size_t k = 0; k < marks; ++k) {
        auto& state = states.emplace_back(start);
        for (std::size_t i = 0; i < start.size(); ++i) {
            state[i] += increments[k * start.size() + i];
        }
    }
    return states;
}

/// A point of an efficiency diagram.
struct Measured {
    double micro_steps = 0;
    double error = 0;
};

/// The work for an error, by the line through two points of the diagram: the error is a power of it.
inline double work_for(double error, const Measured& coarse, const Measured& fine) {
    const double share = std::log(coarse.error / error) / std::log(coarse.error / fine.error);
    return coarse.micro_steps * std::pow(fine.micro_steps / coarse.micro_steps, share);
}

/// As the figures mark them.
inline constexpr Marker conventional_marker = Marker::circle;
inline constexpr Marker sam_marker = Marker::star;
inline constexpr Marker lips_marker = Marker::cross;
inline constexpr Marker multirevolution_marker = Marker::plus;

/// A line of an efficiency diagram: the errors in the rows of a result against its micro-steps.
inline Curve efficiency(const Result& result, const std::string& column, std::string label, Marker marker,
                        std::size_t colour) {
    return {.label = std::move(label),
            .x = result.column(column + " micro-steps"),
            .y = result.column(column + " error"),
            .style = Curve::Style::marked,
            .colour = colour,
            .marker = marker};
}

}  // namespace lento::papers
