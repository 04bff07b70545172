/// Figure 4.3 of the paper reversible: the problem of Fermi, Pasta and Ulam with three stiff springs.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"
#include "reversible_systems.hpp"

namespace lento::papers {
namespace {

constexpr double H = 0.1;
constexpr std::size_t averaged_steps = 20;
constexpr double meaningful = 40;  // until then even and odd steps agree

class ChainFigure {
public:
    Result compute() {
        follow();
        compare_with_direct();
        const double euler = blow_up([&](Eigen::VectorXd& x) { x += H * field(x); });
        const double midpoint = blow_up([&](Eigen::VectorXd& x) { x += H * field(x + H / 2 * field(x)); });

        Result result;
        result.not_judged = "The printed 0.4 % bounds the drift of a run that direct steps interrupted and steadied.";
        result.rows = {
            {"leapfrog", "bridges", {}, static_cast<double>(march_.bridges)},
            {"leapfrog", "most Newton iterations in a step", {}, static_cast<double>(march_.most_iterations)},
            {"leapfrog", "even and odd steps part at t", {}, march_.parted.value_or(1 / eps_)},
            {"leapfrog", "pointwise energy, largest error in %", {}, 100 * pointwise_},
            {"leapfrog", "mean energy over 20 steps, offset in %", {}, 100 * (means_.y.front() / energy_ - 1)},
            {"leapfrog", "mean energy over 20 steps, drift in %", 0.4, 100 * drift(), false},
            {"forward Euler", "blows up at t", {}, euler},
            {"midpoint", "blows up at t", {}, midpoint},
            {"direct", "change of I_1, I_2, I_3 with a hundredfold tolerance, largest", {}, convergence_}};
        for (std::size_t i = 0; i < chain_.k; ++i) {
            result.rows.push_back({fmt::format("I_{}", i + 1),
                                   fmt::format("t <= {}: largest difference from direct", meaningful),
                                   {},
                                   difference_[i]});
        }
        result.claims = {
            {"without direct steps the drift of the energy (mean over 20 steps of the symmetric average) is at most "
             "0.6 %",
             100 * drift(), drift() <= 0.006, Source::lento},
            {"over the whole of T = 1/eps, in macro-steps", static_cast<double>(march_.march.steps),
             march_.march.outcome == Outcome::completed && march_.march.steps == 10000, Source::lento},
            {"without a bridge", static_cast<double>(march_.bridges), march_.bridges == 0, Source::lento},
            {"forward Euler is of no use on the scale of 1/eps: it blows up before t", euler, euler < 20,
             Source::lento},
            {"nor is the midpoint rule", midpoint, midpoint < 500, Source::lento},
            {fmt::format("the energies I_i agree with a converged direct integration up to t = {}: largest difference",
                         meaningful),
             std::max({difference_[0], difference_[1], difference_[2]}),
             std::max({difference_[0], difference_[1], difference_[2]}) <= 0.05}};
        result.pictures = {
            {"Figure 4.3 (a): energies of the stiff springs", "t", "I_i", energies_},
            {"Figure 4.3 (a), beginning: energies of the stiff springs", "t", "I_i(t) - I_i(0)", beginnings_},
            {"Figure 4.3 (b): drift of the energy, mean over 20 steps", "t", "drift in %", {drift_curve()}},
            {"Figure 4.3 (b), pointwise: total energy", "t", "energy", {points_}}};
        return result;
    }

private:
    std::vector<double> start_ = Chain{}.start();
    const Chain chain_{};
    const double eps_ = chain_.eps;
    std::unique_ptr<SlowAverage> average_ = slow_average(chain_.with_slow_variables(), "verlet", 0, start_);
    SlowField windows_ = paper_windows(*average_, eps_ / 50, 60 * eps_);
    const double energy_ = chain_.energy(start_);

    LeapfrogResult march_;
    double pointwise_ = 0, convergence_ = 0;
    std::vector<std::vector<double>> outputs_;  // of the steps up to `meaningful`
    std::array<double, 3> difference_{};
    std::vector<Curve> energies_, beginnings_;
    Curve points_{.label = "", .x = {}, .y = {}};
    Curve means_{.label = "", .x = {}, .y = {}};  // over 20 steps

    Eigen::VectorXd field(const Eigen::VectorXd& x) {
        return SlowField::field(windows_.at(0, {x.data(), start_.size()}));
    }

