/// Random vibrated systems, the same for the same seed: one to four coordinates, harmonics up to the third, frequencies
/// from 30 to 1e6, with and without forces that depend on the velocity. What harmonic averages promise is tried on
/// them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "lento/lento.hpp"

namespace lento::papers {

struct RandomVibrated {
    static constexpr std::size_t most = 4;
    static constexpr std::size_t harmonics = 3;

    struct Term {
        double size = 0, shift = 0, phase = 0;  ///< size sin(x_of + shift) cos(h theta + phase)
        std::size_t of = 0;
    };
    struct Coordinate {
        double stiffness = 0, cubic = 0, coupling = 0, damping = 0, pumping = 0, drag = 0;
        std::array<Term, harmonics> terms{};
    };

    std::size_t dimension = 1;
    double omega = 1;
    std::array<Coordinate, most> coordinates{};
    std::vector<double> start{}, velocity{};

    explicit RandomVibrated(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        // NOTE: not std::uniform_real_distribution, whose numbers may differ between libraries.
        const auto between = [&](double low, double high) {
            return low + (high - low) * static_cast<double>(random() >> 11U) * 0x1p-53;
        };
        dimension = 1 + static_cast<std::size_t>(between(0, most));
        omega = std::exp(between(std::log(30.0), std::log(1e6)));
        const bool with_velocity = between(0, 1) < 0.5;
        for (std::size_t i = 0; i < dimension; ++i) {
            auto& own = coordinates[i];
            own.stiffness = between(-1, 4);
            own.cubic = between(0, 1);
            own.coupling = between(-0.5, 0.5);
            if (with_velocity) {
                own.damping = between(0, 0.4);
                own.pumping = between(-0.3, 0.3);
                own.drag = between(0, 0.05);
            }
            for (std::size_t h = 0; h < harmonics; ++h) {
                const bool there = h == 0 || between(0, 1) < 0.5;
                own.terms[h] = {.size = there ? between(0.5, 2) : 0.0,
                                .shift = between(-3, 3),
                                .phase = between(-3, 3),
                                .of = static_cast<std::size_t>(between(0, static_cast<double>(dimension)))};
            }
            start.push_back(between(-1, 1));
            velocity.push_back(between(-1, 1));
        }
    }

    /// On all coordinates, with any numbers: references take more digits than `system` does.
    void force(auto x, auto v, const auto& theta, auto f) const {
        using std::cos, std::sin;
        for (std::size_t i = 0; i < dimension; ++i) {
            const auto& own = coordinates[i];
            const auto& next = x[(i + 1) % dimension];
            f[i] = -own.stiffness * x[i] - own.cubic * x[i] * x[i] * x[i] + own.coupling * sin(next);
            if (own.damping != 0) {
                f[i] = f[i] - (own.damping + own.pumping * sin(theta)) * v[i] - own.drag * v[i] * v[i] * v[i];
            }
            for (std::size_t h = 0; h < harmonics; ++h) {
                const auto& term = own.terms[h];
                if (term.size != 0) {
                    f[i] = f[i] + omega * term.size * cos(static_cast<double>(h + 1) * theta + term.phase) *
                                      sin(x[term.of] + term.shift);
                }
            }
        }
    }

    Problem system() const {
        return vibrated_system(dimension, omega, [random = *this](auto x, auto v, auto, auto theta, auto f) {
            random.force(x, v, theta, f);
        });
    }
};

}  // namespace lento::papers
