/// The systems of the paper reversible, with their slow variables.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/slow_average.hpp"
#include "lento/lento.hpp"
#include "march/leapfrog.hpp"

namespace lento::papers {

/// (3.1): z' = (i/eps + 1) z.
inline Problem expanding_spiral(double eps) {
    return slow_system(first_order_system(2,
                                          [eps](auto z, auto, auto rate) {
                                              rate[0] = -z[1] / eps + z[0];
                                              rate[1] = z[0] / eps + z[1];
                                          })
                           .with_period(2 * std::numbers::pi * eps),
                       {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + z[1] * z[1]; });
}

/// (4.2) with the slow variables (4.3); g = 0.1, l = 0.05.
namespace slow_pendulum_detail {
inline constexpr double g = 0.1;
inline constexpr double l = 0.05;
inline constexpr double turn = 2 * std::numbers::pi;
}  // namespace slow_pendulum_detail

inline Problem slow_pendulum(double eps) {
    using namespace slow_pendulum_detail;
    return slow_system(first_order_system(4,
                                          [eps](auto x, auto, auto rate) {
                                              rate[0] = x[1];
                                              rate[1] = (g + x[2] / eps) / l * sin(x[0]);
                                              rate[2] = turn / eps * x[3];
                                              rate[3] = -turn / eps * x[2];
                                          })
                           .with_period(eps),
                       {{"angle"}, {"amplitude"}, {"slow_velocity"}}, [](auto x, auto xi) {
                           xi[0] = x[0];
                           xi[1] = x[2] * x[2] + x[3] * x[3];
                           xi[2] = x[1] + x[3] * sin(x[0]) / (turn * l);
                       });
}

/// The problem of Fermi, Pasta and Ulam with k stiff springs, from the Hamiltonian (4.4) with x_i = (q_2i -
/// q_2i-1)/(sqrt(2) eps). The state is (y, x, u, v).
struct Chain {
    std::size_t k = 3;
    double eps = 1e-3;

    std::size_t unknowns() const { return 4 * k; }

    /// The elongation of the soft spring after stiff spring i; i = 0 is the one at the wall.
    template <class Z>
    auto soft(const Z& z, std::size_t i) const {
        using S = std::decay_t<decltype(z[0] + z[0])>;
        const S upper = i < k ? S(z[i] - eps * z[k + i]) : S(0.0);
        const S lower = i > 0 ? S(z[i - 1] + eps * z[k + i - 1]) : S(0.0);
        return S((upper - lower) * std::numbers::sqrt2 / 2);
    }

    Problem system() const {
        return first_order_system(unknowns(),
                                  [c = *this](auto z, auto, auto rate) {
                                      const std::size_t n = c.k;
                                      auto below = c.pull(z, 0);
                                      for (std::size_t i = 0; i < n; ++i) {
                                          const auto above = c.pull(z, i + 1);
                                          rate[i] = z[2 * n + i];
                                          rate[n + i] = z[3 * n + i] / c.eps;
                                          rate[2 * n + i] = above - below;
                                          rate[3 * n + i] = -z[n + i] / c.eps + above + below;
                                          below = above;
                                      }
                                  })
            .with_period(2 * std::numbers::pi * eps);
    }
    template <class Z>
    auto pull(const Z& z, std::size_t i) const {
        const auto s = soft(z, i);
        return 2 * std::numbers::sqrt2 * s * s * s;
    }

    /// y, u, I_i and the relative phases, each with both charts.
    Problem with_slow_variables() const {
        std::vector<SlowName> names;
        for (const char* group : {"y", "u", "I"}) {
            for (std::size_t i = 1; i <= k; ++i) {
                names.push_back({fmt::format("{}{}", group, i)});
            }
        }
        for (std::size_t i = 2; i <= k; ++i) {
            names.push_back({fmt::format("phi{}", i), fmt::format("psi{}", i)});
        }
        return slow_system(system(), names, [n = k](auto z, auto xi) {
            for (std::size_t i = 0; i < n; ++i) {
                xi[i] = z[i];
                xi[n + i] = z[2 * n + i];
                xi[2 * n + i] = z[n + i] * z[n + i] + z[3 * n + i] * z[3 * n + i];
            }
            for (std::size_t i = 1; i < n; ++i) {
                xi[3 * n + 2 * (i - 1)] = z[n] * z[n + i] + z[3 * n] * z[3 * n + i];
                xi[3 * n + 2 * (i - 1) + 1] = z[n] * z[3 * n + i] - z[3 * n] * z[n + i];
            }
        });
    }

    template <class Z>
    double energy(const Z& z) const {
        double sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
            sum += (z[k + i] * z[k + i] + z[2 * k + i] * z[2 * k + i] + z[3 * k + i] * z[3 * k + i]) / 2;
        }
        for (std::size_t i = 0; i <= k; ++i) {
            sum += std::pow(soft(z, i), 4);
        }
        return sum;
    }
    /// x_i^2 + v_i^2, i from 0
    template <class Z>
    double stiff_energy(const Z& z, std::size_t i) const {
        return z[k + i] * z[k + i] + z[3 * k + i] * z[3 * k + i];
    }

    /// x_1 = -1, y_1 = 1, u_1 = 1, x_2 = 1, v_3 = -0.5, zero otherwise, for k = 3.
    std::vector<double> start() const {
        std::vector<double> z(unknowns(), 0.0);
        z[k] = -1;
        z[0] = z[2 * k] = z[k + 1] = 1;
        z[3 * k + 2] = -0.5;
        return z;
    }
};

/// Windows as the paper has them: so many micro-steps h on each side, the kernel (2.9).
inline SlowField paper_windows(SlowAverage& average, double h, double width) {
    return {average, {.h = h}, FilterWeights::over(Filter("gentle"), width / 2 / h)};
}

inline Eigen::VectorXd vector_of(const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace lento::papers
