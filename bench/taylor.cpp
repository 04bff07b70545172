/// Direct by Taylor series over the pairs of Runge-Kutta and Nystroem, by time at equal true error, on models written
/// as text: the force is the same compiled code in all of them, and the series are made of it.
///
/// The error is that of the state at the end, the largest component over the largest value that it takes; the truth
/// comes from extrapolation in long double. Each way is run without an estimate at many tolerances; its time at an
/// error is between those of the trial from which on all tighter ones reach it and of the next looser one, on a
/// straight line in logarithms. Times are medians of rounds in which all take turns. Compiling is told by itself: the
/// first run less the next one.
///
/// Exits with status 1 if a ratio to DOP853 is above what is promised.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <optional>
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
constexpr double target = 1e-10, promised = 0.5;
constexpr std::array ways{"dop853", "rkn12", "taylor"};

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

struct Trial {
    double tolerance, error;
    std::int64_t steps, evaluations;
    std::vector<double> seconds{};
};

template <class P>
class Row {
public:
    static constexpr std::size_t n = P::size;

    Row() : truth_(bench::by_bulirsch_stoer<P, long double>(1e-16).y) {
        std::vector<lento::Model::Assignment> given;
        for (const auto& [name, value] : P::assignments()) {
            given.push_back({name, value});
        }
        problem_ = lento::Model::from_file(source_dir / "models" / (std::string(P::model) + ".toml"), given).problem();
        auto request = this->request(ways[0], 1e-6);
        request.samples = 1001;
        request.sink = [&](double, lento::In y) {
            for (std::size_t i = 0; i < n; ++i) {
                scales_[i] = std::max(scales_[i], std::abs(y[i]));
            }
        };
        lento::solve(problem_, request);
    }

    bool print() {
        const double first = trial("taylor", 1e-6).seconds[0], second = trial("taylor", 1e-6).seconds[0];
        std::array<std::vector<Trial>, ways.size()> trials;
        for (std::size_t w = 0; w < ways.size(); ++w) {
            int reached = 0;
            for (double tolerance = 1e-6; tolerance > 1e-14 && reached < 3; tolerance /= std::sqrt(10.0)) {
                trials[w].push_back(trial(ways[w], tolerance));
                reached = trials[w].back().error <= target ? reached + 1 : 0;
            }
        }
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t w = 0; w < ways.size(); ++w) {
                const auto k = reaching(trials[w]);
                for (auto& timed : std::span(trials[w]).subspan(k > 0 ? k - 1 : k, k > 0 ? 2 : 1)) {
                    timed.seconds.push_back(trial(ways[w], timed.tolerance).seconds[0]);
                }
            }
        }
        fmt::print("\n{}, at error {:.0e}; series compile in {:.1f} ms\n", P::name, target, 1e3 * (first - second));
        const double dop853 = seconds_at(trials[0]);
        for (std::size_t w = 0; w < ways.size(); ++w) {
            const auto& reaches = trials[w][reaching(trials[w])];
            fmt::print("  {:<8} {:>9.3f} ms {:>8} steps {:>9} evaluations (error {:.1e} at rtol {:.1e})\n", ways[w],
                       1e3 * seconds_at(trials[w]), reaches.steps, reaches.evaluations, reaches.error,
                       reaches.tolerance);
        }
        const double ratio = seconds_at(trials.back()) / dop853;
        fmt::print("  taylor over dop853 {:.2f}, at most {:.2f}{}; over rkn12 {:.2f}\n", ratio, promised,
                   ratio <= promised ? "" : "  MISSED", seconds_at(trials.back()) / seconds_at(trials[1]));
        std::fflush(stdout);
        return ratio <= promised;
    }

private:
    lento::Request request(const char* macro, double tolerance) const {
        std::vector<double> start(n);
        for (std::size_t i = 0; i < n; ++i) {
            start[i] = P::start[i] * P::units[i];
        }
        lento::Request request{.start = start,
                               .t_end = P::t_end * P::unit_of_time,
                               .method = "direct",
                               .rtol = tolerance,
                               .atol = 1e-3 * tolerance * *std::ranges::min_element(P::units),
                               .options = {.macro = macro, .estimate = "none"},
                               .keep = lento::Recorder::Keep::nothing};
        if (problem_.second_order) {
            request.velocity.assign(start.begin() + n / 2, start.end());
            request.start.resize(n / 2);
        }
        return request;
    }

    Trial trial(const char* macro, double tolerance) const {
        const auto asked = request(macro, tolerance);
        const double began = processor_seconds();
        const auto solution = lento::solve(problem_, asked);
        const double seconds = processor_seconds() - began;
        const auto& state = solution.final_state();
        std::array<double, n> y{};
        std::ranges::copy(state.velocity, std::ranges::copy(state.position, y.begin()).out);
        double worst = 0;
        for (std::size_t i = 0; i < n; ++i) {
            worst = lento::larger(worst, std::abs(y[i] - truth_[i]) / scales_[i]);
        }
        return {
            tolerance, worst, solution.statistics().macro_steps, solution.statistics().force_evaluations, {seconds}};
    }

    /// The first trial from which on the error is reached; the best where it never is.
    static std::size_t reaching(const std::vector<Trial>& trials) {
        std::size_t k = trials.size();
        while (k > 0 && trials[k - 1].error <= target) {
            --k;
        }
        return k < trials.size()
                   ? k
                   : static_cast<std::size_t>(std::ranges::min_element(trials, {}, &Trial::error) - trials.begin());
    }
    static double seconds_at(const std::vector<Trial>& trials) {
        const std::size_t k = reaching(trials);
        const double reached = median(trials[k].seconds);
        if (k == 0 || trials[k].error > target) {
            return reached;
        }
        const auto& misses = trials[k - 1];
        const double share = std::log(misses.error / target) / std::log(misses.error / trials[k].error);
        return median(misses.seconds) * std::pow(reached / median(misses.seconds), share);
    }

    std::array<double, n> truth_, scales_{};
    lento::Problem problem_;
};

}  // namespace

int main() {
    fmt::print("direct by Taylor series over Runge-Kutta pairs, models written as text\n");
    bool good = Row<bench::Satellite>().print();
    good = Row<bench::Pendulum>().print() && good;
    good = Row<bench::FermiPastaUlam>().print() && good;
    return good ? 0 : 1;
}
