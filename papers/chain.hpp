/// Chains of rods upside down on a vibrating support, in cartesian coordinates x_1, y_1, x_2, y_2, ...: the double
/// pendulum of the paper vibrated, section 4.2, and the ropes of the pendulum theorem (its reference [1]).
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include "lento/lento.hpp"

namespace lento::papers {

struct Chain {
    std::vector<double> masses, lengths;
    double g = 9.8;
    double v_max = 4;

    /// n links of equal length and mass, `total` long.
    static Chain rope(std::size_t n, double total, double v_max) {
        return {std::vector<double>(n, 1.0), std::vector<double>(n, total / static_cast<double>(n)), 9.8, v_max};
    }

    std::size_t links() const { return masses.size(); }

    Mass mass() const {
        std::vector<double> diagonal;
        for (const double m : masses) {
            diagonal.insert(diagonal.end(), {m, m});
        }
        return Mass::diagonal(diagonal);
    }

    /// x_j - x_{j-1}, squared, minus the square of the length.
    std::shared_ptr<const Constraints> constraints() const {
        const auto function = [lengths = lengths](auto x, auto, auto values) {
            for (std::size_t j = 0; j < lengths.size(); ++j) {
                auto dx = x[2 * j];
                auto dy = x[2 * j + 1];
                if (j > 0) {
                    dx -= x[2 * j - 2];
                    dy -= x[2 * j - 1];
                }
                values[j] = dx * dx + dy * dy - lengths[j] * lengths[j];
            }
        };
        std::vector<std::vector<std::size_t>> rows;
        std::vector<std::string> names;
        for (std::size_t j = 0; j < links(); ++j) {
            auto& row = rows.emplace_back();
            for (std::size_t c = j > 0 ? 2 * j - 2 : 0; c < 2 * j + 2; ++c) {
                row.push_back(c);
            }
            names.push_back(fmt::format("rod{}", j + 1));
        }
        return ConstraintFunctions(2 * links(), links(), function, SparsePattern(rows)).with_names(names);
    }

    /// (4.3): the support's acceleration is v_max omega cos(theta).
    Problem vibrated(double omega) const {
        const auto force = [masses = masses, g = g, v_max = v_max, omega](auto, auto, auto, auto theta, auto f) {
            const auto weight = g + v_max * omega * cos(theta);
            for (std::size_t j = 0; j < masses.size(); ++j) {
                f[2 * j] = 0.0;
                f[2 * j + 1] = -masses[j] * weight;
            }
        };
        return constrained(vibrated_system(2 * links(), omega, force).with_mass(mass()), constraints());
    }

    /// The force of the averaged equation (4.4) by the formula of appendix B, for any mass matrix: with f_1 = F
    /// cos(theta), F constant,
    ///
    ///     u = M^-1 (F - g'^T k),   k = (g' M^-1 g'^T)^-1 g' M^-1 F:     f_0 + 1/2 g''[u]^T k
    void averaged_force(std::span<const double> x, std::span<double> f) const {
        const auto n = static_cast<Eigen::Index>(links());
        Eigen::MatrixXd G = Eigen::MatrixXd::Zero(n, 2 * n);
        Eigen::VectorXd vibration(2 * n);
        Eigen::VectorXd inverse_mass(2 * n);
        for (Eigen::Index j = 0; j < n; ++j) {
            const double m = masses[static_cast<std::size_t>(j)];
            for (Eigen::Index c = 0; c < 2; ++c) {
                const Eigen::Index here = 2 * j + c;
                const double before = j > 0 ? x[static_cast<std::size_t>(here - 2)] : 0.0;
                const double difference = 2 * (x[static_cast<std::size_t>(here)] - before);
                G(j, here) = difference;
                if (j > 0) {
                    G(j, here - 2) = -difference;
                }
                vibration[here] = c == 0 ? 0.0 : -m * v_max;
                inverse_mass[here] = 1 / m;
            }
        }
        const Eigen::MatrixXd pulled = inverse_mass.asDiagonal() * G.transpose();
        const Eigen::VectorXd k = (G * pulled).ldlt().solve(pulled.transpose() * vibration);
        const Eigen::VectorXd u = inverse_mass.cwiseProduct(vibration) - pulled * k;
        for (std::size_t i = 0; i < f.size(); ++i) {
            f[i] = i % 2 == 0 ? 0.0 : -masses[i / 2] * g;
        }
        for (Eigen::Index j = 0; j < n; ++j) {
            for (Eigen::Index c = 0; c < 2; ++c) {
                const Eigen::Index here = 2 * j + c;
                const double term = k[j] * (u[here] - (j > 0 ? u[here - 2] : 0.0));
                f[static_cast<std::size_t>(here)] += term;
                if (j > 0) {
                    f[static_cast<std::size_t>(here - 2)] -= term;
                }
            }
        }
    }

    /// (4.4), (4.5).
    Problem averaged() const {
        const auto force = [*this](In x, In, double, Out f) { averaged_force(x, f); };
        return constrained(plain_system(2 * links(), force).with_mass(mass()), constraints());
    }

    /// The rods at the angles given, from the upward vertical.
    std::vector<double> position(const std::vector<double>& angles) const {
        std::vector<double> x;
        for (std::size_t j = 0; j < links(); ++j) {
            x.push_back((j > 0 ? x[2 * j - 2] : 0.0) + lengths[j] * std::sin(angles[j]));
            x.push_back((j > 0 ? x[2 * j - 1] : 0.0) + lengths[j] * std::cos(angles[j]));
        }
        return x;
    }
    double angle(std::span<const double> x, std::size_t j) const {
        return std::atan2(x[2 * j] - (j > 0 ? x[2 * j - 2] : 0.0), x[2 * j + 1] - (j > 0 ? x[2 * j - 1] : 0.0));
    }
    /// The height of the free end over the length of the chain.
    double tip(std::span<const double> x) const {
        double total = 0;
        for (const double length : lengths) {
            total += length;
        }
        return x[2 * links() - 1] / total;
    }
};

/// Section 4.2.
inline Chain double_pendulum() {
    return {{0.01, 0.005}, {0.2, 0.1}, 9.8, 4};
}

/// In words.
inline std::string double_pendulum_parameters() {
    return "m_1 = 0.01, m_2 = 0.005, l_1 = 0.2, l_2 = 0.1, g = 9.8, v_max = 4, from q_1 = 0.5, q_2 = 0 at rest";
}

}  // namespace lento::papers
