#include "judge/undeclared.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "average/period_map.hpp"
#include "base/number.hpp"
#include "judge/first_return.hpp"
#include "lento/march/result.hpp"
#include "problem/probe.hpp"

namespace lento {
namespace {

constexpr double many = 200;  // oscillations in a run: fewer are not worth a word

/// The time of revolutions from one state, if six of them follow each other as those of one oscillation do.
std::optional<double> revolution_from(const Problem& problem, MicroFlow& flow, const Outset& outset, double t,
                                      const std::vector<double>& y) {
    constexpr std::size_t revolutions = 6, steps = 64;
    constexpr double spread = 0.03;  // of their times
    constexpr double bend = 0.15;    // of what one changes, by the next
    constexpr double small = 0.05;   // what is that little changed, over the size of the motion, may bend
    const Interval interval{t, std::min(t + outset.length() / many, outset.t_end)};
    const auto found = first_return(flow, interval, y, problem.second_order, {1e-6, 1e-9}, {});
    if (!found.failure.empty()) {
        return std::nullopt;
    }
    FirstReturn map(flow, found.period, steps, found.scales);
    auto z = y;
    z.push_back(t);
    std::vector<double> reached(revolutions * z.size());
    map.iterate(z, 1, revolutions, reached);
    if (first_not_finite(reached)) {
        return std::nullopt;
    }
    const auto at = [&](std::size_t k, std::size_t i) { return k == 0 ? 0.0 : reached[(k - 1) * z.size() + i]; };
    const std::size_t d = y.size();
    double shortest = HUGE_VAL;
    double longest = 0;
    double changed = 0;
    double bent = 0;
    for (std::size_t k = 0; k < revolutions; ++k) {
        shortest = std::min(shortest, at(k + 1, d) - at(k, d));
        longest = std::max(longest, at(k + 1, d) - at(k, d));
        for (std::size_t i = 0; i < d; ++i) {
            changed = std::max(changed, std::abs(at(k + 1, i) - at(k, i)) / found.scales[i]);
            if (k > 0) {
                bent = std::max(bent, std::abs(at(k + 1, i) - 2 * at(k, i) + at(k - 1, i)) / found.scales[i]);
            }
        }
    }
    const bool regular = longest - shortest < spread * longest;
    const bool near_identity = changed < small && bent < std::max(bend * changed, 1e-6);
    return regular && near_identity ? std::optional(at(revolutions, d) / revolutions) : std::nullopt;
}

/// The times at which a component of the force crosses its mean upwards, over a stretch.
class Crossings {
public:
    Crossings(const Problem& problem, const Outset& outset)
        : problem_(&problem),
          probes_(outset.start, outset.velocity, outset.t_start, outset.t_end),
          theta_(problem.phases.size(), 1.0),
          f_(problem.dimension()) {}

    bool sees_time() {
        evaluate(NAN);
        return first_not_finite(f_).has_value();
    }

    /// The frequency, if the crossings are many and equally far from each other.
    std::optional<double> frequency(double from, double length, std::size_t component) {
        constexpr int looks = 512;
        constexpr std::size_t fewest = 6, most = looks / 8;
        constexpr double spread = 0.05;
        std::vector<double> values;
        for (int k = 0; k <= looks; ++k) {
            evaluate(from + length * k / looks);
            values.push_back(f_[component]);
        }
        const auto [low, high] = std::ranges::minmax(values);
        if (first_not_finite(values) || !(high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))) {
            return std::nullopt;
        }
        const double middle = 0.5 * (low + high);
        std::vector<double> times;
        for (int k = 0; k < looks; ++k) {
            const double a = values[static_cast<std::size_t>(k)] - middle;
            const double b = values[static_cast<std::size_t>(k) + 1] - middle;
            if (a < 0 && b >= 0) {
                times.push_back(from + length * (k - a / (b - a)) / looks);
            }
        }
        if (times.size() < fewest || times.size() > most) {
            return std::nullopt;
        }
        double shortest = HUGE_VAL;
        double longest = 0;
        for (std::size_t k = 1; k < times.size(); ++k) {
            shortest = std::min(shortest, times[k] - times[k - 1]);
            longest = std::max(longest, times[k] - times[k - 1]);
        }
        return longest - shortest < spread * longest
                   ? std::optional(2 * std::numbers::pi * static_cast<double>(times.size() - 1) /
                                   (times.back() - times.front()))
                   : std::nullopt;
    }

