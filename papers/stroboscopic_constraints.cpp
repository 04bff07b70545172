/// Section 6.2 of the paper stroboscopic, figure 6: a double pendulum on a vibrating support, in the
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
#include "double_pendulum.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "power_law.hpp"
#include "reproduction.hpp"
#include "stroboscopic_runs.hpp"

namespace lento::papers {
namespace {

constexpr double pi = std::numbers::pi;
const Chain pendulum = double_pendulum();

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

/// The largest errors of both angles at the ends of macro-steps; the diagrams show that of q_1.
struct Errors {
    Measured q1;
    double q2 = 0;

    void compare(const Solution& truth, double t, std::span<const double> state) {
        const auto exact = truth.slow(t).position;
        q1.error = larger(q1.error, std::abs(pendulum.angle(state, 0) - exact[0]));
        q2 = larger(q2, std::abs(pendulum.angle(state, 1) - exact[1]));
    }
};

Errors sam(const Setting& s, const Solution& truth) {
    Request request{.start = pendulum.position({0.5, 0}), .t_end = t_end(s.H), .method = "sam"};
    request.options.macro = "herk3";
    request.options.macro_step = s.H;
    request.options.micro = "herk3";
    request.options.micro_steps_per_period = s.n;
    const auto run = plain_run(pendulum.vibrated(1 / s.eps), request);
    const double nothing = run.outcome() == Outcome::completed ? 0 : std::nan("");
    Errors errors{{counted_micro_steps(run, s.n, 3), nothing}, nothing};
    for (const auto& step : run.trajectory().steps()) {
        errors.compare(truth, step.to(), run.slow(step.to()).position);
    }
    return errors;
}

/// HERK3 throughout, compared as often as macro-steps are.
Errors conventional_herk(double eps, std::size_t n, const Solution& truth) {
    const double period = 2 * pi * eps;
    constexpr std::size_t marks = 795;
    const auto periods = static_cast<std::int64_t>(std::floor(1 / period)) / std::int64_t{marks} * std::int64_t{marks};
    const auto steps = static_cast<std::int64_t>(n);
    const auto states =
        conventional(pendulum.vibrated(1 / eps), "herk3", period, steps, periods, marks, start_on_rods());
    Errors errors{{static_cast<double>(steps * periods), 0}, 0};
    for (std::size_t k = 0; k < marks; ++k) {
        errors.compare(truth, static_cast<double>(periods) * static_cast<double>(k + 1) / marks * period, states[k]);
    }
    return errors;
}

/// Runs that are asked for again are not done again.
class Runs {
public:
    const Errors& averaged(const Setting& s) {
        return known(averaged_, s, [&] { return sam(s, truth(s.eps, s.H)); });
    }
    /// H = pi/2500.
    const Errors& averaged(double eps, std::size_t n) { return averaged({eps, pi / 2500, n}); }
    const Errors& conventional(double eps, std::size_t n) {
        return known(conventional_, std::pair{eps, n},
                     [&] { return conventional_herk(eps, n, truth(eps, pi / 2500)); });
    }
    const Solution& truth(double eps, double H) {
        return known(truths_, std::pair{eps, H}, [&] { return reference(eps, t_end(H)); });
    }

private:
    template <class Key, class Value, class Make>
    static const Value& known(std::map<Key, Value>& values, const Key& key, Make&& make) {
        const auto found = values.find(key);
        return found != values.end() ? found->second : values.emplace(key, make()).first->second;
    }

