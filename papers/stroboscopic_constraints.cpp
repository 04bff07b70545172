/// Section 6 of the paper stroboscopic, figure 6: a double pendulum on a vibrating support, in the
/// Gear-Gupta-Leimkuhler form.
#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "chain.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "slope.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;
const Chain pendulum = double_pendulum();

/// The same in its angles, for reference: Lagrange's equations with gravity g + v_max omega cos(theta).
Problem in_angles(double omega) {
    const double m1 = pendulum.masses[0];
    const double m2 = pendulum.masses[1];
    const double l1 = pendulum.lengths[0];
    const double l2 = pendulum.lengths[1];
    const double g = pendulum.g;
    const double v_max = pendulum.v_max;
    return vibrated_system(2, omega, [=](auto q, auto v, auto, auto theta, auto a) {
        using std::cos, std::sin;
        const auto weight = g + v_max * omega * cos(theta);
        const auto apart = sin(q[0] - q[1]);
        const auto coupling = m2 * l1 * l2 * cos(q[0] - q[1]);
        const auto f1 = (m1 + m2) * weight * l1 * sin(q[0]) - m2 * l1 * l2 * apart * v[1] * v[1];
        const auto f2 = m2 * weight * l2 * sin(q[1]) + m2 * l1 * l2 * apart * v[0] * v[0];
        const double i1 = (m1 + m2) * l1 * l1;
        const double i2 = m2 * l2 * l2;
        const auto determinant = i1 * i2 - coupling * coupling;
        a[0] = (i2 * f1 - coupling * f2) / determinant;
        a[1] = (i1 * f2 - coupling * f1) / determinant;
    });
}

struct Setting {
    double eps = 0;
    double H = 0;
    std::size_t n = 0;

    auto operator<=>(const Setting&) const = default;
};

double t_end(double H) {
    return std::ceil(1 / H - 1e-9) * H;
}

/// The slow solution that all of them approximate: strides in angles, far more accurate.
Solution reference(double eps, double end) {
    return plain_run(in_angles(1 / eps),
                     {.start = {0.5, 0}, .t_end = end, .method = "multirevolution", .rtol = 1e-9, .atol = 1e-11});
}

/// The largest error in q1 at the ends of macro-steps.
struct Measured {
    double error = 0;
    double micro_steps = 0;
};

Measured sam(const Setting& s, const Solution& truth) {
    Request request{.start = pendulum.position({0.5, 0}), .t_end = t_end(s.H), .method = "sam"};
    request.options.macro = "herk3";
    request.options.macro_step = s.H;
    request.options.micro = "herk3";
    request.options.micro_steps_per_period = s.n;
    const auto run = plain_run(pendulum.vibrated(1 / s.eps), request);
    Measured measured{run.outcome() == Outcome::completed ? 0 : std::nan(""), counted_micro_steps(run, s.n, 3)};
    for (const auto& step : run.trajectory().steps()) {
        const double q1 = pendulum.angle(run.slow(step.to()).position, 0);
        measured.error = larger(measured.error, std::abs(q1 - truth.slow(step.to()).position[0]));
    }
    return measured;
}

/// HERK3 throughout, compared as often as macro-steps are.
Measured conventional_herk(double eps, std::int64_t n, const Solution& truth) {
    const double period = 2 * pi * eps;
    constexpr std::size_t marks = 795;
    const auto periods = static_cast<std::int64_t>(std::floor(1 / period)) / std::int64_t{marks} * std::int64_t{marks};
    auto start = pendulum.position({0.5, 0});
    start.resize(2 * start.size(), 0.0);
    const auto states = conventional(pendulum.vibrated(1 / eps), "herk3", period, n, periods, marks, start);
    Measured measured{0, static_cast<double>(n * periods)};
    for (std::size_t k = 0; k < marks; ++k) {
        const double t = static_cast<double>(periods) * static_cast<double>(k + 1) / marks * period;
        measured.error = larger(measured.error, std::abs(pendulum.angle(states[k], 0) - truth.slow(t).position[0]));
    }
    return measured;
}

void add(Result& result, const std::string& label, const std::string& column, const Measured& measured,
         std::optional<double> reference = {}) {
    result.rows.push_back({label, column + " error", {}, measured.error, true, 0.05, reference});
    result.rows.push_back({label, column + " micro-steps", {}, measured.micro_steps});
}

/// Runs that are asked for again are not done again.
class Runs {
public:
    const Measured& averaged(const Setting& s) {
        return known(averaged_, s, [&] { return sam(s, truth(s.eps, s.H)); });
    }
    const Measured& conventional(double eps, std::int64_t n) {
        return known(conventional_, std::pair{eps, n},
                     [&] { return conventional_herk(eps, n, truth(eps, pi / 2500)); });
    }

private:
    const Solution& truth(double eps, double H) {
        return known(truths_, std::pair{eps, H}, [&] { return reference(eps, t_end(H)); });
    }
    template <class Key, class Value, class Make>
    static const Value& known(std::map<Key, Value>& values, const Key& key, Make&& make) {
        const auto found = values.find(key);
        return found != values.end() ? found->second : values.emplace(key, make()).first->second;
    }

    std::map<std::pair<double, double>, Solution> truths_;
    std::map<Setting, Measured> averaged_;
    std::map<std::pair<double, std::int64_t>, Measured> conventional_;
};

constexpr std::array<int, 4> parts{625, 1250, 2500, 5000};  // H = pi/625, ...