    void follow() {
        const double T = 1 / eps_;
        for (std::size_t i = 0; i < chain_.k; ++i) {
            energies_.push_back({.label = fmt::format("I_{}", i + 1), .x = {}, .y = {}});
        }
        std::vector<double> recent;
        std::int64_t n = 0;
        const auto every = [](std::int64_t step, std::int64_t count) { return step % count == 0; };
        const StepTaker taker{[](double) { return true; },
                              [&](const DenseStep& dense) {
                                  std::vector<double> x(start_.size());
                                  dense.value(dense.to(), x);
                                  ++n;
                                  recent.push_back(chain_.energy(x));
                                  if (recent.size() == averaged_steps) {
                                      double sum = 0;
                                      for (const double value : recent) {
                                          sum += value;
                                      }
                                      means_.x.push_back(dense.to());
                                      means_.y.push_back(sum / averaged_steps);
                                      recent.erase(recent.begin());
                                  }
                                  for (std::size_t i = 0; i < chain_.k && every(n, 20); ++i) {
                                      energies_[i].x.push_back(dense.to());
                                      energies_[i].y.push_back(chain_.stiff_energy(x, i));
                                  }
                                  if (dense.to() <= meaningful + H / 2) {
                                      outputs_.push_back(std::move(x));
                                  }
                              },
                              [&](double t, const Eigen::VectorXd& x) {
                                  const double here = chain_.energy(x);
                                  pointwise_ = larger(pointwise_, std::abs(here / energy_ - 1));
                                  if (every(n, 10)) {
                                      points_.x.push_back(t);
                                      points_.y.push_back(here);
                                  }
                              }};
        LeapfrogPlan plan{.interval = {0, T}, .steps = std::llround(T / H)};
        plan.partition = partition_of(chain_.with_slow_variables(), 0, start_);
        march_ = LeapfrogMarch(windows_, std::move(plan)).from(vector_of(start_), taker, {});
    }
    Curve drift_curve() const {
        Curve curve{.label = "", .x = {}, .y = {}};
        for (std::size_t n = 0; n < means_.x.size(); n += 10) {
            curve.x.push_back(means_.x[n]);
            curve.y.push_back(100 * (means_.y[n] - means_.y.front()) / energy_);
        }
        return curve;
    }
    double drift() const {
        double largest = 0;
        for (const double mean : means_.y) {
            largest = larger(largest, std::abs(mean - means_.y.front()) / energy_);
        }
        return largest;
    }

    /// Twice, to see that it has converged.
    void compare_with_direct() {
        std::vector<std::vector<double>> direct[2];
        for (const int k : {0, 1}) {
            Request request{
                .start = start_, .t_end = meaningful, .method = "direct", .rtol = k == 0 ? 1e-9 : 1e-11, .atol = 1e-13};
            request.options.macro = "arkode-8";
            request.samples = static_cast<std::size_t>(std::llround(meaningful / H)) + 1;
            request.keep = Recorder::Keep::nothing;
            request.sink = [&](double, std::span<const double> x) { direct[k].emplace_back(x.begin(), x.end()); };
            plain_run(chain_.system(), request);
        }
        for (std::size_t n = 0; n < outputs_.size(); ++n) {
            for (std::size_t i = 0; i < chain_.k; ++i) {
                const double exact = chain_.stiff_energy(direct[1].at(n + 1), i);
                difference_[i] = larger(difference_[i], std::abs(chain_.stiff_energy(outputs_[n], i) - exact));
                convergence_ = larger(convergence_, std::abs(chain_.stiff_energy(direct[0].at(n + 1), i) - exact));
            }
        }
        for (std::size_t i = 0; i < chain_.k; ++i) {
            add_beginning(i, direct[1]);
        }
    }

    /// What a stiff spring has gained since the start, by the leapfrog and directly.
    void add_beginning(std::size_t i, const std::vector<std::vector<double>>& direct) {
        Curve hmm{.label = fmt::format("I_{}, HMM", i + 1), .x = {}, .y = {}, .style = Curve::Style::dots, .colour = i};
        Curve exact{.label = fmt::format("I_{}, direct", i + 1), .x = {}, .y = {}, .colour = i};
        const double start = chain_.stiff_energy(start_, i);
        for (std::size_t n = 0; n < outputs_.size(); ++n) {
            const double t = static_cast<double>(n + 1) * H;
            exact.x.push_back(t);
            exact.y.push_back(chain_.stiff_energy(direct.at(n + 1), i) - start);
            if ((n + 1) % 10 == 0) {
                hmm.x.push_back(t);
                hmm.y.push_back(chain_.stiff_energy(outputs_[n], i) - start);
            }
        }
        beginnings_.push_back(std::move(hmm));
        beginnings_.push_back(std::move(exact));
    }

    /// The time at which the energy has grown to ten times what it was.
    template <class Step>
    double blow_up(Step&& step) {
        Eigen::VectorXd x = vector_of(start_);
        for (int n = 1; n <= 10000; ++n) {
            step(x);
            if (!(chain_.energy(x) < 10 * energy_)) {
                return n * H;
            }
        }
        return std::numeric_limits<double>::infinity();
    }
};

}  // namespace

std::vector<Reproduction> reversible_chain() {
    return {
        {"reversible/figure-4.3", "Fermi-Pasta-Ulam problem over T = 1/eps", "reversible",
         "k = 3, eps = 1e-3, x_1 = -1, y_1 = u_1 = x_2 = 1, v_3 = -0.5 and zero otherwise at t = 0, T = 1000. Verlet "
         "micro-steps h = eps/50, eta = 60 eps, kernel (2.9), reversible leapfrog with H = 0.1 and psi_i in place of "
         "phi_i where it is smaller; direct integration to order 8 with rtol = 1e-11, atol = 1e-13 up to t = 40.",
         [] { return ChainFigure().compute(); }}};
}

}  // namespace lento::papers