    /// How fast the motion is by itself: the largest slope of the force's mean over a period, or its root.
    double own_rate(double from, double period) {
        constexpr int looks = 32;
        const std::size_t n = problem_->dimension();
        const auto& state = probes_.states[1];
        double fastest = 0;
        const auto include = [&](std::vector<double> ProbeStates::State::*part, bool root) {
            const double size = std::max(largest(state.*part), 1e-3);
            for (std::size_t j = 0; j < n; ++j) {
                std::vector<double> mean(n, 0.0);
                for (int k = 0; k < looks; ++k) {
                    auto moved = state;
                    for (const double side : {1.0, -1.0}) {
                        (moved.*part)[j] = (state.*part)[j] + side * 1e-4 * size;
                        evaluate(moved, from + period * k / looks);
                        add_to(mean, side / (2e-4 * size * looks), f_);
                    }
                }
                fastest = larger(fastest, root ? std::sqrt(largest(mean)) : largest(mean));
            }
        };
        include(&ProbeStates::State::x, problem_->second_order);
        if (problem_->second_order) {
            include(&ProbeStates::State::v, false);
        }
        return fastest;
    }

private:
    void evaluate(double t) { evaluate(probes_.states[1], t); }
    void evaluate(const ProbeStates::State& state, double t) {
        problem_->forces.at(state.x.data(), problem_->second_order ? state.v.data() : nullptr, t, theta_.data(),
                            problem_->parameters.data(), f_.data());
    }

    const Problem* problem_;
    ProbeStates probes_;
    std::vector<double> theta_, f_;
};

/// A number that is read: as many digits as are known.
std::string rounded(double number) {
    return fmt::format("{:.4g}", number);
}

}  // namespace

UndeclaredPhase undeclared_phase(const Problem& problem, const Outset& outset,
                                 const std::vector<std::pair<double, std::vector<double>>>& states) {
    constexpr double agree = 0.15;
    UndeclaredPhase found;
    if (!problem.phases.empty() || problem.period || problem.springs || problem.constraints || states.empty()) {
        return found;
    }
    const auto flow = micro_flow(problem, usual_micro_stepper(problem), outset.t_start);
    std::vector<double> periods;
    for (const auto& [t, y] : states) {
        if (const auto period = revolution_from(problem, *flow, outset, t, y)) {
            periods.push_back(*period);
        }
    }
    found.evaluations = flow->evaluations();
    if (4 * periods.size() >= 3 * states.size()) {  // six of eight
        std::ranges::sort(periods);
        const double median = periods[periods.size() / 2];
        const auto near =
            std::ranges::count_if(periods, [&](double period) { return std::abs(period - median) < agree * median; });
        if (4 * static_cast<std::size_t>(near) >= 3 * states.size() && median * many < outset.length()) {
            found.period = median;
        }
    }
    return found;
}

std::optional<double> undeclared_frequency(const Problem& problem, const Outset& outset) {
    constexpr double agree = 0.05;
    constexpr double shortest = 1e-9;  // of the run: nobody resolves more
    if (!problem.time_dependent) {
        return std::nullopt;
    }
    Crossings crossings(problem, outset);
    if (!crossings.sees_time()) {
        return std::nullopt;
    }
    // From long stretches to short ones: what is too fast for one has no equal distances there, or too many.
    for (double share = 64 / many; share > shortest; share /= 6) {
        const double length = share * outset.length();
        for (std::size_t i = 0; i < problem.dimension(); ++i) {
            const auto first = crossings.frequency(outset.t_start, length, i);
            const auto later =
                first ? crossings.frequency(outset.t_start + 0.37 * outset.length(), length, i) : std::nullopt;
            // NOTE: half of the stretch at other places between the looks: what was too fast for them shows another.
            const auto finer = later ? crossings.frequency(outset.t_start, 0.618 * length, i) : std::nullopt;
            if (finer && std::abs(*later - *first) < agree * *first && std::abs(*finer - *first) < agree * *first &&
                *first * outset.length() > 2 * std::numbers::pi * many) {
                // NOTE: a drive as slow as what it drives is none that can be averaged over.
                constexpr double faster = 10;
                const double own = crossings.own_rate(outset.t_start, 2 * std::numbers::pi / *first);
                return *first > faster * own ? first : std::nullopt;
            }
        }
    }
    return std::nullopt;
}

std::string advice_on_period(double period, const Outset& outset, std::string_view method) {
    return fmt::format(
        "the motion looks like one fast oscillation with a period of {} ({:.0f} in this run), which nobody declared: "
        "declare [oscillation] period = {}, or try the method {}",
        rounded(period), outset.length() / period, rounded(period), method);
}

std::string advice_on_frequency(double frequency, const Outset& outset) {
    return fmt::format(
        "a force changes with t itself, periodically and {:.0f} times in this run; if that is a vibration, declare it, "
        "[vibration.theta] frequency = {}, and write theta for it in the force, so that it can be averaged",
        frequency * outset.length() / (2 * std::numbers::pi), rounded(frequency));
}

}  // namespace lento
