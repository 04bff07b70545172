/// Figures 3 and 4 of the paper stroboscopic, section 5.1: error against work for the perturbed Kepler problem.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "kepler_runs.hpp"
#include "lento/lento.hpp"
#include "one_period.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;

/// One micro-stepper for all methods, RK4 for the slow motion.
class Diagram {
public:
    explicit Diagram(std::string micro) : micro_(std::move(micro)) {}

    struct Setting {
        int power = 12;  // eps = 2^-power
        std::size_t n = 0;
        std::size_t steps = 0;
    };

    Measured averaged(const std::string& method, const Setting& s) {
        Options options{.macro = "rk4", .steps = s.steps, .micro = micro_, .micro_steps_per_period = s.n};
        return runs_.averaged(s.power, method, options);
    }
    Measured sam(const Setting& s) { return averaged("sam", s); }
    Measured multirevolution(const Setting& s) { return averaged("multirevolution", s); }
    Measured conventional(int power, std::size_t n) { return runs_.conventional(power, micro_, n); }

private:
    std::string micro_;
    KeplerRuns runs_;
};

constexpr std::array methods{"sam", "lips", "multirevolution"};

void add_point(Result& result, const std::string& label, const std::string& column, const Measured& point) {
    const bool finite = std::isfinite(point.error);
    if (!finite) {
        result.not_judged = "An orbit that has lost its negative energy is not a number.";
    }
    result.rows.push_back({label, column + " error", {}, point.error, finite});
    result.rows.push_back({label, column + " micro-steps", {}, point.micro_steps});
}

