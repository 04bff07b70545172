/// Figures 3, 4 and 5 of the paper stroboscopic.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;

double largest_difference(std::span<const double> a, std::span<const double> b) {
    double difference = a.size() == b.size() ? 0.0 : std::nan("");
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference = larger(difference, std::abs(a[i] - b[i]));
    }
    return difference;
}

/// A point of an efficiency diagram.
struct Point {
    double micro_steps = 0;
    double error = 0;
};

Problem kepler_problem(int power) {
    return perturbed_kepler(std::pow(2.0, -power));
}

/// Figures 3 and 4: an orbit over (pi/8)/eps, one micro-stepper for all methods.
class KeplerDiagram {
public:
    explicit KeplerDiagram(std::string micro) : micro_(std::move(micro)) {}

    struct Setting {
        int power = 12;  // eps = 2^-power
        std::size_t n = 0;
        std::size_t steps = 0;
    };

    Point averaged(const std::string& method, const Setting& s) const {
        Request request{.start = kepler_start, .t_end = pi / 8 / eps(s), .method = method};
        request.options.micro = micro_;
        request.options.micro_steps_per_period = s.n;
        request.options.steps = s.steps;
        request.options.macro = "rk4";
        const auto run = plain_run(perturbed_kepler(eps(s)), request);
        const std::size_t at_end = method == "multirevolution" ? 1 : 2;
        const double error = run.outcome() == Outcome::completed
                                 ? largest_difference(run.final_state().position, reference(s.power))
                                 : std::nan("");
        return {counted_micro_steps(run, s.n, at_end), error};
    }
    Point direct(const Setting& s) const {
        const auto end = conventional(kepler_problem(s.power), micro_, 2 * pi, static_cast<std::int64_t>(s.n),
                                      periods(s.power), 1, kepler_start);
        return {static_cast<double>(periods(s.power)) * static_cast<double>(s.n),
                largest_difference(end[0], reference(s.power))};
    }

    static double eps(const Setting& s) { return std::pow(2.0, -s.power); }

private:
    static std::int64_t periods(int power) { return std::int64_t{1} << (power - 4); }

    /// The true orbit at the end, in 64 steps of order 8 a period.
    static const std::vector<double>& reference(int power) {
        static std::vector<std::vector<double>> known(32);
        auto& state = known[static_cast<std::size_t>(power)];
        if (state.empty()) {
            state = conventional(kepler_problem(power), "dopri8", 2 * pi, 64, periods(power), 1, kepler_start)[0];
        }
        return state;
    }

    std::string micro_;
};

constexpr std::array methods{"sam", "lips", "multirevolution"};

void add_point(Result& result, const std::string& label, const std::string& column, const Point& point) {
    const bool finite = std::isfinite(point.error);
    if (!finite) {
        result.not_judged = "An orbit that has lost its negative energy is not a number.";
    }
    result.rows.push_back({label, column + " error", {}, point.error, finite});
    result.rows.push_back({label, column + " micro-steps", {}, point.micro_steps});
}

/// Both panels: three eps with `steps` macro-steps, and eps = 2^-12 with fewer of them.
void add_panels(Result& result, const KeplerDiagram& diagram, const std::vector<std::size_t>& ns,
                const std::vector<std::size_t>& steps) {
    for (const std::size_t n : ns) {
        const std::string label = fmt::format("n={}", n);
        for (const int power : {12, 13, 14}) {
            for (const auto* method : methods) {
                add_point(result, label, fmt::format("top {} eps=2^-{} N={}", method, power, steps.back()),
                          diagram.averaged(method, {power, n, steps.back()}));
            }
            add_point(result, label, fmt::format("top conventional eps=2^-{}", power), diagram.direct({power, n, 0}));
        }
        for (const std::size_t N : steps) {
            for (const auto* method : methods) {
                add_point(result, label, fmt::format("bottom {} N={}", method, N),
                          diagram.averaged(method, {12, n, N}));
            }
        }
    }
}

