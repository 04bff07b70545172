/// What `direct` takes against the best of other solvers, at equal true error, on four motions
/// (`bench/direct_problems.hpp`): Boost.odeint, CVODE, ARKODE, SciPy, and DOP853 written by hand
/// (`bench/direct_peers.hpp`).
///
/// The error is that of the state at the end, the largest component over the largest value that it takes in the run.
/// Each solver is run at many tolerances; its time and its evaluations at an error are between those of the trial that
/// reaches it and those of the next looser one, on straight lines in logarithms. Times are medians of rounds in which
/// all of them take turns.
///
/// Exits with status 1 if a ratio is above what is promised.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "bench/direct_peers.hpp"
#include "bench/direct_problems.hpp"
#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "tests/source_dir.hpp"

namespace {

constexpr int rounds = 9;
constexpr double long_enough = 0.05;  // seconds: such runs are timed once
constexpr double patience = 0.3;      // seconds: tighter tolerances are not tried after such a run
/// A peer whose rounding leaves it above an error counts with its best run, if that comes as close as this.
constexpr double nearly = 3;
constexpr std::array targets{1e-6, 1e-10};
/// What is promised: without an estimate the time of the best peer times these, and with it times `with_estimate` more.
constexpr std::array most_times{1.5, 1.2};
constexpr double with_estimate = 2.5;
constexpr double text_times = 1.1;

/// Of this program's processor time: what others do on the machine does not show.
double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

/// One way to solve a problem, at the tolerances that were tried.
template <std::size_t N>
struct Solver {
    enum class Kind { peer, lento };
    enum class Speed { fast, slow };  // slow ones are timed only once, by themselves
    struct Trial {
        double tolerance, error;
        std::int64_t evaluations;
        std::vector<double> seconds{};
    };

    std::string name;
    Kind kind;
    std::function<bench::End<N>(double tolerance)> run;
    Speed speed = Speed::fast;
    std::vector<Trial> trials{};

    /// The trial that reaches an error with the one before it. Of peers the first that does, be it by luck; of Lento
    /// the first from which on all tighter ones do.
    std::optional<std::size_t> reaching(double error) const {
        const auto reaches = [error](const Trial& trial) { return trial.error <= error; };
        std::size_t k = 0;
        if (kind == Kind::peer) {
            while (k < trials.size() && !reaches(trials[k])) {
                ++k;
            }
        } else {
            for (k = trials.size(); k > 0 && reaches(trials[k - 1]);) {
                --k;
            }
        }
        return k < trials.size() ? std::optional(k) : std::nullopt;
    }
    struct Cost {
        double seconds = HUGE_VAL, evaluations = HUGE_VAL;
        double error = 0;  ///< the smallest that there was, where it is not the one asked for
    };
    Cost at(double error) const {
        const auto found = reaching(error);
        if (trials.empty()) {
            return {.error = HUGE_VAL};
        }
        if (!found) {
            const auto& best = *std::ranges::min_element(
                trials, {}, [](const Trial& trial) { return std::isfinite(trial.error) ? trial.error : HUGE_VAL; });
            return best.error <= nearly * error
                       ? Cost{median(best.seconds), static_cast<double>(best.evaluations), best.error}
                       : Cost{.error = best.error};
        }
        const auto& reaches = trials[*found];
        if (*found == 0) {
            return {median(reaches.seconds), static_cast<double>(reaches.evaluations)};
        }
        const auto& misses = trials[*found - 1];
        const double share = std::log(misses.error / error) / std::log(misses.error / reaches.error);
        const auto between = [share](double a, double b) { return a * std::pow(b / a, share); };
        return {between(median(misses.seconds), median(reaches.seconds)),
                between(static_cast<double>(misses.evaluations), static_cast<double>(reaches.evaluations))};
    }
};

template <class P>
class Comparison {
public:
    static constexpr std::size_t n = P::size;
    using Way = Solver<n>;
    using Kind = typename Way::Kind;

    Comparison()
        : written_(P::problem()),
          as_text_(P::as_text()),
          text_(lento::Model::from_file(source_dir / "models" / (std::string(P::model) + ".toml"), assignments())
                    .problem()),
          forces_(text_) {
        if constexpr (requires { P::forces; }) {
            forces_ = lento::Model::from_text(std::string(P::forces)).problem();
        }
        find_truth();
        ways_ = {
            {"odeint dopri5", Kind::peer, bench::by_dopri5<P>},
            {"odeint Bulirsch-Stoer", Kind::peer, [](double tol) { return bench::by_bulirsch_stoer<P>(tol); }},
            {"CVODE Adams", Kind::peer, [](double tol) { return bench::Sundials<P>().adams(tol); }},
            {"ARKODE Verner 6(5)", Kind::peer,
             [](double tol) { return bench::Sundials<P>().runge_kutta(ARKODE_VERNER_8_5_6, tol); }},
            {"ARKODE Fehlberg 8(7)", Kind::peer,
             [](double tol) { return bench::Sundials<P>().runge_kutta(ARKODE_FEHLBERG_13_7_8, tol); }},
            {"DOP853 by hand, C++", Kind::peer, bench::by_hand_dop853<P>},
            {"SciPy DOP853", Kind::peer, by_scipy, Way::Speed::slow},
            {std::string(plain_name), Kind::lento, [this](double tol) { return by_lento(written_, tol, "none"); }},
            {std::string(with_estimate_name), Kind::lento, [this](double tol) { return by_lento(written_, tol, {}); }},
            {std::string(as_text_name), Kind::lento, [this](double tol) { return by_lento(as_text_, tol, "none"); }},
            {std::string(forces_name), Kind::lento, [this](double tol) { return by_lento(forces_, tol, "none"); }},
            {std::string(text_name), Kind::lento, [this](double tol) { return by_lento(text_, tol, "none"); }}};
    }