/// Both panels: three eps with the most macro-steps, and eps = 2^-12 with fewer of them.
void add_panels(Result& result, Diagram& diagram, const std::vector<std::size_t>& ns,
                const std::vector<std::size_t>& steps) {
    for (const std::size_t n : ns) {
        const std::string label = fmt::format("n={}", n);
        for (const int power : {12, 13, 14}) {
            for (const auto* method : methods) {
                add_point(result, label, fmt::format("top {} eps=2^-{} N={}", method, power, steps.back()),
                          diagram.averaged(method, {power, n, steps.back()}));
            }
            add_point(result, label, fmt::format("top conventional eps=2^-{}", power), diagram.conventional(power, n));
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

/// Sentences about a ratio that is measured.
struct Sentences {
    Result& result;

    void near(std::string text, double measured, double expected, double relative) const {
        result.claims.push_back({std::move(text), measured, std::abs(measured / expected - 1) < relative});
    }
    void exponent(std::string text, double measured, double expected) const {
        result.claims.push_back({std::move(text), measured, std::abs(measured - expected) < exponent_tolerance});
    }
    void between(std::string text, double measured, double least, double most) const {
        result.claims.push_back({std::move(text), measured, measured > least && measured < most});
    }
};

/// What both figures say of numbers of steps, N = 8 or 16 macro-steps and n = 64.
void add_counts(const Sentences& say, Diagram& diagram, std::size_t N) {
    const auto all = static_cast<double>(8 * N * 64);
    say.near(fmt::format("SAM takes 8 N n micro-steps: over that number, N = {}, n = 64", N),
             diagram.sam({12, 64, N}).micro_steps / all, 1, 1e-12);
    say.near("the conventional integration takes (1/16) n/eps steps: over that number, eps = 2^-12, n = 64",
             diagram.conventional(12, 64).micro_steps / (64 * 4096 / 16), 1, 1e-12);
    say.near("the multirevolution method has half the cost: micro-steps over those of SAM",
             diagram.multirevolution({12, 64, N}).micro_steps / all, 0.5, 1e-12);
}

// --- Figure 3 -------------------------------------------------------------------------------------------------------

void expect(Result& result, const std::string& label, const std::string& column, double error) {
    const auto row = std::ranges::find_if(
        result.rows, [&](const Row& each) { return each.label == label && each.column == column; });
    row->reference = error;
    row->tolerance = 0.02;
}

/// How many times less work SAM takes than the conventional integration for its error.
double saved(Diagram& rk4, int power) {
    const auto target = rk4.sam({power, 128, 8});
    return work_for(target.error, rk4.conventional(power, 128), rk4.conventional(power, 256)) / target.micro_steps;
}

/// LIPS beside SAM: errors, and what they take for the same error.
void add_lips(Result& result, Diagram& rk4) {
    const auto sam = [&](std::size_t n) { return rk4.sam({12, n, 8}); };
    const auto lips = [&](std::size_t n) { return rk4.averaged("lips", {12, n, 8}); };
    double most = 0;
    for (const std::size_t n : {16, 32, 64, 128}) {
        most = larger(most, lips(n).error / sam(n).error);
    }
    constexpr double similar = 1.25;
    Claim claim{"the results of LIPS are hardly different from those of SAM: largest ratio of errors, N = 8", most,
                most < similar};
    if (!claim.holds) {
        claim.erratum = fmt::format(
            "The errors of LIPS are larger, nearly those of multirevolution: {:.2e} against {:.2e} with n = 64, {:.2e} "
            "against {:.2e} with n = 128.",
            lips(64).error, sam(64).error, lips(128).error, sam(128).error);
    }
    result.claims.push_back(std::move(claim));
    const double work = work_for(sam(64).error, lips(64), lips(128)) / sam(64).micro_steps;
    result.claims.push_back(
        {"the performance of LIPS is very similar to that of SAM (section 7): its work for the error of SAM with n = "
         "64 "
         "over that of SAM",
         work, work > 1 / similar && work < similar});
}

/// Multirevolution beside SAM.
void add_same_error(Result& result, Diagram& rk4) {
    const Sentences say{result};
    const auto error = [&](int power, std::size_t n) { return rk4.multirevolution({power, n, 8}).error; };
    say.exponent("(35): the error of multirevolution is O((Delta tau)^p/eps): exponent of Delta tau, eps = 2^-14",
                 std::log2(error(14, 64) / error(14, 128)), 4);
    say.exponent("(35): the error of multirevolution is O((Delta tau)^p/eps): exponent of eps, n = 128",
                 std::log2(error(13, 128) / error(14, 128)), -1);
    const auto sam = [&](std::size_t n) { return rk4.sam({12, n, 8}); };
    const auto mapped = [&](std::size_t n) { return rk4.multirevolution({12, n, 8}); };
    const double ratio = mapped(64).error / sam(64).error;
    Claim claim{"multirevolution (32): for each N and Delta tau the error is the same as in SAM: ratio, N = 8, n = 64",
                ratio, std::abs(ratio - 1) < 0.05};
    claim.erratum = fmt::format(
        "Its error is larger: {:.2e} against {:.2e} with n = 64, {:.2e} against {:.2e} with n = 128 (eps = "
        "2^-12, N = 8).",
        mapped(64).error, sam(64).error, mapped(128).error, sam(128).error);
    result.claims.push_back(std::move(claim));
    const double work = work_for(sam(64).error, mapped(64), mapped(128)) / sam(64).micro_steps;
    result.claims.push_back(
        {"multirevolution methods are more efficient than SAM (section 7): their work for the error of SAM over its",
         work, work < 1});
}

/// Of unperturbed orbits, which all have the same period.
void add_linear_growth(Result& result) {
    Curve growth;
    for (const std::int64_t periods : {16, 32, 64, 128}) {
        const auto end = conventional(perturbed_kepler(0), "rk4", 2 * pi, 64, periods, 1, kepler_start);
        growth.x.push_back(static_cast<double>(periods));
        growth.y.push_back(largest_change(end[0], kepler_start));
    }
    claim_exponent(result, growth, 1,
                   "where all solutions have the same period, errors of conventional integrators grow linearly with "
                   "time: exponent, eps = 0, n = 64");
}

Result figure_3() {
    Result result;
    Diagram rk4("rk4");
    add_panels(result, rk4, {16, 32, 64, 128}, {2, 4, 8});
    add_pictures(result, "Figure 3", {2, 4, 8});
    expect(result, "n=64", "top sam eps=2^-12 N=8 error", 4.54e-3);
    expect(result, "n=128", "top sam eps=2^-12 N=8 error", 2.99e-4);
    expect(result, "n=64", "top sam eps=2^-13 N=8 error", 9.13e-3);
    expect(result, "n=64", "top multirevolution eps=2^-12 N=8 error", 6.19e-3);
    expect(result, "n=128", "top multirevolution eps=2^-12 N=8 error", 3.52e-4);

    const Sentences say{result};
    add_counts(say, rk4, 8);
    const auto sam = [&](int power, std::size_t n, std::size_t N = 8) { return rk4.sam({power, n, N}).error; };
    const auto conventional = [&](int power, std::size_t n) { return rk4.conventional(power, n).error; };
    const auto order_of_sam = [&](int power, std::size_t N) {
        return std::log2(sam(power, 64, N) / sam(power, 128, N));
    };
    say.exponent("the error of SAM behaves as (Delta tau)^4/eps: exponent of Delta tau, eps = 2^-14, n = 64 and 128",
                 order_of_sam(14, 8), 4);
    say.exponent("the error of SAM behaves as (Delta tau)^4/eps: exponent of eps, 2^-13 and 2^-14, n = 128",
                 std::log2(sam(13, 128) / sam(14, 128)), -1);
    say.exponent("the conventional error does too: exponent of Delta tau",
                 std::log2(conventional(14, 64) / conventional(14, 128)), 4);
    say.exponent("the conventional error does too: exponent of eps",
                 std::log2(conventional(13, 128) / conventional(14, 128)), -1);
    say.between("for given Delta tau and eps it is somewhat larger than that of SAM: ratio, eps = 2^-12, n = 128",
                conventional(12, 128) / sam(12, 128), 1, 2);
    say.between("for eps = 2^-14 the work for a given error is approximately 20 times smaller than conventionally",
                saved(rk4, 14), 15, 25);
    say.between("the relative merit of SAM increases as eps decreases: that number over the one for eps = 2^-12",
                saved(rk4, 14) / saved(rk4, 12), 1, HUGE_VAL);
    for (const std::size_t N : {2, 4}) {
        say.between(fmt::format("for N = {} the line bends: exponent of Delta tau, eps = 2^-12, n = 64 and 128", N),
                    order_of_sam(12, N), 0, 4 - exponent_tolerance);
    }
    add_lips(result, rk4);
    add_same_error(result, rk4);
    add_linear_growth(result);
    return result;
}

// --- Figure 4 -------------------------------------------------------------------------------------------------------

/// Of one step of the splitting, and of the map over a period from the start of the orbit.
void add_local_errors(Result& result) {
    const std::vector<double> off_the_axes{0.9, 0.3, -0.4, 0.8};
    const auto after_a_step = [&](double eps, double step, const char* stepper, std::int64_t n) {
        return conventional(perturbed_kepler(eps), stepper, step, n, 1, 1, off_the_axes)[0];
    };
    const auto of_a_step = [&](double eps, double step) {
        return largest_change(after_a_step(eps, step, "strang", 1), after_a_step(eps, step, "dopri8", 16));
    };
    const auto of_a_period = [](double eps, double step) {
        const auto problem = perturbed_kepler(eps);
        const auto n = static_cast<std::size_t>(std::lround(2 * pi / step));
        return largest_change(OnePeriod(problem, 2 * pi, "strang", n).after(1, kepler_start),
                              OnePeriod(problem, 2 * pi).after(1, kepler_start));
    };
    const auto steps = Scan::parts("n", 2 * pi, {16, 32, 64});
    const auto eps = Scan::negative_powers("eps", {12, 13, 14});
    constexpr double usual_eps = 1.0 / 4096;
    const auto add = [&](const std::string& name, const auto& error, double in_eps, double in_step,
                         const std::string& claim) {
        const auto against_eps =
            measured_column(result, eps, name + ", n=16", [&](double e) { return error(e, 2 * pi / 16); });
        const auto against_step =
            measured_column(result, steps, name + ", eps=2^-12", [&](double step) { return error(usual_eps, step); });
        claim_exponent(result, against_eps, in_eps, claim + ": exponent of eps");
        claim_exponent(result, against_step, in_step, claim + ": exponent of Delta tau");
    };
    add("one period", of_a_period, 2, 2, "the error of the splitting over one period is O(eps^2 (Delta tau)^2)");
    add("one step", of_a_step, 1, 3, "its local error is O(eps (Delta tau)^3) (note 6)");
}

Result figure_4() {
    Result result;
    Diagram strang("strang");
    add_panels(result, strang, {8, 16, 32, 64}, {4, 8, 16});
    add_pictures(result, "Figure 4", {4, 8, 16});
    const Sentences say{result};
    add_counts(say, strang, 16);
    add_local_errors(result);
    const auto sam = [&](int power, std::size_t n) { return strang.sam({power, n, 16}).error; };
    const auto conventional = [&](int power, std::size_t n) { return strang.conventional(power, n).error; };
    say.exponent("the error of SAM behaves as eps (Delta tau)^2: exponent of Delta tau, eps = 2^-12, n = 16 and 32",
                 std::log2(sam(12, 16) / sam(12, 32)), 2);
    say.exponent(
        "the error of SAM behaves as eps (Delta tau)^2 over intervals as long as 1/eps: exponent of eps, 2^-12 and "
        "2^-13, n = 16",
        std::log2(sam(12, 16) / sam(13, 16)), 1);
    say.exponent("the error of SAM behaves as eps (Delta tau)^2: exponent of eps, 2^-13 and 2^-14, n = 16",
                 std::log2(sam(13, 16) / sam(14, 16)), 1);
    say.exponent("the conventional error does too: exponent of Delta tau",
                 std::log2(conventional(12, 16) / conventional(12, 32)), 2);
    say.exponent("the conventional error does too: exponent of eps",
                 std::log2(conventional(12, 16) / conventional(13, 16)), 1);
    const auto mapped = [&](int power, std::size_t n) { return strang.multirevolution({power, n, 16}).error; };
    say.exponent("(36): that of multirevolution too: exponent of Delta tau", std::log2(mapped(12, 16) / mapped(12, 32)),
                 2);
    say.exponent("(36): that of multirevolution too: exponent of eps", std::log2(mapped(12, 16) / mapped(13, 16)), 1);
    say.between("the conventional error is comparable to that of SAM: ratio, eps = 2^-12, n = 16",
                conventional(12, 16) / sam(12, 16), 0.5, 2);
    const double ratio = mapped(12, 16) / sam(12, 16);
    result.claims.push_back({"with this splitting multirevolution has the error of SAM: ratio, N = 16, n = 16", ratio,
                             std::abs(ratio - 1) < 0.05, Source::lento});
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
             figure_4}};
}

}  // namespace lento::papers