/// Both panels, drawn: markers tell methods apart; colours eps on the first, macro-steps on the second.
void add_pictures(Result& result, const std::string& figure, const std::vector<std::size_t>& steps) {
    const std::string x_label = "micro-steps";
    const std::string y_label = "largest error of a component at the end";
    auto& top = result.pictures.emplace_back(
        log_log(fmt::format("{}, top: N = {} macro-steps", figure, steps.back()), x_label, y_label, {}));
    for (const std::size_t k : {0, 1, 2}) {
        const std::string eps = fmt::format("eps=2^-{}", 12 + k);
        top.curves.push_back(efficiency(result, fmt::format("top sam {} N={}", eps, steps.back()),
                                        fmt::format("SAM, eps = 2^-{}", 12 + k), sam_marker, k));
    }
    for (const std::size_t k : {0, 1, 2}) {
        top.curves.push_back(efficiency(result, fmt::format("top conventional eps=2^-{}", 12 + k),
                                        fmt::format("conventional, 2^-{}", 12 + k), conventional_marker, k));
    }

    auto& bottom = result.pictures.emplace_back(log_log(figure + ", bottom: eps = 2^-12", x_label, y_label, {}));
    constexpr std::array names{"SAM", "LIPS", "multirevolution"};
    constexpr std::array own_markers{sam_marker, lips_marker, multirevolution_marker};
    for (std::size_t m = 0; m < methods.size(); ++m) {
        for (std::size_t k = 0; k < steps.size(); ++k) {
            bottom.curves.push_back(efficiency(result, fmt::format("bottom {} N={}", methods[m], steps[k]),
                                               fmt::format("{}, N = {}", names[m], steps[k]), own_markers[m], k));
        }
    }
    bottom.curves.push_back(
        efficiency(result, "top conventional eps=2^-12", "conventional", conventional_marker, steps.size()));
}

Result figure_3() {
    Result result;
    const KeplerDiagram rk4("rk4");
    add_panels(result, rk4, {16, 32, 64, 128}, {2, 4, 8});
    add_pictures(result, "Figure 3", {2, 4, 8});
    const auto sam = [&](int power, std::size_t n, std::size_t N) { return rk4.averaged("sam", {power, n, N}); };
    const auto expect = [&](const std::string& label, const std::string& column, double error) {
        const auto row = std::ranges::find_if(
            result.rows, [&](const Row& each) { return each.label == label && each.column == column; });
        row->reference = error;
        row->tolerance = 0.02;
    };
    expect("n=64", "top sam eps=2^-12 N=8 error", 4.54e-3);
    expect("n=128", "top sam eps=2^-12 N=8 error", 2.99e-4);
    expect("n=64", "top sam eps=2^-13 N=8 error", 9.13e-3);
    expect("n=64", "top multirevolution eps=2^-12 N=8 error", 6.19e-3);
    expect("n=128", "top multirevolution eps=2^-12 N=8 error", 3.52e-4);
    const double counted = sam(12, 64, 8).micro_steps;
    result.claims.push_back({"SAM takes 8 N n micro-steps: N = 8, n = 64", counted, counted == 8 * 8 * 64});
    const double halved = sam(14, 128, 8).error / sam(13, 128, 8).error;
    result.claims.push_back({"halving eps with constant steps doubles the error", halved, std::abs(halved - 2) < 0.1});
    const double doubled = sam(14, 64, 8).error / sam(14, 128, 8).error;
    result.claims.push_back({"doubling n divides the error by 2^4", doubled, doubled > 14 && doubled < 18});
    // The work of the conventional integration for the error that SAM has: between two of its points the error is a
    // power of the work.
    const auto target = sam(14, 128, 8);
    const auto coarse = rk4.direct({14, 128, 0});
    const auto fine = rk4.direct({14, 256, 0});
    const double exponent = std::log(coarse.error / target.error) / std::log(coarse.error / fine.error);
    const double saved =
        coarse.micro_steps * std::pow(fine.micro_steps / coarse.micro_steps, exponent) / target.micro_steps;
    result.claims.push_back(
        {"for eps = 2^-14 the work for a given error is approximately 20 times smaller than conventionally", saved,
         saved > 15 && saved < 25});
    const double lips = rk4.averaged("lips", {12, 128, 8}).error / sam(12, 128, 8).error;
    result.claims.push_back(
        {"LIPS is hardly different from SAM: ratio of errors, n = 128", lips, std::abs(lips - 1) < 0.3});
    const double bent = sam(12, 64, 2).error / sam(12, 128, 2).error;
    result.claims.push_back({"for N = 2 the line bends: what doubling n divides the error by", bent, bent < 8});
    return result;
}