/// H = pi/2500.
void add_top_panel(Result& result, Runs& runs) {
    using References = std::array<std::optional<double>, 4>;
    constexpr std::array<std::size_t, 4> ns{4, 8, 16, 32};
    for (const auto& [eps, references] : {std::pair{1e-4, References{{{}, 0.101, 8.3e-3, 2.4e-3}}},
                                          std::pair{1e-6, References{{{}, 0.094, 9.5e-3, 4.0e-3}}},
                                          std::pair{1e-8, References{{{}, 0.094, 9.5e-3, 3.9e-3}}}}) {
        for (std::size_t k = 0; k < ns.size(); ++k) {
            add(result, fmt::format("n={}", ns[k]), fmt::format("top SAM eps={:.0e}", eps),
                runs.averaged({eps, pi / 2500, ns[k]}), references[k]);
        }
        if (eps == 1e-4) {
            const double first = runs.averaged({eps, pi / 2500, 4}).micro_steps;
            result.claims.push_back({"796 macro-steps take 4776 n micro-steps: n = 4", first, first == 4776 * 4});
            constexpr References conventional{{{}, {}, 1.21e-2, 1.17e-3}};
            for (std::size_t k = 0; k < ns.size(); ++k) {
                add(result, fmt::format("n={}", ns[k]), "top conventional eps=1e-04",
                    runs.conventional(eps, static_cast<std::int64_t>(ns[k])), conventional[k]);
            }
        }
    }
    const auto [less, more] =
        std::minmax(runs.averaged({1e-6, pi / 2500, 8}).error, runs.averaged({1e-8, pi / 2500, 8}).error);
    result.claims.push_back(
        {"the error is independent of eps: ratio of those at 1e-8 and 1e-6, n = 8", more / less, more / less < 1.05});
}

/// eps = 1e-6.
void add_bottom_panel(Result& result, Runs& runs) {
    constexpr std::array<double, 4> floors{0.176, 2.8e-2, 3.6e-3, 4.5e-4};  // of the macro-step, n = 128
    std::vector<double> lengths, errors;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const double H = pi / parts[k];
        for (const std::size_t n : {4, 8, 16, 32, 128}) {
            add(result, fmt::format("n={}", n), fmt::format("bottom SAM H=pi/{}", parts[k]),
                runs.averaged({1e-6, H, n}), n == 128 ? std::optional(floors[k]) : std::nullopt);
        }
        lengths.push_back(H);
        errors.push_back(runs.averaged({1e-6, H, 128}).error);
    }
    const double order = slope(std::span(lengths).last(3), std::span(errors).last(3));
    result.claims.push_back(
        {"where macro-steps dominate, n = 128, the error is of order 3 in H: order from the last three", order,
         std::abs(order - 3) < 0.2, Source::lento});
    add(result, "n=8", "bottom conventional", runs.conventional(1e-6, 8));
    const double dearer = runs.conventional(1e-6, 8).micro_steps / runs.conventional(1e-4, 8).micro_steps;
    result.claims.push_back({"the conventional integration costs 100 times as much when eps falls from 1e-4 to 1e-6",
                             dearer, std::abs(dearer - 100) < 2});
}

/// NOTE: of the conventional integration at eps = 1e-6 there is one point only, since it takes as long as all others
/// together.
void add_pictures(Result& result) {
    const std::string x_label = "micro-steps";
    const std::string y_label = "largest error in q_1";
    result.pictures.push_back(log_log(
        "Figure 6, top: H = pi/2500", x_label, y_label,
        {efficiency(result, "top SAM eps=1e-04", "SAM, eps = 10^-4", sam_marker, 0),
         efficiency(result, "top SAM eps=1e-06", "SAM, eps = 10^-6", sam_marker, 1),
         efficiency(result, "top SAM eps=1e-08", "SAM, eps = 10^-8", sam_marker, 2),
         efficiency(result, "top conventional eps=1e-04", "conventional, eps = 10^-4", conventional_marker, 0),
         efficiency(result, "bottom conventional", "conventional, eps = 10^-6, n = 8", conventional_marker, 1)}));
    auto& bottom = result.pictures.emplace_back(log_log("Figure 6, bottom: eps = 10^-6", x_label, y_label, {}));
    for (std::size_t k = 0; k < parts.size(); ++k) {
        bottom.curves.push_back(efficiency(result, fmt::format("bottom SAM H=pi/{}", parts[k]),
                                           fmt::format("SAM, H = pi/{}", parts[k]), sam_marker, k));
    }
    bottom.curves.push_back(
        efficiency(result, "bottom conventional", "conventional, n = 8", conventional_marker, parts.size()));
}

Result figure_6() {
    Result result;
    Runs runs;
    add_top_panel(result, runs);
    add_bottom_panel(result, runs);
    add_pictures(result);
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_constraints() {
    return {{"stroboscopic/figure-6", "Double pendulum with constraints on a vibrating support: error against work",
             "stroboscopic",
             double_pendulum_parameters() +
                 "; omega = 1/eps, T = 1, rounded up to whole macro-steps. SAM with second-order differences, HERK3 on "
                 "both scales, h = 2 pi eps/n: H = pi/2500 with eps = 1e-4, 1e-6, 1e-8, and H = pi/625 to pi/5000 with "
                 "eps = 1e-6. Largest error in q_1 at the ends of macro-steps, against multirevolution strides in "
                 "angles with rtol "
                 "= 1e-9, atol = 1e-11.",
             figure_6}};
}

}  // namespace lento::papers
