/// A method of one's own, in one file: the mean force over the phase, with the response of the motion to the phase in
/// leading order, marched by any solver. The start is taken as averaged.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include <lento/lento.hpp>
#include <lento/run/run.hpp>

/// With P the antiderivative by the phase without its mean, and <> the mean over m phases:
///
///     W = (P/omega) a(X, V, phi),   Delta = (P/omega) W,   X'' = <a(X + Delta, V + W, phi)>
class LeadingOrder {
public:
    explicit LeadingOrder(const lento::Problem& problem)
        : problem_(problem), n_(problem.dimension()), x_(n_), v_(n_), scratch_(n_), a_(m * n_) {
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t h = 1; h <= m / 2; ++h) {  // harmonics
                weights_[k] += 2 * std::sin(phase(h * k)) / (m * h * problem.phases[0].frequency);
            }
        }
    }

    void operator()(double t, lento::In X, lento::In V, lento::Out mean) {
        const std::vector<double> none(m * n_, 0.0);
        accelerate(t, X, V, none, none);
        const auto w = antiderivative(a_);
        accelerate(t, X, V, antiderivative(w), w);
        std::ranges::fill(mean, 0.0);
        for (std::size_t i = 0; i < m * n_; ++i) {
            mean[i % n_] += a_[i] / m;
        }
    }
    std::int64_t evaluations() const { return evaluations_; }

private:
    static constexpr std::size_t m = 9;

    static double phase(std::size_t k) { return 2 * M_PI * static_cast<double>(k) / m; }

    /// At all phases, component after component for each.
    void accelerate(double t, lento::In X, lento::In V, lento::In delta, lento::In w) {
        for (std::size_t k = 0; k < m; ++k, ++evaluations_) {
            for (std::size_t i = 0; i < n_; ++i) {
                x_[i] = X[i] + delta[k * n_ + i];
                v_[i] = V[i] + w[k * n_ + i];
            }
            const double theta = phase(k);
            const auto a = lento::Out(a_).subspan(k * n_, n_);
            problem_.forces.at(x_.data(), v_.data(), t, &theta, problem_.parameters.data(), a.data());
            problem_.mass.to_acceleration(a, lento::Out(scratch_));
        }
    }
    std::vector<double> antiderivative(lento::In values) const {
        std::vector<double> result(m * n_, 0.0);
        for (std::size_t k = 0; k < m; ++k) {
            for (std::size_t i = 0; i < m * n_; ++i) {
                result[k * n_ + i % n_] += weights_[(m + k - i / n_) % m] * values[i];
            }
        }
        return result;
    }

    const lento::Problem& problem_;
    std::size_t n_;
    std::vector<double> x_, v_, scratch_, a_;
    std::array<double, m> weights_{};  // of P/omega, by how many phases apart
    std::int64_t evaluations_ = 0;
};

constexpr std::array options{lento::Method::Option{"macro", "verlet with macro_step or steps, else dopri5"},
                             lento::Method::Option{"macro_step", "adaptive"},
                             lento::Method::Option{"steps", "adaptive"}};

lento::Verdict judge(const lento::Problem& problem, const lento::Request&) {
    const bool suits = problem.second_order && problem.phases.size() == 1 && !problem.constraints;
    return {suits, suits ? "it has one phase" : "it needs coordinates without constraints, and one phase"};
}

lento::Solution solve(lento::Run& run) {
    LeadingOrder average(run.problem());
    const auto macro = lento::macro_choice(run.options(), run.interval(), lento::free_solvers());
    run.note(macro);
    auto marched =
        lento::march_macro(macro, std::ref(average), run.request(), run.request().start, run.request().velocity);
    run.statistics().force_evaluations = average.evaluations();
    return run.finished({.result = std::move(marched.result),
                         .trajectory = std::move(marched.trajectory),
                         .final_state = std::move(marched.final_state)});
}

constexpr lento::Method leading_order{.name = "leading-order",
                                      .problems = "vibrated",
                                      .paper = "",
                                      .slow_is = lento::SlowMeaning::averaged,
                                      .summary = "the mean over nine phases, with the response in leading order",
                                      .options = options,
                                      .judge = judge,
                                      .solve = solve};

int main() {
    const double l = 0.2, g = 9.8, v_max = 4;
    // What somebody would find on paper, in the limit of large omega: vibrated (2.5).
    const auto limit = lento::plain_system(
        1, [=](auto x, auto, auto, auto f) { f[0] = (g / l - v_max * v_max / (2 * l * l) * cos(x[0])) * sin(x[0]); });
    const lento::Request request{.start = {0.5}, .t_end = 1, .rtol = 1e-9, .atol = 1e-12};
    const double expected = lento::solve(limit, request, lento::method::direct).slow(1).position[0];
    for (const double omega : {1e4, 1e6, 1e8}) {
        const auto pendulum = lento::vibrated_system(1, omega, [=](auto x, auto, auto, auto theta, auto f) {
            f[0] = (g + v_max * omega * cos(theta)) / l * sin(x[0]);
        });
        const auto run = lento::solve(pendulum, request, leading_order);
        std::printf("omega = %g: %s after %ld evaluations, %.1e from the limit\n", omega,
                    lento::name_of(run.outcome()).data(), static_cast<long>(run.statistics().force_evaluations),
                    run.slow(1).position[0] - expected);
    }
}
