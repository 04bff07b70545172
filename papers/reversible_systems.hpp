/// The systems of the paper reversible, with their slow variables.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/slow_average.hpp"
#include "lento/lento.hpp"
#include "march/leapfrog.hpp"
#include "plain_run.hpp"

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

/// z = (e^t cos a, e^t sin a / 2), a' = 1/eps: the same along an ellipse.
inline Problem elliptic_spiral(double eps) {
    return slow_system(first_order_system(2,
                                          [eps](auto z, auto, auto rate) {
                                              rate[0] = -2 * z[1] / eps + z[0];
                                              rate[1] = z[0] / (2 * eps) + z[1];
                                          })
                           .with_period(2 * std::numbers::pi * eps),
                       {{"r2"}}, [](auto z, auto xi) { xi[0] = z[0] * z[0] + 4 * z[1] * z[1]; });
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

/// xi_3.
inline double slow_pendulum_velocity(std::span<const double> x) {
    using namespace slow_pendulum_detail;
    return x[1] + x[3] * std::sin(x[0]) / (turn * l);
}

/// (theta, theta') of the averaged equation theta'' = (g/l) sin theta - c^2/2 sin theta cos theta, c = 1/(2 pi l), from
/// the slow variables of section 4.1. No code of macro-steps is in it.
inline Solution averaged_pendulum(double T) {
    const auto system = first_order_system(2, [](auto y, auto, auto rate) {
        using namespace slow_pendulum_detail;
        constexpr double c = 1 / (turn * l);
        rate[0] = y[1];
        rate[1] = g / l * sin(y[0]) - c * c / 2 * sin(y[0]) * cos(y[0]);
    });
    return plain_run(system, {.start = {0, -0.4}, .t_end = T, .method = "direct", .rtol = 1e-11, .atol = 1e-13});
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

    /// y, u, I_i and the relative phases phi_i, as printed.
    Problem with_printed_slow_variables() const {
        std::vector<SlowName> names;
        for (const char* group : {"y", "u", "I"}) {
            for (std::size_t i = 1; i <= k; ++i) {
                names.push_back({fmt::format("{}{}", group, i)});
            }
        }
        for (std::size_t i = 2; i <= k; ++i) {
            names.push_back({fmt::format("phi{}", i)});
        }
        return slow_system(system(), names, [n = k](auto z, auto xi) {
            fill_without_phases(n, z, xi);
            for (std::size_t i = 1; i < n; ++i) {
                xi[3 * n + i - 1] = z[n] * z[n + i] + z[3 * n] * z[3 * n + i];
            }
        });
    }
    /// The same, each relative phase with both charts.
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
            fill_without_phases(n, z, xi);
            for (std::size_t i = 1; i < n; ++i) {
                xi[3 * n + 2 * (i - 1)] = z[n] * z[n + i] + z[3 * n] * z[3 * n + i];
                xi[3 * n + 2 * (i - 1) + 1] = z[n] * z[3 * n + i] - z[3 * n] * z[n + i];
            }
        });
    }

    template <class Z, class Xi>
    static void fill_without_phases(std::size_t n, Z z, Xi xi) {
        for (std::size_t i = 0; i < n; ++i) {
            xi[i] = z[i];
            xi[n + i] = z[2 * n + i];
            xi[2 * n + i] = z[n + i] * z[n + i] + z[3 * n + i] * z[3 * n + i];
        }
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