Result figure_4() {
    Result result;
    const KeplerDiagram strang("strang");
    add_panels(result, strang, {8, 16, 32, 64}, {4, 8, 16});
    add_pictures(result, "Figure 4", {4, 8, 16});
    const auto sam = [&](int power, std::size_t n, std::size_t N) { return strang.averaged("sam", {power, n, N}); };
    const double halved = sam(12, 16, 16).error / sam(13, 16, 16).error;
    result.claims.push_back({"halving eps with constant steps halves the error, over twice the interval", halved,
                             std::abs(halved - 2) < 0.1});
    const double again = sam(13, 16, 16).error / sam(14, 16, 16).error;
    result.claims.push_back({"and halves it again", again, std::abs(again - 2) < 0.1});
    const double doubled = sam(12, 16, 16).error / sam(12, 32, 16).error;
    result.claims.push_back({"doubling n divides the error by 4", doubled, std::abs(doubled - 4) < 0.4});
    const double same = strang.direct({12, 16, 0}).error / sam(12, 16, 16).error;
    result.claims.push_back(
        {"errors of the conventional integration over those of SAM: comparable", same, same > 0.5 && same < 2});
    const auto mapped = strang.averaged("multirevolution", {12, 16, 16});
    const double ratio = mapped.error / sam(12, 16, 16).error;
    result.claims.push_back({"the multirevolution method has the errors of SAM", ratio, ratio > 0.8 && ratio < 1.25});
    result.claims.push_back({"at half the cost", mapped.micro_steps / sam(12, 16, 16).micro_steps,
                             mapped.micro_steps * 2 == sam(12, 16, 16).micro_steps});
    return result;
}

// --- Figure 5 ------------------------------------------------------------------------------------------------------

/// The three integrations of section 5.2.
struct Limit {
    std::vector<double> adaptive, constant, conventional;  // errors every 64 periods (eps = 2^-9)
    Solution run;
};

Limit limit_cycle(int power) {
    const double eps = std::pow(2.0, -power);
    const std::int64_t periods = std::int64_t{16} << power;
    constexpr std::size_t marks = 128;
    const std::vector<double> start{0.5, 0.5};
    const auto system = van_der_pol(eps);
    const auto truth = conventional(system, "dopri8", 2 * pi, 32, periods, marks, start);
    const auto strang = conventional(system, "strang", 2 * pi, 32, periods, marks, start);
    Request request{.start = start,
                    .t_end = 32 * pi / eps,
                    .method = "sam",
                    .rtol = std::pow(2.0, -16),
                    .atol = std::pow(2.0, -16)};
    request.options.micro = "strang";
    request.options.micro_steps_per_period = 32;
    request.options.difference_order = 2;
    request.options.macro = "ode45";
    Limit limit{{}, {}, {}, plain_run(system, request)};
    request.options.macro = "dopri5";
    request.options.macro_step = pi / 4 / eps;
    const auto constant = plain_run(system, request);
    for (std::size_t k = 0; k < marks; ++k) {
        const double t = std::min(static_cast<double>(k + 1) * pi / 4 / eps, request.t_end);
        limit.adaptive.push_back(largest_difference(limit.run.slow(t).position, truth[k]));
        limit.constant.push_back(largest_difference(constant.slow(t).position, truth[k]));
        limit.conventional.push_back(largest_difference(strang[k], truth[k]));
    }
    return limit;
}

double largest(const std::vector<double>& errors) {
    double result = 0;
    for (const double error : errors) {
        result = larger(result, error);
    }
    return result;
}

void add_pictures(Result& result, const Limit& limit) {
    const double interval = pi / 4 * std::pow(2.0, 9);
    std::vector<double> times;
    Curve adaptive{.label = "SAM, ode45", .x = {}, .y = {}, .style = Curve::Style::marked};
    double next = 1;  // of its markers, of which half an octave has one
    for (std::size_t k = 1; k <= limit.adaptive.size(); ++k) {
        times.push_back(static_cast<double>(k) * interval);
        if (static_cast<double>(k) >= next) {
            adaptive.x.push_back(times.back());
            adaptive.y.push_back(limit.adaptive[k - 1]);
            next = std::max(static_cast<double>(k + 1), next * std::numbers::sqrt2);
        }
    }
    result.pictures.push_back(
        log_log("Figure 5, top: errors, eps = 2^-9", "tau", "largest error of a component",
                {adaptive,
                 {.label = "SAM, constant steps", .x = times, .y = limit.constant},
                 {.label = "conventional", .x = times, .y = limit.conventional, .style = Curve::Style::dashed}}));
    Curve chosen{.label = "SAM, ode45", .x = {}, .y = {}, .style = Curve::Style::marked};
    for (const auto& step : limit.run.trajectory().steps()) {
        chosen.x.push_back(step.from());
        chosen.y.push_back(step.to() - step.from());
    }
    result.pictures.push_back(
        {.title = "Figure 5, bottom: macro-steps",
         .x_label = "tau",
         .y_label = "macro-step H",
         .curves = {chosen, {.label = "SAM, constant steps", .x = {0, times.back()}, .y = {interval, interval}}}});
}

