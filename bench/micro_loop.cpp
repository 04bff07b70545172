/// The micro-loop of a window against the same loop written by hand (`by_hand.hpp`): the pendulum, and a chain of 16
/// masses.
///
/// The loops run alternately in one process; the program prints the ratios of the medians, checks that both loops find
/// the same average, and exits with status 1 if a ratio exceeds the limit given by --limit, or a constrained evaluation
/// takes longer than is wanted.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "average/micro_flow.hpp"
#include "average/window.hpp"
#include "bench/by_hand.hpp"
#include "bench/constrained_evaluation.hpp"
#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "papers/reversible_systems.hpp"
#include "problem/manifold.hpp"

namespace {

const lento::FilterWeights& weights() {
    static const lento::FilterWeights filter(lento::Filter("exponential"), by_hand::each_side);
    return filter;
}

lento::Problem pendulum() {
    return lento::vibrated_system(1, by_hand::omega, [](lento::In x, lento::In, double, double theta, lento::Out f) {
        f[0] = by_hand::pendulum_force(x[0], theta);
    });
}
lento::Problem chain(std::size_t masses) {
    return lento::vibrated_system(
        masses, by_hand::omega,
        [](lento::In x, lento::In, double, double theta, lento::Out f) { by_hand::chain_force(x, theta, f); });
}

/// A loop that averages over one window again and again, and the average it finds.
struct Loop {
    std::string name;
    std::function<void(benchmark::State&)> run;
    std::function<double()> first_component;
};

/// Of something that the library makes once and then asks `once` again and again.
template <class Make>
Loop library_loop(std::string name, Make make) {
    return {std::move(name),
            [make](benchmark::State& state) {
                auto made = make();
                for (auto _ : state) {
                    benchmark::DoNotOptimize(made.start.data());
                    made.once();
                    benchmark::DoNotOptimize(made.found.data());
                    benchmark::ClobberMemory();
                }
            },
            [make] {
                auto made = make();
                made.once();
                return made.found[made.shown];
            }};
}

/// A window as a method makes it.
struct Window {
    std::vector<double> start, rest, found, phase{0.0};
    static constexpr std::size_t shown = 0;
    lento::Acceleration acceleration;
    std::unique_ptr<lento::Window> window;

    Window(const lento::Problem& problem, std::string_view stepper, double from)
        : start(problem.dimension(), from),
          rest(start.size(), 0.0),
          found(start.size()),
          acceleration(problem),
          window(lento::make_window(
              stepper, acceleration, lento::time_scales(problem),
              {weights(), by_hand::steps_per_period, lento::Sides::forward, lento::VelocityUse::none})) {}

    void once() { window->average_acceleration({.x = start, .v = rest, .phases = phase}, found); }
};

constexpr double pendulum_start = 0.5;
constexpr double chain_start = 0.1;

Loop window_loop(std::string name, lento::Problem problem, std::string stepper, double from) {
    return library_loop(std::move(name), [=] { return Window(problem, stepper, from); });
}

/// A map over five periods.
struct Map {
    std::vector<double> start{pendulum_start, 1.5}, found{0, 0};
    static constexpr std::size_t shown = 0;
    std::unique_ptr<lento::MicroFlow> flow;

    explicit Map(std::string_view stepper) : flow(lento::micro_flow(pendulum(), stepper, 0)) {}

    void once() {
        flow->follow({.h = by_hand::h, .turns = 1.0 / by_hand::steps_per_period, .steps = by_hand::each_side}, start,
                     found);
    }
};

Loop map_loop(std::string name, std::string stepper) {
    return library_loop(std::move(name), [=] { return Map(stepper); });
}

Loop hand_pendulum(std::string name, double (*average)(double, const lento::FilterWeights&)) {
    return {std::move(name),
            [average](benchmark::State& state) {
                double start = pendulum_start;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(start);
                    benchmark::DoNotOptimize(average(start, weights()));
                    benchmark::ClobberMemory();
                }
            },
            [average] { return average(pendulum_start, weights()); }};
}

Loop hand_chain(std::string name) {
    std::array<double, by_hand::links> start;
    start.fill(chain_start);
    return {std::move(name),
            [start](benchmark::State& state) mutable {
                std::array<double, by_hand::links> average;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(start.data());
                    by_hand::verlet_chain(start, weights(), average);
                    benchmark::DoNotOptimize(average.data());
                    benchmark::ClobberMemory();
                }
            },
            [start] {
                std::array<double, by_hand::links> average;
                by_hand::verlet_chain(start, weights(), average);
                return average[0];
            }};
}

