/// What it takes to follow the inverted pendulum of the paper vibrated (papers/pendulum.hpp) by every method that can,
/// and how honest harmonic averages are on random systems. Times are those of one run of this program, one method after
/// the other; read their ratios.
///
/// Exits with status 1 if harmonic averages miss what they promise.
#include <array>
#include <boost/numeric/odeint.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/lento.hpp"
#include "lento/model/model.hpp"
#include "papers/pendulum.hpp"
#include "tests/method/random_sweep.hpp"

namespace {

using lento::Solution;
using Clock = std::chrono::steady_clock;

/// Errors below these are asked for.
constexpr double angle_error = 1e-6;
constexpr double velocity_error = 1e-5;

struct End {
    double q = 0, v = 0;
};

struct Measured {
    End end{};
    std::int64_t evaluations = 0;
    double seconds = 0;

    double in_angle(const End& truth) const { return std::abs(end.q - truth.q); }
    double in_velocity(const End& truth) const { return std::abs(end.v - truth.v); }
    bool good(const End& truth) const { return in_angle(truth) < angle_error && in_velocity(truth) < velocity_error; }
    bool as_good_as(const Measured& other, const End& truth) const {
        return in_angle(truth) <= other.in_angle(truth) && in_velocity(truth) <= other.in_velocity(truth);
    }
};

/// The shortest of several runs, or one long one.
Measured timed(const std::function<Measured()>& run) {
    constexpr double enough = 0.3;
    Measured best;
    double total = 0;
    for (int k = 0; k < 1000 && total < enough; ++k) {
        const auto began = Clock::now();
        auto measured = run();
        measured.seconds = std::chrono::duration<double>(Clock::now() - began).count();
        total += measured.seconds;
        if (k == 0 || measured.seconds < best.seconds) {
            best = measured;
        }
    }
    return best;
}

/// With the loosest tolerance that satisfies. After some time the last one tried is taken: one that satisfies takes
/// longer still.
Measured loosest(const std::function<bool(const Measured&)>& satisfies, const std::function<Measured(double)>& run) {
    constexpr double tightest = 1e-13;
    constexpr double patience = 40;  // seconds
    double total = 0;
    for (double tolerance = 1e-6;; tolerance /= 4) {
        const auto found = timed([&] { return run(tolerance); });
        total += found.seconds;
        if (satisfies(found) || tolerance < tightest || total > patience) {
            return found;
        }
    }
}

class PendulumTable {
public:
    explicit PendulumTable(double omega)
        : omega_(omega), t_end_(std::floor(omega / (2 * std::numbers::pi)) * 2 * std::numbers::pi / omega) {}

    struct Verdict {
        double factor, factor_at_same_error;  ///< how many times faster than Bulirsch-Stoer harmonic averages are
        bool kept;                            ///< what they promise
    };
    Verdict print() const {
        constexpr double resolvable = 2e6;
        const End truth = omega_ < resolvable ? bulirsch_stoer<long double>(1e-14).end : by("harmonic", 1e-9).end;
        fmt::print("\nomega = {:g}, t = {:.6f}; truth by {}\n", omega_, t_end_,
                   omega_ < resolvable ? "Bulirsch-Stoer in long double" : "harmonic averages at rtol = 1e-9");
        fmt::print("  {:<34} {:>12} {:>11} {:>11} {:>11}\n", "method", "evaluations", "seconds", "error in q",
                   "error in q'");
        const auto harmonic = timed([&] { return by("harmonic", 1e-6); });
        const auto good = [&](const Measured& run) { return run.good(truth); };
        const auto by_extrapolation = [&](double tolerance) { return bulirsch_stoer<double>(tolerance); };
        const auto conventional = loosest(good, by_extrapolation);
        line("Bulirsch-Stoer (Boost.odeint)", conventional, truth);
        Verdict verdict{conventional.seconds / harmonic.seconds, 0, good(harmonic)};
        if (omega_ <= 1e5) {  // later rounding spoils it before it becomes as good
            const auto better =
                loosest([&](const Measured& run) { return run.as_good_as(harmonic, truth); }, by_extrapolation);
            line("the same, as good as harmonic", better, truth);
            verdict.factor_at_same_error = better.seconds / harmonic.seconds;
        }
        line("direct", loosest(good, [&](double tolerance) { return by("direct", tolerance); }), truth);
        for (const auto* method : {"hmm-async", "sam", "multirevolution"}) {
            line(method, timed([&] { return by(method, 1e-7); }), truth);
        }
        line("harmonic", harmonic, truth);
        line("the averaged equation, by hand", timed([&] { return averaged(1e-7); }), truth);
        constexpr std::int64_t most_evaluations = 2300;
        verdict.kept = verdict.kept && harmonic.evaluations <= most_evaluations;
        return verdict;
    }

private:
    void line(const std::string& method, const Measured& measured, const End& truth) const {
        fmt::print("  {:<34} {:>12} {:>11.3g} {:>11.2g} {:>11.2g}\n", method, measured.evaluations, measured.seconds,
                   measured.in_angle(truth), measured.in_velocity(truth));
    }