    bool print() {
        for (auto& way : ways_) {
            scan(way);
        }
        for (const double target : targets) {
            asked_.push_back(trial(estimating(), target));
        }
        for (int round = 0; round < rounds; ++round) {
            time_round();
        }
        fmt::print("\n{}: reference known to {:.1e}\n", P::name, truth_known_);
        fmt::print("  {:<26}", "");
        for (const double target : targets) {
            fmt::print(" | error {:<8.0e} {:>10} {:>8}", target, "ms", "evals");
        }
        fmt::print("\n");
        for (const auto& way : ways_) {
            fmt::print("  {:<26}", way.name);
            for (const double target : targets) {
                const auto cost = way.at(target);
                const bool reached = cost.error == 0;
                fmt::print(" | {:<14} {:>10} {:>8}", reached ? "" : fmt::format("down to {:.1e}", cost.error),
                           cost.seconds < HUGE_VAL ? fmt::format("{:.2f}", 1e3 * cost.seconds) : "-",
                           cost.seconds < HUGE_VAL ? fmt::format("{:.0f}", cost.evaluations) : "-");
            }
            fmt::print("\n");
        }
        bool good = true;
        for (std::size_t k = 0; k < targets.size(); ++k) {
            good = verdict(k) && good;
        }
        std::fflush(stdout);
        return good;
    }

private:
    static std::vector<lento::Model::Assignment> assignments() {
        std::vector<lento::Model::Assignment> given;
        for (const auto& [name, value] : P::assignments()) {
            given.push_back({name, value});
        }
        return given;
    }

    /// By extrapolation in long double, checked by a Runge-Kutta method of order 8 in long double.
    void find_truth() {
        truth_ = bench::by_bulirsch_stoer<P, long double>(1e-16).y;
        const auto other = bench::by_long_fehlberg<P>(1e-17).y;
        // The largest values on the way.
        auto request = this->request(1e-6, "none");
        request.samples = 1001;
        request.sink = [&](double, lento::In y) {
            for (std::size_t i = 0; i < n; ++i) {
                scales_[i] = std::max(scales_[i], std::abs(y[i]));
            }
        };
        lento::solve(written_, request);
        truth_known_ = error(other);
    }
    double error(const std::array<double, n>& y) const {
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) {
            worst = lento::larger(worst, std::abs(y[i] - truth_[i]) / scales_[i]);
        }
        return worst;
    }

    lento::Request request(double tolerance, const std::optional<std::string>& estimate) const {
        std::vector<double> start(n);
        for (std::size_t i = 0; i < n; ++i) {
            start[i] = P::start[i] * P::units[i];
        }
        lento::Request request{.start = start,
                               .t_end = P::t_end * P::unit_of_time,
                               .method = "direct",
                               .rtol = tolerance,
                               .atol = 1e-3 * tolerance * *std::ranges::min_element(P::units),
                               .options = {.estimate = estimate},
                               .keep = lento::Recorder::Keep::nothing};
        if (written_.second_order) {
            request.velocity.assign(start.begin() + n / 2, start.end());
            request.start.resize(n / 2);
        }
        return request;
    }
    bench::End<n> by_lento(const lento::Problem& problem, double tolerance,
                           const std::optional<std::string>& estimate) const {
        const auto solution = lento::solve(problem, request(tolerance, estimate));
        const auto& state = solution.final_state();
        bench::End<n> end{.evaluations =
                              solution.statistics().force_evaluations + solution.statistics().estimate_evaluations};
        std::ranges::copy(state.velocity, std::ranges::copy(state.position, end.y.begin()).out);
        return end;
    }
    static bench::End<n> by_scipy(double tolerance) {
        const auto command = fmt::format("/usr/bin/python3 '{}' {} {}",
                                         (source_dir / "bench" / "direct_scipy.py").string(), P::model, tolerance);
        std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
        std::array<char, 4096> text{};
        if (!pipe || std::fgets(text.data(), text.size(), pipe.get()) == nullptr) {
            throw std::runtime_error("no answer from " + command);
        }
        std::istringstream words(text.data());
        bench::End<n> end;
        words >> end.seconds >> end.evaluations;
        for (std::size_t i = 0; i < n; ++i) {
            words >> end.y[i];
            end.y[i] *= P::units[i];
        }
        return end;
    }