/// The chain of masses as a model.
std::string chain_model(std::size_t masses) {
    std::string coordinates;
    std::string forces;
    for (std::size_t i = 1; i <= masses; ++i) {
        coordinates += fmt::format("x{} = {{ start = 0.1 }}\n", i);
        const std::string before = i > 1 ? fmt::format("(x{} - x{})", i, i - 1) : fmt::format("x{}", i);
        const std::string after = i < masses ? fmt::format("(x{} - x{})", i + 1, i) : fmt::format("(-x{})", i);
        forces += fmt::format("x{0} = \"{1} - {2} + {1}^3 - {2}^3 + shake*x{0}\"\n", i, after, before);
    }
    return fmt::format(
        "lento = 1\n[definitions]\nshake = "
        "\"{}*cos(theta)\"\n[coordinates]\n{}[forces]\n{}[vibration.theta]\nfrequency = {}\n",
        by_hand::omega, coordinates, forces, by_hand::omega);
}
std::string pendulum_model() {
    return fmt::format(
        "lento = 1\n[parameters]\nl = 0.2\ng = 9.8\nv_max = 4\nomega = {}\n[coordinates]\nq = {{ start = 0.5 }}\n"
        "[forces]\nq = \"(g + v_max*omega*cos(theta))/l * sin(q)\"\n[vibration.theta]\nfrequency = \"omega\"\n",
        by_hand::omega);
}

/// SHAKE over the pendulum as a point in the plane.
struct ShakeWindow {
    std::vector<double> start{0.2 * std::sin(pendulum_start), 0.2 * std::cos(pendulum_start)}, rest{0, 0},
        found{0, 0, 0}, phase{0.0};
    static constexpr std::size_t shown = 0;
    lento::Problem problem = in_the_plane();
    lento::Acceleration active{problem.free()};
    lento::Manifold manifold{problem};
    std::unique_ptr<lento::Window> window = lento::make_constrained_window(
        "shake", active, manifold, lento::time_scales(problem),
        {weights(), by_hand::steps_per_period, lento::Sides::forward, lento::VelocityUse::none});

    static lento::Problem in_the_plane() {
        const auto free = lento::vibrated_system(2, by_hand::omega, [](auto, auto, auto, auto theta, auto f) {
            f[0] = 0.0;
            f[1] = -9.8 - 4 * by_hand::omega * cos(theta);
        });
        return lento::constrained(free, 1, [](auto x, auto, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 0.2 * 0.2; });
    }
    void once() { window->average_acceleration({.x = start, .v = rest, .phases = phase}, found); }
};

/// The mean rates of slow variables over one window.
struct SlowWindow {
    std::vector<double> start{pendulum_start, -0.4, 0.6, 0.8}, found{0, 0, 0};
    static constexpr std::size_t shown = 2;
    lento::FilterWeights weights{lento::Filter("gentle"), by_hand::each_side / 2};
    std::unique_ptr<lento::SlowAverage> average =
        lento::slow_average(lento::papers::slow_pendulum(1e-5), "verlet", 0, start);

    void once() { average->mean_rates({.h = 1e-5 / 25, .weights = &weights}, start, found); }
};

/// The force at five phases, as `harmonic` asks for it again and again, of a slow position that moves on.
struct FivePhases {
    static constexpr std::size_t m = 5;
    static constexpr std::size_t shown = 0;
    std::vector<double> start{pendulum_start}, found{0}, t = std::vector<double>(m), x = t, v = t, f = t;
    std::unique_ptr<lento::BlockForces> force =
        lento::Forces::of(1, 1, [](auto at, auto, auto, auto theta, auto result) {
            result[0] = (9.8 + 4 * by_hand::omega * cos(theta[0])) / 0.2 * sin(at[0]);
        }).blocks();

    void once() {
        found[0] = 0;
        for (std::size_t k = 0; k < by_hand::each_side; ++k) {
            for (std::size_t i = 0; i < m; ++i) {
                x[i] = start[0] + 1e-3 * static_cast<double>(k + i);
            }
            (*force)({0, m, t, x, v, by_hand::phases, {}}, f);
            for (const double value : f) {
                found[0] += value;
            }
        }
    }
};

double slow_by_hand(double start, const lento::FilterWeights&) {
    static const lento::FilterWeights half(lento::Filter("gentle"), by_hand::each_side / 2);
    return by_hand::slow_pendulum(start, half);
}

struct Comparison {
    Loop library, hand;
    double bound;  // that the project sets itself; 0: none
};