Result figure_5() {
    Result result;
    const auto limit = limit_cycle(9);
    for (const std::size_t k : {1, 2, 4, 8, 16, 32, 64, 128}) {
        const std::string label = fmt::format("tau={} (pi/4)/eps", k);
        result.rows.push_back({label, "error ode45", {}, limit.adaptive[k - 1]});
        result.rows.push_back({label, "error constant steps", {}, limit.constant[k - 1]});
        result.rows.push_back({label, "error conventional", {}, limit.conventional[k - 1]});
    }
    add_pictures(result, limit);
    const auto& steps = limit.run.trajectory().steps();
    for (std::size_t k = 0; k < steps.size(); k += 4) {
        result.rows.push_back({fmt::format("step {}", k + 1),
                               "length times eps",
                               {},
                               (steps[k].to() - steps[k].from()) * std::pow(2.0, -9)});
    }
    const auto count = static_cast<double>(limit.run.statistics().macro_steps);
    result.rows.push_back({"(i)", "macro-steps", 40, count});
    const double early = steps[5].to() - steps[5].from();
    const double late = steps[steps.size() - 2].to() - steps[steps.size() - 2].from();
    result.claims.push_back(
        {"the macro-step is increased once the limit cycle has been reached: last but one over sixth", late / early,
         late > 2 * early});
    const double by_constant = largest(limit.adaptive) / largest(limit.constant);
    const double by_conventional = largest(limit.adaptive) / largest(limit.conventional);
    result.claims.push_back({"errors with ode45 and with constant steps are comparable: ratio of the largest",
                             by_constant, by_constant > 0.3 && by_constant < 3});
    result.claims.push_back(
        {"and with 260,000 Strang steps", by_conventional, by_conventional > 0.3 && by_conventional < 3});

    const auto half = limit_cycle(10);
    const auto again = static_cast<double>(half.run.statistics().macro_steps);
    result.claims.push_back({"with eps = 2^-10 the variable-step method again uses 40 steps", again, again == 40});
    const std::array ratios{largest(limit.adaptive) / largest(half.adaptive),
                            largest(limit.constant) / largest(half.constant),
                            largest(limit.conventional) / largest(half.conventional)};
    for (std::size_t i = 0; i < ratios.size(); ++i) {
        result.claims.push_back(
            {fmt::format("and the errors are halved ({})", std::array{"ode45", "constant steps", "conventional"}[i]),
             ratios[i], std::abs(ratios[i] - 2) < 0.25});
    }
    return result;
}

}  // namespace

std::vector<Reproduction> stroboscopic_figures() {
    const std::string paper = "stroboscopic";
    const auto kepler = [](const std::string& micro) {
        return "x(0) = (1, 0), v(0) = (0, 1), 0 <= tau <= (pi/8)/eps, eps = 2^-12, 2^-13, 2^-14. " + micro +
               " Second-order differences and recovery. Largest error of a component at the end, against 64 steps of "
               "order 8 a period.";
    };
    return {{"stroboscopic/figure-3", "Perturbed Kepler problem, Runge-Kutta micro-steps: error against work", paper,
             kepler("RK4 on both scales, N = 8 macro-steps (eps = 2^-12 also 2 and 4), n = 16, 32, 64, 128 micro-steps "
                    "a period."),
             figure_3},
            {"stroboscopic/figure-4", "Perturbed Kepler problem, splitting micro-steps: error against work", paper,
             kepler("RK4 with N = 16 macro-steps (eps = 2^-12 also 4 and 8), n = 8, 16, 32, 64 steps of the splitting "
                    "a period."),
             figure_4},
            {"stroboscopic/figure-5", "Van der Pol oscillator: errors and macro-steps against time", paper,
             "eps = 2^-9 (for the claims also 2^-10), q(0) = p(0) = 0.5, 0 <= tau <= 32 pi/eps, Strang splitting with "
             "Delta tau = pi/16. SAM with second-order differences by ode45, rtol = atol = 2^-16, and by its formula "
             "in steps of (pi/4)/eps; conventional integration. Largest error of a component against 32 steps of order "
             "8 a period.",
             figure_5}};
}

}  // namespace lento::papers