    typename Way::Trial trial(const Way& way, double tolerance) const {
        const double began = processor_seconds();
        const auto end = way.run(tolerance);
        const double seconds = way.speed == Way::Speed::slow ? end.seconds : processor_seconds() - began;
        return {tolerance, error(end.y), end.evaluations, {seconds}};
    }

    /// From loose to tight, until the smallest error is reached, of Lento until it stays reached, or it takes too long.
    void scan(Way& way) const {
        const bool slow = way.speed == Way::Speed::slow;
        const double smallest = *std::ranges::min_element(targets) * (slow ? nearly : 1);
        int reached = 0;
        for (double tolerance = slow ? 1e-6 : 1e-3; tolerance > 2e-14; tolerance /= slow ? 100 : std::sqrt(10.0)) {
            try {
                way.trials.push_back(trial(way, tolerance));
            } catch (const bench::GivesUp&) {
                continue;
            }
            const auto& last = way.trials.back();
            reached = last.error <= smallest ? reached + 1 : 0;
            if (reached >= (way.kind == Kind::peer ? 1 : 3) || (!slow && last.seconds[0] > patience)) {
                return;
            }
        }
    }

    /// Once more for those between which an error is reached, and those of what was asked for.
    void time_round() {
        for (auto& way : ways_) {
            std::set<std::size_t> brackets;
            for (const double target : targets) {
                if (const auto found = way.reaching(target)) {
                    brackets.insert(*found);
                    brackets.insert(*found > 0 ? *found - 1 : 0);
                }
            }
            for (const auto k : brackets) {
                auto& seconds = way.trials[k].seconds;
                if (way.speed == Way::Speed::fast && seconds[0] <= long_enough) {
                    seconds.push_back(trial(way, way.trials[k].tolerance).seconds[0]);
                }
            }
        }
        for (auto& asked : asked_) {
            asked.seconds.push_back(trial(estimating(), asked.tolerance).seconds[0]);
        }
    }

    const Way& named(std::string_view name) const {
        return *std::ranges::find(ways_, name, [](const Way& way) { return std::string_view(way.name); });
    }
    const Way& estimating() const { return named(with_estimate_name); }

    bool verdict(std::size_t k) const {
        const double target = targets[k];
        const Way* best = nullptr;
        for (const auto& way : ways_) {
            if (way.kind == Way::Kind::peer && (best == nullptr || way.at(target).seconds < best->at(target).seconds)) {
                best = &way;
            }
        }
        const double peer = best->at(target).seconds;
        const double plain = named(plain_name).at(target).seconds;
        const double estimated = estimating().at(target).seconds;
        const double asked = median(asked_[k].seconds);
        const double as_text = named(as_text_name).at(target).seconds;
        const double forces = named(forces_name).at(target).seconds;
        const double text = named(text_name).at(target).seconds;
        fmt::print("  at error {:.0e}, over {}:\n", target, best->name);
        bool good = true;
        const auto line = [&](const std::string& what, double ratio, double most) {
            const bool kept = ratio <= most;
            good = good && kept;
            fmt::print("    {:<58} {:>6.2f}, at most {:.2f}{}\n", what, ratio, most, kept ? "" : "  MISSED");
        };
        line("without estimate", plain / peer, most_times[k]);
        line("with estimate", estimated / peer, with_estimate * most_times[k]);
        line(fmt::format("with estimate, rtol = {:.0e} (true error {:.1e})", target, asked_[k].error), asked / peer,
             with_estimate * most_times[k]);
        line("text of forces over C++ with its formulas", forces / as_text, text_times);
        fmt::print("    {:<58} {:>6.2f}\n", "text of the model, a potential perhaps, over the same", text / as_text);
        return good;
    }

    static constexpr std::string_view plain_name = "Lento", with_estimate_name = "Lento, estimate",
                                      text_name = "Lento, text", as_text_name = "Lento, formulas of text",
                                      forces_name = "Lento, text of forces";

    std::array<double, n> truth_{}, scales_{};
    double truth_known_ = 0;
    lento::Problem written_, as_text_, text_, forces_;
    std::vector<Way> ways_;
    std::vector<typename Way::Trial> asked_;  // with an estimate, where the tolerance is the error
};

}  // namespace

/// `lento-bench-direct [NAME...]`: the motions whose models begin like that, or all.
int main(int argc, char** argv) {
    bool good = true;
    const auto compare = [&]<class P>() {
        const auto asked = [](std::string_view name) { return P::model.starts_with(name); };
        if (argc == 1 || std::any_of(argv + 1, argv + argc, asked)) {
            good = Comparison<P>().print() && good;
        }
    };
    compare.operator()<bench::Pendulum>();
    compare.operator()<bench::PaulTrap>();
    compare.operator()<bench::Satellite>();
    compare.operator()<bench::FermiPastaUlam>();
    fmt::print("\n{}\n", good ? "all promises kept" : "a promise is broken: see above");
    return good ? 0 : 1;
}