    lento::Request request(const std::string& method, double rtol) const {
        return {.start = {0.5},
                .t_end = t_end_,
                .method = method,
                .rtol = rtol,
                .atol = rtol / 100,
                .keep = lento::Recorder::Keep::nothing};
    }
    static Measured end_of(const Solution& run) {
        const auto state = run.has_fast() ? run.reconstruct(run.final_state()) : run.final_state();
        return {{state.position[0], state.velocity[0]}, static_cast<std::int64_t>(run.statistics().all_evaluations())};
    }
    Measured by(const std::string& method, double rtol) const {
        return end_of(lento::solve(pendulum_.vibrated(omega_), request(method, rtol)));
    }
    /// What is left when somebody has averaged by hand: the limit of every method that averages.
    Measured averaged(double rtol) const { return end_of(lento::solve(pendulum_.averaged(), request("direct", rtol))); }

    template <class Real>
    Measured bulirsch_stoer(double tolerance) const {
        using State = std::array<Real, 2>;
        std::int64_t evaluations = 0;
        State y{Real(0.5), Real(0)};
        const auto rate = [&](const State& s, State& dy, Real t) {
            using std::cos;
            using std::sin;
            dy[0] = s[1];
            dy[1] = (pendulum_.g + pendulum_.v_max * omega_ * cos(omega_ * t)) / pendulum_.l * sin(s[0]);
            ++evaluations;
        };
        boost::numeric::odeint::bulirsch_stoer<State, Real> stepper(tolerance, tolerance);
        boost::numeric::odeint::integrate_adaptive(stepper, rate, y, Real(0), Real(t_end_), Real(0.1 / omega_));
        return {{static_cast<double>(y[0]), static_cast<double>(y[1])}, evaluations};
    }

