/// The micro-loop of a window against the same loop written by hand (`by_hand.hpp`): the pendulum, and a chain of 16 masses.
///
/// The loops run alternately in one process; the program prints the ratios of the medians, checks that both loops find the same
/// average, and exits with status 1 if a ratio exceeds the limit given by --limit.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "by_hand.hpp"
#include "lento/average/constrained_window.hpp"
#include "lento/average/micro_flow.hpp"
#include "lento/average/window.hpp"
#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "lento/model/system.hpp"
#include "papers/reversible_systems.hpp"

namespace {

const lento::FilterWeights& weights() {
    static const lento::FilterWeights filter(lento::Filter("exponential"), by_hand::each_side);
    return filter;
}

struct PendulumForce {
    void operator()(auto x, auto, auto, auto theta, auto f) const { f[0] = by_hand::pendulum_force(x[0], theta); }
};
struct ChainForce {
    void operator()(auto x, auto, auto, auto theta, auto f) const { by_hand::chain_force(x, theta, f); }
};

/// A loop that averages over one window again and again, and the average it finds.
struct Loop {
    std::string name;
    std::function<void(benchmark::State&)> run;
    std::function<double()> first_component;
};

template <std::size_t Extent, class Force>
auto system_of(std::size_t dimension, Force force) {
    if constexpr (Extent == lento::dynamic) {
        return lento::vibrated_system(dimension, by_hand::omega, force);
    } else {
        return lento::vibrated_system<Extent>(by_hand::omega, force);
    }
}

template <template <class, std::size_t> class Stepper, std::size_t Extent, class Force>
struct LibraryWindow {
    using System = decltype(system_of<Extent>(1, Force{}));

    std::vector<double> start, rest, average, phase{0.0};
    System system;
    lento::Acceleration<System> acceleration;
    lento::Window<System, Stepper> window;

    explicit LibraryWindow(std::vector<double> x)
        : start(std::move(x)),
          rest(start.size(), 0.0),
          average(start.size()),
          system(system_of<Extent>(start.size(), Force{})),
          acceleration(system),
          window(acceleration, lento::time_scales(system),
                 {weights(), by_hand::steps_per_period, lento::Sides::forward, lento::VelocityUse::none}) {}

    void once() {
        window.average_acceleration({.x = lento::view<Extent>(std::span<const double>(start)),
                                     .v = lento::view<Extent>(std::span<const double>(rest)),
                                     .phases = phase},
                                    lento::view<Extent>(std::span<double>(average)));
    }
};

template <template <class, std::size_t> class Stepper, std::size_t Extent, class Force>
Loop library_loop(std::string name, Force, const std::vector<double>& start) {
    using Window = LibraryWindow<Stepper, Extent, Force>;
    return {std::move(name),
            [start](benchmark::State& state) {
                Window window(start);
                for (auto _ : state) {
                    benchmark::DoNotOptimize(window.start.data());
                    window.once();
                    benchmark::DoNotOptimize(window.average.data());
                    benchmark::ClobberMemory();
                }
            },
            [start] {
                Window window(start);
                window.once();
                return window.average[0];
            }};
}

/// A map over five periods, again and again.
template <template <class, std::size_t> class Stepper>
Loop map_loop(std::string name) {
    using System = decltype(system_of<1>(1, PendulumForce{}));
    struct Map {
        lento::MotionFlow<System, Stepper> flow{
            system_of<1>(1, PendulumForce{}),
            lento::PhaseClock({{.frequency = by_hand::omega}}, by_hand::two_pi / by_hand::omega, 0)};
        std::vector<double> start{0.5, 1.5}, increment{0, 0};
        void once() {
            flow.follow({.h = by_hand::h, .turns = 1.0 / by_hand::steps_per_period, .steps = by_hand::each_side}, start,
                        increment);
        }
    };
    return {std::move(name),
            [](benchmark::State& state) {
                Map map;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(map.start.data());
                    map.once();
                    benchmark::DoNotOptimize(map.increment.data());
                    benchmark::ClobberMemory();
                }
            },
            [] {
                Map map;
                map.once();
                return map.increment[0];
            }};
}

Loop hand_pendulum(std::string name, double (*average)(double, const lento::FilterWeights&)) {
    return {std::move(name),
            [average](benchmark::State& state) {
                double start = 0.5;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(start);
                    benchmark::DoNotOptimize(average(start, weights()));
                    benchmark::ClobberMemory();
                }
            },
            [average] { return average(0.5, weights()); }};
}