std::vector<Comparison> comparisons() {
    using namespace by_hand;
    constexpr std::size_t masses = 40;
    const auto on_pendulum = [](std::string name, std::string stepper) {
        return window_loop(std::move(name), pendulum(), std::move(stepper), pendulum_start);
    };
    return {
        {on_pendulum("Verlet, pendulum", "verlet"), hand_pendulum("Verlet, pendulum, by hand", verlet_pendulum), 1.10},
        {window_loop("Verlet, chain of 16", chain(links), "verlet", chain_start),
         hand_chain("Verlet, chain of 16, by hand"), 1.10},
        {on_pendulum("composition of order 4, pendulum", "verlet4"),
         hand_pendulum("composition of order 4, pendulum, by hand", verlet4_pendulum), 1.10},
        {on_pendulum("RK4, pendulum", "rk4"), hand_pendulum("RK4, pendulum, by hand", rk4_pendulum), 1.20},
        {library_loop("five phases, pendulum", [] { return FivePhases(); }),
         hand_pendulum("five phases, pendulum, by hand", five_phases_of_pendulum), 0},
        {window_loop("Verlet, pendulum from text", lento::Model::from_text(pendulum_model()).problem(), "verlet",
                     pendulum_start),
         on_pendulum("Verlet, the same in C++", "verlet"), 1.05},
        {window_loop("Verlet, chain of 40 from text", lento::Model::from_text(chain_model(masses)).problem(), "verlet",
                     chain_start),
         window_loop("Verlet, the same chain in C++", chain(masses), "verlet", chain_start), 1.3},
        {map_loop("Verlet, map of the pendulum", "verlet"),
         hand_pendulum("Verlet, map of the pendulum, by hand", verlet_map_pendulum), 0},
        {map_loop("RK4, map of the pendulum", "rk4"),
         hand_pendulum("RK4, map of the pendulum, by hand", rk4_map_pendulum), 0},
        {library_loop("Verlet, slow variables", [] { return SlowWindow(); }),
         hand_pendulum("Verlet, slow variables, by hand", slow_by_hand), 0},
        {library_loop("SHAKE, pendulum in the plane", [] { return ShakeWindow(); }),
         hand_pendulum("SHAKE, pendulum in the plane, by hand", shake_pendulum), 1.5},
    };
}

/// Collects the time of every repetition, by name.
class Collector : public benchmark::ConsoleReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const auto& run : runs) {
            if (run.run_type == Run::RT_Iteration) {
                times_[run.run_name.function_name].push_back(run.GetAdjustedCPUTime());
            }
        }
    }
    double median(const std::string& name) {
        auto& values = times_.at(name);
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

private:
    std::map<std::string, std::vector<double>> times_;
};

}  // namespace

int main(int argc, char** argv) {
    double limit = HUGE_VAL;
    if (argc == 3 && std::string(argv[1]) == "--limit") {
        limit = std::atof(argv[2]);
    }
    // NOTE: random interleaving spreads what else the machine does over all loops alike.
    std::vector<std::string> arguments{argv[0], "--benchmark_repetitions=41",
                                       "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.02"};
    std::vector<char*> pointers;
    for (auto& argument : arguments) {
        pointers.push_back(argument.data());
    }
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data());
    const auto all = comparisons();
    for (const auto& comparison : all) {
        benchmark::RegisterBenchmark(comparison.library.name.c_str(), comparison.library.run);
        benchmark::RegisterBenchmark(comparison.hand.name.c_str(), comparison.hand.run);
    }
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);

    bool good = true;
    fmt::print("{:<36} {:>14} {:>14} {:>8} {:>8}\n", "micro-loop", "lento, ns/step", "by hand", "ratio", "bound");
    for (const auto& [library, hand, bound] : all) {
        const double ours = collector.median(library.name) / by_hand::each_side;
        const double theirs = collector.median(hand.name) / by_hand::each_side;
        fmt::print("{:<36} {:>14.2f} {:>14.2f} {:>8.3f} {:>8}\n", library.name, ours, theirs, ours / theirs,
                   bound > 0 ? fmt::format("{:.2f}", bound) : "-");
        good = good && (bound == 0 || ours / theirs <= limit);
        const double difference = std::abs(library.first_component() - hand.first_component());
        if (!(difference <= 1e-7 * std::abs(hand.first_component()))) {
            fmt::print("{}: the averages differ by {}\n", library.name, difference);
            good = false;
        }
    }
    good = bench::constrained_evaluations() && good;
    return good ? 0 : 1;
}