    lento::papers::Pendulum pendulum_{};
    double omega_, t_end_;
};

bool pendulum_tables() {
    bool good = true;
    double first = 0;
    for (const double omega : {1e5, 1e6, 1e7, 1e8}) {
        const auto verdict = PendulumTable(omega).print();
        if (first == 0) {
            first = verdict.factor;
            fmt::print("  harmonic is {:.0f} times faster than Bulirsch-Stoer at the same error\n",
                       verdict.factor_at_same_error);
            fmt::print("  where both are just good enough {:.0f} times; wanted are 700\n", verdict.factor);
            good = verdict.factor_at_same_error >= 100;
        }
        fmt::print("  harmonic is {:.0f} times faster than Bulirsch-Stoer; over omega that is {:.2f} of the first\n",
                   verdict.factor, verdict.factor / first * 1e5 / omega);
        good = good && verdict.kept && verdict.factor / first >= omega / 1e5 / 2;
    }
    return good;
}

/// The forces of a text model at m phases: vector code against its scalar code, one phase after the other.
bool vector_throughput() {
    const auto problem = lento::Model::from_text(R"toml(
lento = 1
[parameters]
omega = 1e5
[coordinates]
q = { start = 0.5, velocity = 0 }
[forces]
q = "(9.8 + 4*omega*cos(theta))/0.2 * sin(q)"
[vibration.theta]
frequency = "omega"
)toml")
                             .problem();
    const auto& forces = problem.forces;
    const double* parameters = problem.parameters.data();
    const auto at_once = forces.blocks();
    fmt::print("\n{:<34} {:>12} {:>12} {:>8}\n", "a text model at m phases", "scalar, ns", "vector, ns", "ratio");
    bool good = true;
    for (const std::size_t m : {8U, 16U, 32U}) {
        std::vector<double> t(m, 0.0), x(m), v(m, 0.0), theta(m), f(m), g(m);
        for (std::size_t k = 0; k < m; ++k) {
            theta[k] = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(m);
            x[k] = 0.5 + 1e-4 * std::cos(theta[k]);
        }
        const auto all = [&] {
            (*at_once)({.lanes = m, .t = t, .x = x, .v = v, .theta = theta, .parameters = problem.parameters}, g);
        };
        // NOTE: code for so many phases is compiled once it has been asked for often, while an interpreter serves.
        constexpr double long_enough = 0.5;
        for (const auto began = Clock::now();
             std::chrono::duration<double>(Clock::now() - began).count() < long_enough;) {
            all();
        }
        const auto nanoseconds = [&](auto&& evaluate) {
            constexpr int calls = 20'000;
            double best = HUGE_VAL;
            for (int repeat = 0; repeat < 9; ++repeat) {
                const auto began = Clock::now();
                for (int k = 0; k < calls; ++k) {
                    x[0] += 1e-18;
                    evaluate();
                }
                best = std::min(best, std::chrono::duration<double>(Clock::now() - began).count());
            }
            return 1e9 * best / calls / static_cast<double>(m);
        };
        const double scalar = nanoseconds([&] {
            for (std::size_t k = 0; k < m; ++k) {
                forces.at(&x[k], &v[k], 0.0, &theta[k], parameters, &f[k]);
            }
        });
        const double vector = nanoseconds(all);
        for (std::size_t k = 0; k < m; ++k) {
            good = good && std::abs(f[k] - g[k]) <= 1e-14 * 2e6;
        }
        fmt::print("m = {:<30} {:>12.2f} {:>12.2f} {:>8.2f}\n", m, scalar, vector, scalar / vector);
        good = good && scalar / vector >= 3;
    }
    return good;
}

/// 200 random systems at two tolerances.
bool random_systems(std::uint64_t seeds, double most_periods) {
    double by_estimate = 0;
    double by_tolerance = 0;
    int averaged = 0;
    int others = 0;
    fmt::print("\n");
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        constexpr std::uint64_t first = 40'000;
        if (constexpr std::uint64_t some = 20; seed > 0 && seed % some == 0) {
            fmt::print("{} of {}: {} runs averaged, worst error over its estimate {:.2g}, over the tolerance {:.2g}\n",
                       seed, seeds, averaged, by_estimate, by_tolerance);
            std::fflush(stdout);
        }
        const lento::RandomSweep sweep(first + seed, most_periods);
        for (const double rtol : {1e-4, 1e-8}) {
            const auto run = sweep.run(rtol);
            if (!run.averaged) {
                ++others;
                if (run.why.empty()) {
                    fmt::print("seed {} at {}: neither averaged nor a word why\n", first + seed, rtol);
                    return false;
                }
                continue;
            }
            ++averaged;
            by_estimate = lento::worse(by_estimate, run.by_estimate);
            by_tolerance = lento::worse(by_tolerance, run.by_tolerance);
        }
    }
    fmt::print(
        "{} random systems at rtol = 1e-4 and 1e-8, until t = 2 or {:g} periods: {} runs averaged, {} others say "
        "why\n"
        "  worst error over its estimate {:.2g} (wanted: 2), over the tolerance {:.2g}\n",
        seeds, most_periods, averaged, others, by_estimate, by_tolerance);
    return by_estimate <= 10 && by_tolerance <= 30;
}

}  // namespace

/// `lento-bench-methods [random]`: everything, or random systems alone, which take minutes.
int main(int argc, char** argv) {
    const bool random_alone = argc > 1 && std::string(argv[1]) == "random";
    bool good = random_alone || pendulum_tables();
    good = (random_alone || vector_throughput()) && good;
    good = random_systems(200, 4000) && good;
    fmt::print("\n{}\n", good ? "all promises kept" : "a promise is broken: see above");
    return good ? 0 : 1;
}