Loop hand_chain(std::string name) {
    std::array<double, by_hand::links> start;
    start.fill(0.1);
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

/// A window over a model compiled from text, made as a method makes it.
struct ModelWindow {
    using System = lento::VibratedSystem<lento::model::ModelForce>;

    std::vector<double> start, rest, average, phase{0.0};
    System system;
    lento::Acceleration<System> acceleration;
    std::unique_ptr<lento::AnyWindow<System>> window;

    explicit ModelWindow(const lento::model::Model& model)
        : start(lento::model::start_of(model)),
          rest(start.size(), 0.0),
          average(start.size()),
          system(lento::model::second_order_system(model)),
          acceleration(system),
          window(lento::make_window(
              "verlet", acceleration, lento::time_scales(system),
              {weights(), by_hand::steps_per_period, lento::Sides::forward, lento::VelocityUse::none})) {}

    void once() { window->average_acceleration({.x = start, .v = rest, .phases = phase}, average); }
};

Loop model_loop(std::string name, const std::string& text) {
    const auto made = [text] { return ModelWindow(lento::model::read_model({"benchmark", text})); };
    return {std::move(name),
            [made](benchmark::State& state) {
                auto window = made();
                for (auto _ : state) {
                    benchmark::DoNotOptimize(window.start.data());
                    window.once();
                    benchmark::DoNotOptimize(window.average.data());
                    benchmark::ClobberMemory();
                }
            },
            [made] {
                auto window = made();
                window.once();
                return window.average[0];
            }};
}

/// The pendulum as a point in the plane.
auto plane_pendulum() {
    const auto free = lento::vibrated_system(2, by_hand::omega, [](auto, auto, auto, auto theta, auto f) {
        f[0] = 0.0;
        f[1] = -9.8 - 4 * by_hand::omega * std::cos(theta);
    });
    return lento::constrained(free, 1, [](auto x, auto, auto g) { g[0] = x[0] * x[0] + x[1] * x[1] - 0.2 * 0.2; });
}

/// SHAKE over it.
struct ShakeWindow {
    using System = decltype(plane_pendulum());
    using Free = std::decay_t<decltype(std::declval<System>().free())>;
    using Constraints = std::decay_t<decltype(std::declval<System>().constraints())>;
    using Reduced = decltype(lento::reduced(std::declval<System>()));

    std::vector<double> start{0.2 * std::sin(0.5), 0.2 * std::cos(0.5)}, rest{0, 0}, average{0, 0, 0}, phase{0.0};
    System system = plane_pendulum();
    lento::Acceleration<Free> acceleration{system.free()};
    lento::Manifold<Constraints> manifold{system.mass(), system.constraints()};
    lento::ConstrainedWindow<Reduced, Free, Constraints, lento::Shake> window{
        acceleration,
        manifold,
        lento::time_scales(system.free()),
        {weights(), by_hand::steps_per_period, lento::Sides::forward, lento::VelocityUse::none}};

    void once() { window.average_acceleration({.x = start, .v = rest, .phases = phase}, average); }
};

Loop shake_loop(std::string name) {
    return {std::move(name),
            [](benchmark::State& state) {
                ShakeWindow window;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(window.start.data());
                    window.once();
                    benchmark::DoNotOptimize(window.average.data());
                    benchmark::ClobberMemory();
                }
            },
            [] {
                ShakeWindow window;
                window.once();
                return window.average[0];
            }};
}

/// The mean rates of slow variables over one window.
Loop slow_loop(std::string name) {
    struct Window {
        std::vector<double> start{0.5, -0.4, 0.6, 0.8}, rates{0, 0, 0};
        lento::FilterWeights weights{lento::Filter("gentle"), by_hand::each_side / 2};
        std::unique_ptr<lento::SlowAverage> average =
            lento::slow_problem(lento::papers::slow_pendulum(1e-5))->average("verlet", 0, start);
        void once() { average->mean_rates({.h = 1e-5 / 25, .weights = &weights}, start, rates); }
    };
    return {std::move(name),
            [](benchmark::State& state) {
                Window window;
                for (auto _ : state) {
                    benchmark::DoNotOptimize(window.start.data());
                    window.once();
                    benchmark::DoNotOptimize(window.rates.data());
                    benchmark::ClobberMemory();
                }
            },
            [] {
                Window window;
                window.once();
                return window.rates[2];
            }};
}
double slow_by_hand(double start, const lento::FilterWeights&) {
    static const lento::FilterWeights half(lento::Filter("gentle"), by_hand::each_side / 2);
    return by_hand::slow_pendulum(start, half);
}

struct Comparison {
    Loop library, hand;
    double bound;  // that the project sets itself; 0: none
};

std::vector<Comparison> comparisons() {
    const std::vector<double> one{0.5};
    const std::vector<double> many(by_hand::links, 0.1);
    using namespace by_hand;
    constexpr std::size_t masses = 40;
    const std::vector<double> masses_start(masses, 0.1);
    return {
        {library_loop<lento::Verlet, 1>("Verlet, pendulum", PendulumForce{}, one),
         hand_pendulum("Verlet, pendulum, by hand", verlet_pendulum), 1.10},
        {library_loop<lento::Verlet, links>("Verlet, chain of 16", ChainForce{}, many),
         hand_chain("Verlet, chain of 16, by hand"), 1.10},
        {library_loop<lento::Verlet4, 1>("composition of order 4, pendulum", PendulumForce{}, one),
         hand_pendulum("composition of order 4, pendulum, by hand", verlet4_pendulum), 1.10},
        {library_loop<lento::RungeKutta4OnMotion, 1>("RK4, pendulum", PendulumForce{}, one),
         hand_pendulum("RK4, pendulum, by hand", rk4_pendulum), 0},
        {library_loop<lento::Verlet, lento::dynamic>("Verlet, pendulum, length not known", PendulumForce{}, one),
         hand_pendulum("Verlet, pendulum, length not known, by hand", verlet_pendulum), 0},
        {model_loop("Verlet, pendulum from text", pendulum_model()),
         library_loop<lento::Verlet, 1>("Verlet, the same in C++", PendulumForce{}, one), 1.15},
        {model_loop("Verlet, chain of 40 from text", chain_model(masses)),
         library_loop<lento::Verlet, masses>("Verlet, the same chain in C++", ChainForce{}, masses_start), 1.3},
        {map_loop<lento::Verlet>("Verlet, map of the pendulum"),
         hand_pendulum("Verlet, map of the pendulum, by hand", verlet_map_pendulum), 0},
        {map_loop<lento::RungeKutta4OnMotion>("RK4, map of the pendulum"),
         hand_pendulum("RK4, map of the pendulum, by hand", rk4_map_pendulum), 0},
        {slow_loop("Verlet, slow variables"), hand_pendulum("Verlet, slow variables, by hand", slow_by_hand), 0},
        {shake_loop("SHAKE, pendulum in the plane"),
         hand_pendulum("SHAKE, pendulum in the plane, by hand", shake_pendulum), 0},
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
    return good ? 0 : 1;
}
