/// The Verlet micro-loop of a window against the same loop written by hand in plain C++: the pendulum, and a chain of
/// 16 masses.
///
/// The loops do the same work: kick, drift, exact phase, force, kick, compensated sum. They run alternately in one
/// process; the program prints the ratio of the medians and exits with status 1 if one exceeds the limit given by
/// --limit.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/average/window.hpp"
#include "lento/lento.hpp"

namespace {

constexpr double omega = 1e6;
constexpr std::size_t steps_per_period = 80;
constexpr std::size_t each_side = 400;
constexpr std::size_t links = 16;
constexpr double two_pi = 2 * std::numbers::pi;
constexpr double micro_step = two_pi / omega / steps_per_period;

const lento::FilterWeights& weights() {
    static const lento::FilterWeights filter(lento::Filter("exponential"), each_side);
    return filter;
}

struct PendulumForce {
    double l = 0.2;
    double g = 9.8;
    double v_max = 4;
    void operator()(auto x, auto, auto, auto theta, auto f) const {
        f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
    }
};

/// Masses in a row, neighbours joined by hardening springs, both ends held, all shaken in proportion to their
/// displacement.
template <class X, class F>
inline void chain_force(const X& x, double theta, F& f) {
    const double shake = omega * std::cos(theta);
    for (std::size_t i = 0; i < links; ++i) {
        const double before = i > 0 ? x[i] - x[i - 1] : x[i];
        const double after = i + 1 < links ? x[i + 1] - x[i] : -x[i];
        f[i] = after - before + after * after * after - before * before * before + shake * x[i];
    }
}
struct ChainForce {
    void operator()(auto x, auto, auto, auto theta, auto f) const { chain_force(x, theta, f); }
};

template <std::size_t Extent, class Force>
void library_loop(benchmark::State& state, Force force, std::vector<double> start) {
    auto system = lento::vibrated_system<Extent>(omega, force);
    lento::Acceleration acceleration(system);
    lento::Window<decltype(system), lento::Verlet> window(
        acceleration, lento::time_scales(system),
        {weights(), steps_per_period, lento::Sides::forward, lento::VelocityUse::none});
    const std::vector<double> rest(start.size(), 0.0);
    const std::vector<double> phase{0.0};
    std::vector<double> average(start.size());
    for (auto _ : state) {
        benchmark::DoNotOptimize(start.data());
        window.average_acceleration({.x = lento::view<Extent>(std::span<const double>(start)),
                                     .v = lento::view<Extent>(std::span<const double>(rest)),
                                     .phases = phase},
                                    lento::view<Extent>(std::span<double>(average)));
        benchmark::DoNotOptimize(average.data());
        benchmark::ClobberMemory();
    }
}

void hand_pendulum(benchmark::State& state) {
    const PendulumForce p;
    const auto& w = weights();
    double start = 0.5;
    double average = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(start);
        double x = start;
        double v = 0;
        double a = (p.g + p.v_max * omega * std::cos(0.0)) / p.l * std::sin(x);
        double sum = w[0] * a;
        double carry = 0;
        int turn = 0;
        for (std::size_t k = 1; k <= each_side; ++k) {
            v += micro_step / 2 * a;
            x += micro_step * v;
            turn = 2 * (turn + 1) > static_cast<int>(steps_per_period) ? turn + 1 - static_cast<int>(steps_per_period)
                                                                       : turn + 1;
            a = (p.g + p.v_max * omega * std::cos(two_pi * (turn / static_cast<double>(steps_per_period)))) / p.l *
                std::sin(x);
            v += micro_step / 2 * a;
            const double term = 2 * w[k] * a;
            const double total = sum + term;
            const double taken = total - sum;
            carry += (sum - (total - taken)) + (term - taken);
            sum = total;
        }
        average = sum + carry;
        benchmark::DoNotOptimize(average);
        benchmark::ClobberMemory();
    }
}

void hand_chain(benchmark::State& state) {
    const auto& w = weights();
    std::array<double, links> start;
    start.fill(0.1);
    std::array<double, links> average;
    for (auto _ : state) {
        benchmark::DoNotOptimize(start.data());
        std::array<double, links> x = start;
        std::array<double, links> v{};
        std::array<double, links> a;
        std::array<double, links> sum{};
        std::array<double, links> carry{};
        const auto add = [&](double weight) {
            for (std::size_t i = 0; i < links; ++i) {
                const double term = weight * a[i];
                const double total = sum[i] + term;
                const double taken = total - sum[i];
                carry[i] += (sum[i] - (total - taken)) + (term - taken);
                sum[i] = total;
            }
        };
        chain_force(x, 0, a);
        add(w[0]);
        int turn = 0;
        for (std::size_t k = 1; k <= each_side; ++k) {
            for (std::size_t i = 0; i < links; ++i) {
                v[i] += micro_step / 2 * a[i];
                x[i] += micro_step * v[i];
            }
            turn = 2 * (turn + 1) > static_cast<int>(steps_per_period) ? turn + 1 - static_cast<int>(steps_per_period)
                                                                       : turn + 1;
            chain_force(x, two_pi * (turn / static_cast<double>(steps_per_period)), a);
            for (std::size_t i = 0; i < links; ++i) {
                v[i] += micro_step / 2 * a[i];
            }
            add(2 * w[k]);
        }
        for (std::size_t i = 0; i < links; ++i) {
            average[i] = sum[i] + carry[i];
        }
        benchmark::DoNotOptimize(average.data());
        benchmark::ClobberMemory();
    }
}

/// Collects the time of every repetition, by name.
class Collector : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.run_type == Run::RT_Iteration) {
                times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
            }
        }
    }
    double median(const std::string& name) {
        auto& values = times_.at(name);
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }

private:
    std::map<std::string, std::vector<double>> times_;
};

}  // namespace

int main(int argc, char** argv) {
    double limit = HUGE_VAL;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::string(argv[i]) == "--limit") {
            limit = std::atof(argv[i + 1]);
        }
    }
    // NOTE: random interleaving spreads what else the machine does over both loops alike.
    std::vector<std::string> arguments{argv[0], "--benchmark_repetitions=41",
                                       "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02"};
    std::vector<char*> pointers;
    for (auto& argument : arguments) {
        pointers.push_back(argument.data());
    }
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    benchmark::RegisterBenchmark("pendulum, lento",
                                 [](benchmark::State& state) { library_loop<1>(state, PendulumForce{}, {0.5}); });
    benchmark::RegisterBenchmark("pendulum, by hand", hand_pendulum);
    benchmark::RegisterBenchmark("chain of 16, lento", [](benchmark::State& state) {
        library_loop<links>(state, ChainForce{}, std::vector<double>(links, 0.1));
    });
    benchmark::RegisterBenchmark("chain of 16, by hand", hand_chain);
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);

    bool within = true;
    for (const std::string name : {"pendulum", "chain of 16"}) {
        const double library = collector.median(name + ", lento");
        const double hand = collector.median(name + ", by hand");
        fmt::print("Verlet micro-loop, {:<12} lento {:7.2f} ns a step, by hand {:7.2f} ns, ratio {:.3f}\n", name,
                   library / each_side, hand / each_side, library / hand);
        within = within && library / hand <= limit;
    }
    return within ? 0 : 1;
}
