#include "bench/constrained_evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "average/constrained_field.hpp"
#include "lento/model/model.hpp"
#include "papers/chain.hpp"

namespace bench {
namespace {

/// That of `papers/chain.hpp`.
std::string double_pendulum_model() {
    return R"toml(
lento = 1
[definitions]
weight = "9.8 + 4*omega*cos(theta)"
[parameters]
omega = 1e4
[coordinates]
x1 = { start = 0.1 }
y1 = { start = 0.17 }
x2 = { start = 0.1 }
y2 = { start = 0.27 }
[mass]
x1 = 0.01
y1 = 0.01
x2 = 0.005
y2 = 0.005
[forces]
y1 = "-0.01*weight"
y2 = "-0.005*weight"
[constraints]
lower = "x1^2 + y1^2 - 0.04"
upper = "(x2 - x1)^2 + (y2 - y1)^2 - 0.01"
[vibration.theta]
frequency = "omega"
)toml";
}

class PhaseEvaluations {
public:
    PhaseEvaluations(const lento::Problem& problem, int degree)
        : field_(problem),
          degree_(degree),
          x_(problem.dimension() * phases * static_cast<std::size_t>(degree + 1)),
          v_(x_.size()),
          a_(x_.size()) {
        const auto start = lento::papers::double_pendulum().position({0.5, 0.0});
        for (std::size_t i = 0; i < start.size(); ++i) {
            for (std::size_t k = 0; k < phases; ++k) {
                x_[i * phases + k] = start[i] + 1e-6 * std::cos(static_cast<double>(k + i));
                v_[i * phases + k] = 0.3 * std::cos(static_cast<double>(k + 2 * i));
            }
        }
        // NOTE: a model compiles code for many phases once it has been asked for often.
        constexpr int often = 400'000;
        for (std::size_t k = 0; k < often; k += phases) {
            once();
        }
    }

    /// Nanoseconds a coefficient and phase, the shortest of several runs.
    double nanoseconds() {
        constexpr int repetitions = 41;
        constexpr int calls = 1000;
        double best = HUGE_VAL;
        for (int repetition = 0; repetition < repetitions; ++repetition) {
            const auto began = std::chrono::steady_clock::now();
            for (int call = 0; call < calls; ++call) {
                once();
            }
            const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
            best = std::min(best, took.count() / calls / phases / (degree_ + 1));
        }
        return best;
    }

private:
    static constexpr std::size_t phases = 8;

    void once() { field_.evaluate(degree_, phases, 0, x_, v_, a_); }

    lento::ConstrainedField field_;
    int degree_;
    std::vector<double> x_, v_, a_;
};

}  // namespace

bool constrained_evaluations() {
    constexpr double wanted = 250;
    bool good = true;
    fmt::print("\n{:<52} {:>8} {:>8}\n", "constrained evaluation, double pendulum, a phase", "ns", "wanted");
    const auto show = [&](std::string_view name, const lento::Problem& problem, int degree, bool bound) {
        const double found = PhaseEvaluations(problem, degree).nanoseconds();
        fmt::print("{:<52} {:>8.0f} {:>8}\n", name, found, bound ? fmt::format("{:.0f}", wanted) : "-");
        good = good && (!bound || found <= wanted);
    };
    const auto text = lento::Model::from_text(double_pendulum_model()).problem();
    const auto written = lento::papers::double_pendulum().vibrated(1e4);
    show("text", text, 0, true);
    show("text, series of degree 4, a coefficient", text, 4, true);
    show("C++", written, 0, true);
    show("C++, series of degree 4, a coefficient", written, 4, false);
    return good;
}

}  // namespace bench
