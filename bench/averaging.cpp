/// What is lost around harmonic averages: the inverted pendulum at rtol = 1e-6, with its estimate, against the averaged
/// equation that is known in closed form, by a DOP853 written by hand for it that errs by as much; and what evaluations
/// they take. Both run alternately, and medians count.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "bench/direct_peers.hpp"
#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "papers/pendulum.hpp"

extern const std::filesystem::path source_dir;

namespace {

using Clock = std::chrono::steady_clock;

/// (2.5), (2.6) of vibrated.
struct AveragedPendulum {
    static constexpr std::size_t size = 2;
    static constexpr double l = 0.2, g = 9.8, v_max = 4, t_end = 1;
    static constexpr std::array<double, size> units{1, 1}, start{0.5, 0};

    template <class Real>
    static void rate(const Real* y, Real* dy, Real) {
        using std::cos, std::sin;
        dy[0] = y[1];
        dy[1] = (Real(g / l) - Real(v_max * v_max / (2 * l * l)) * cos(y[0])) * sin(y[0]);
    }
};

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

double seconds(auto&& run) {
    const auto began = Clock::now();
    run();
    return std::chrono::duration<double>(Clock::now() - began).count();
}

lento::Request request(double omega, double rtol) {
    return {.start = {0.5},
            .t_end = std::floor(omega / (2 * std::numbers::pi)) * 2 * std::numbers::pi / omega,
            .method = "harmonic",
            .rtol = rtol,
            .atol = rtol / 100,
            .keep = lento::Recorder::Keep::nothing};
}

double angle(const lento::Solution& run) {
    return run.reconstruct(run.final_state()).position[0];
}

/// The loosest tolerance, by factors of two, whose error is that at most.
double tolerance_for(double error) {
    const double truth = bench::by_hand_dop853<AveragedPendulum>(1e-13).y[0];
    double tolerance = 1e-3;
    while (tolerance > 1e-12 && std::abs(bench::by_hand_dop853<AveragedPendulum>(tolerance).y[0] - truth) > error) {
        tolerance /= 2;
    }
    return tolerance;
}

void against_the_averaged_equation(double omega) {
    const auto problem = lento::papers::Pendulum{}.vibrated(omega);
    const auto asked = request(omega, 1e-6);
    const auto run = lento::solve(problem, asked);
    const double truth = angle(lento::solve(problem, request(omega, std::max(1e-10, 3e-16 * omega))));
    const double error = std::abs(angle(run) - truth);
    const double tolerance = tolerance_for(error);
    constexpr int repeats = 201;
    std::vector<double> here, by_hand;
    std::int64_t evaluations = 0;
    for (int k = 0; k < repeats; ++k) {
        here.push_back(seconds([&] { lento::solve(problem, asked); }));
        by_hand.push_back(
            seconds([&] { evaluations = bench::by_hand_dop853<AveragedPendulum>(tolerance).evaluations; }));
    }
    fmt::print("{:<8.0e} {:>9} {:>9.1f} {:>9.1e} {:>9} {:>9.1f} {:>7.1f} {:>7}\n", omega,
               run.statistics().all_evaluations(), 1e6 * median(here), error, evaluations, 1e6 * median(by_hand),
               median(here) / median(by_hand), 5);
}

void evaluations(std::string_view what, std::int64_t found, std::int64_t wanted) {
    fmt::print("{:<40} {:>9} {:>9}\n", what, found, wanted);
}

}  // namespace

int main() {
    fmt::print(
        "the pendulum by harmonic averages at rtol = 1e-6, and its averaged equation by hand with the same error\n");
    fmt::print("{:<8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7}\n", "omega", "evals", "us", "error", "evals", "us",
               "ratio", "wanted");
    for (const double omega : {1e5, 1e8}) {
        against_the_averaged_equation(omega);
    }
    fmt::print("\n{:<40} {:>9} {:>9}\n", "evaluations at rtol = 1e-6", "found", "wanted");
    for (const double omega : {1e5, 1e8}) {
        const auto run = lento::solve(lento::papers::Pendulum{}.vibrated(omega), request(omega, 1e-6));
        evaluations(fmt::format("pendulum, omega = {:.0e}", omega),
                    static_cast<std::int64_t>(run.statistics().all_evaluations()), 1400);
    }
    const auto model = lento::Model::from_file(source_dir / "models" / "double-pendulum.toml");
    auto asked = model.request();
    asked.options = {};
    asked.method = "harmonic";
    asked.rtol = 1e-6;
    asked.atol = 1e-8;
    const auto run = lento::solve(model.problem(), asked);
    evaluations("double pendulum", static_cast<std::int64_t>(run.statistics().all_evaluations()), 13'000);
    return run.outcome() == lento::Outcome::completed ? 0 : 1;
}