    std::map<std::pair<double, double>, Solution> truths_;
    std::map<Setting, Errors> averaged_;
    std::map<std::pair<double, std::size_t>, Errors> conventional_;
};

constexpr std::array<std::size_t, 4> printed_ns{4, 8, 16, 32};
constexpr std::array<int, 4> parts{625, 1250, 2500, 5000};  // H = pi/625, ...

void add(Result& result, std::size_t n, const std::string& column, const Errors& errors,
         std::optional<double> reference = {}) {
    const std::string label = fmt::format("n={}", n);
    result.rows.push_back({label, column + " error", {}, errors.q1.error, true, 0.05, reference});
    result.rows.push_back({label, column + " micro-steps", {}, errors.q1.micro_steps});
}

/// H = pi/2500.
void add_top_panel(Result& result, Runs& runs) {
    using References = std::array<std::optional<double>, 4>;
    for (const auto& [eps, references] : {std::pair{1e-4, References{{{}, 0.101, 8.3e-3, 2.38e-3}}},
                                          std::pair{1e-6, References{{{}, 0.094, 9.5e-3, 3.96e-3}}},
                                          std::pair{1e-8, References{{{}, 0.094, 9.5e-3, 3.9e-3}}}}) {
        for (std::size_t k = 0; k < printed_ns.size(); ++k) {
            const auto column = fmt::format("top SAM eps={:.0e}", eps);
            const auto& errors = runs.averaged(eps, printed_ns[k]);
            add(result, printed_ns[k], column, errors, references[k]);
            result.rows.push_back({fmt::format("n={}", printed_ns[k]), column + " error in q2", {}, errors.q2});
        }
    }
    for (const auto& [eps, references] :
         {std::pair{1e-4, References{{{}, {}, 1.21e-2, 1.17e-3}}}, std::pair{1e-6, References{}}}) {
        for (std::size_t k = 0; k < printed_ns.size(); ++k) {
            add(result, printed_ns[k], fmt::format("top conventional eps={:.0e}", eps),
                runs.conventional(eps, printed_ns[k]), references[k]);
        }
    }
}

/// eps = 1e-6.
void add_bottom_panel(Result& result, Runs& runs) {
    constexpr std::array<double, 4> floors{0.176, 2.8e-2, 3.6e-3, 4.5e-4};  // of the macro-step, n = 128
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::string column = fmt::format("bottom SAM H=pi/{}", parts[k]);
        for (const std::size_t n : printed_ns) {
            add(result, n, column, runs.averaged({1e-6, pi / parts[k], n}));
        }
        add(result, 128, column, runs.averaged({1e-6, pi / parts[k], 128}), floors[k]);
    }
}

void claim(Result& result, std::string text, double measured, bool holds, Source source = Source::paper) {
    result.claims.push_back({std::move(text), measured, holds, source});
}

/// Numbers of steps, and angles.
void add_claims_on_runs(Result& result, Runs& runs) {
    const double steps = runs.averaged(1e-4, 4).q1.micro_steps / (4776 * 4);
    claim(result, "796 macro-steps take 4776 n micro-steps: over that number, n = 4", steps, steps == 1);
    double highest = 0;
    const auto& truth = runs.truth(1e-6, pi / 2500);
    for (int k = 0; k <= 1000; ++k) {
        highest = larger(highest, largest(truth.slow(k / 1000.0).position));
    }
    claim(result, "the pendula do not fall down: largest angle from the upward vertical, eps = 1e-6", highest,
          highest < pi / 2);
    double least = HUGE_VAL;
    double most = 0;
    for (const double eps : {1e-4, 1e-6}) {
        for (const std::size_t n : {8, 16, 32}) {
            const double ratio = runs.averaged(eps, n).q2 / runs.averaged(eps, n).q1.error;
            least = -larger(-least, -ratio);
            most = larger(most, ratio);
        }
    }
    claim(result, "errors in q_2 are somewhat larger than in q_1: least ratio, SAM with n = 8, 16, 32", least,
          least > 1);
    claim(result, "and exhibit a similar behaviour: largest ratio over the least", most / least, most / least < 1.5);
}

constexpr double coincide = 0.05;  // relative difference of errors that are one point in a diagram

/// Of errors at both eps, for the same n.
void add_independence(Result& result, Runs& runs) {
    const auto apart = [](const Errors& one, const Errors& other) {
        return std::abs(one.q1.error / other.q1.error - 1);
    };
    double between_papers = 0;
    double conventional = 0;
    double smaller = 0;
    for (const std::size_t n : printed_ns) {
        between_papers = larger(between_papers, apart(runs.averaged(1e-6, n), runs.averaged(1e-4, n)));
        conventional = larger(conventional, apart(runs.conventional(1e-6, n), runs.conventional(1e-4, n)));
        smaller = larger(smaller, apart(runs.averaged(1e-8, n), runs.averaged(1e-6, n)));
    }
    claim(result,
          "for a given macro-step the error of SAM is independent of eps, 1e-4 and 1e-6 almost coincide: largest "
          "relative difference",
          between_papers, between_papers < coincide);
    const auto error = [&](double eps, std::size_t n) { return runs.averaged(eps, n).q1.error; };
    result.claims.back().erratum = fmt::format(
        "At eps = 1e-4 there is more than the limit: with n = 32 the errors are {:.2e} and {:.2e}, with n = "
        "16 {:.2e} and {:.2e}; from 1e-6 on they do not depend on eps.",
        error(1e-4, 32), error(1e-6, 32), error(1e-4, 16), error(1e-6, 16));
    claim(result, "from eps = 1e-6 to 1e-8 it is independent of eps: largest relative difference", smaller,
          smaller < coincide, Source::lento);
    claim(result,
          "the errors of the conventional integration do not vary from eps = 1e-4 to 1e-6: largest relative difference",
          conventional, conventional < coincide);
    const auto resolved = [&](double eps, std::size_t n) { return runs.conventional(eps, n).q1.error; };
    result.claims.back().erratum =
        fmt::format("They become smaller: {:.2e} and {:.2e} with n = 16, {:.2e} and {:.2e} with n = 32.",
                    resolved(1e-4, 16), resolved(1e-6, 16), resolved(1e-4, 32), resolved(1e-6, 32));
}

void add_costs(Result& result, Runs& runs) {
    const double dearer = runs.conventional(1e-6, 8).q1.micro_steps / runs.conventional(1e-4, 8).q1.micro_steps;
    claim(result, "while its cost is multiplied by 100", dearer, std::abs(dearer / 100 - 1) < 0.02);
    const auto saved = [&](double eps) {
        const auto& average = runs.averaged(eps, 32).q1;
        return work_for(average.error, runs.conventional(eps, 16).q1, runs.conventional(eps, 32).q1) /
               average.micro_steps;
    };
    claim(
        result,
        "for eps = 1e-4 the conventional integration is more efficient than SAM: its work for the error of SAM with n "
        "= 32, over that of SAM",
        saved(1e-4), saved(1e-4) < 1);
    claim(result, "for eps = 1e-6 the conclusion is reversed", saved(1e-6), saved(1e-6) > 1);
    const double unfeasible = runs.conventional(1e-6, 32).q1.micro_steps * 100 / runs.averaged(1e-8, 32).q1.micro_steps;
    claim(result,
          "for eps = 1e-8 SAM works as expected, but the conventional integration takes too long: its micro-steps with "
          "n = 32 over those of SAM",
          unfeasible, unfeasible > 1000);
}

void add_macro_errors(Result& result, Runs& runs) {
    std::vector<double> lengths, errors;
    for (const int part : parts) {
        lengths.push_back(pi / part);
        errors.push_back(runs.averaged({1e-6, pi / part, 128}).q1.error);
    }
    for (const int part : {625, 1250}) {
        const auto error = [&](std::size_t n) { return runs.averaged({1e-6, pi / part, n}).q1.error; };
        const double fall = error(16) / error(32);
        claim(
            result,
            fmt::format("for H = pi/{} smaller micro-steps do not always improve the accuracy: what n = 32 in place of "
                        "16 divides the error by",
                        part),
            fall, fall < 1 + coincide);
        if (fall >= 1 + coincide) {
            result.claims.back().erratum = fmt::format(
                "For H = pi/{} they still do, by a factor {:.2f}, where eight are usual; from n = 32 to 128 by {:.2f}.",
                part, fall, error(32) / error(128));
        }
    }
    const double order = slope(std::span(lengths).last(3), std::span(errors).last(3));
    claim(result, "where macro-steps dominate, n = 128, the error is of order 3 in H: order from the last three", order,
          std::abs(order - 3) < 0.2, Source::lento);
}

void add_pictures(Result& result) {
    const std::string x_label = "micro-steps";
    const std::string y_label = "largest error in q_1";
    result.pictures.push_back(log_log(
        "Figure 6, top: H = pi/2500", x_label, y_label,
        {efficiency(result, "top SAM eps=1e-04", "SAM, eps = 10^-4", sam_marker, 0),
         efficiency(result, "top SAM eps=1e-06", "SAM, eps = 10^-6", sam_marker, 1),
         efficiency(result, "top SAM eps=1e-08", "SAM, eps = 10^-8", sam_marker, 2),
         efficiency(result, "top conventional eps=1e-04", "conventional, eps = 10^-4", conventional_marker, 0),
         efficiency(result, "top conventional eps=1e-06", "conventional, eps = 10^-6", conventional_marker, 1)}));
    auto& bottom = result.pictures.emplace_back(log_log("Figure 6, bottom: eps = 10^-6", x_label, y_label, {}));
    for (std::size_t k = 0; k < parts.size(); ++k) {
        bottom.curves.push_back(efficiency(result, fmt::format("bottom SAM H=pi/{}", parts[k]),
                                           fmt::format("SAM, H = pi/{}", parts[k]), sam_marker, k));
    }
    bottom.curves.push_back(
        efficiency(result, "top conventional eps=1e-06", "conventional", conventional_marker, parts.size()));
}

Result figure_6() {
    Result result;
    Runs runs;
    add_top_panel(result, runs);
    add_bottom_panel(result, runs);
    add_claims_on_runs(result, runs);
    add_independence(result, runs);
    add_costs(result, runs);
    add_macro_errors(result, runs);
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
                 "eps = 1e-6; HERK3 alone with eps = 1e-4 and 1e-6. Largest error in an angle at the ends of "
                 "macro-steps, against multirevolution strides in angles with rtol = 1e-9, atol = 1e-11.",
             figure_6}};
}

}  // namespace lento::papers
