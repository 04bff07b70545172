/// What a force is like, found by evaluating it at a few states: does it depend on the velocity, about which phase is
/// it even?
///
/// A force is even about the phase c if a(x, V + w, c + d) = a(x, V - w, c - d) for all d, w: then a window started
/// from rest at c has an even solution (vibrated, section 2.3). Any force whose odd part is of leading size breaks the
/// one-period filter.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

/// States near the start at which a force is probed. Always the same ones: same input, same bits.
struct ProbeStates {
    struct State {
        std::vector<double> x, v, w;  ///< position, slow velocity, a velocity of the size of the fast part
        double t = 0;
    };
    std::vector<State> states;

    /// At the start and at times up to the end.
    ProbeStates(std::span<const double> x, std::span<const double> v, double t_start, double t_end) {
        std::mt19937_64 random(20100421);
        std::uniform_real_distribution<double> spread(-1, 1);
        for (int count = 0; count < 4; ++count) {
            State state{{x.begin(), x.end()},
                        {v.begin(), v.end()},
                        std::vector<double>(x.size()),
                        t_start + (t_end - t_start) * count / 3.0};
            for (std::size_t i = 0; count > 0 && i < x.size(); ++i) {
                state.x[i] += 0.1 * (0.1 + std::abs(x[i])) * spread(random);
                state.v[i] += 0.1 * (1 + std::abs(v[i])) * spread(random);
            }
            for (auto& w : state.w) {
                w = spread(random);
            }
            states.push_back(std::move(state));
        }
    }
};

namespace probe_detail {

template <class System>
std::vector<double> acceleration_at(Acceleration<System>& acceleration, std::span<const double> x,
                                    std::span<const double> v, double t, std::span<const double> theta) {
    std::vector<double> a(x.size());
    constexpr auto extent = System::extent;
    acceleration(view<extent>(x), view<extent>(v), t, theta, view<extent>(std::span<double>(a)));
    return a;
}

inline std::vector<double> combined(std::span<const double> a, double factor, std::span<const double> b) {
    std::vector<double> sum(a.begin(), a.end());
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum[i] += factor * b[i];
    }
    return sum;
}

}  // namespace probe_detail

/// How an acceleration depends on the velocity, as far as the probes tell.
struct VelocityDependence {
    bool any = false;    ///< some probe's acceleration changes with it
    double fastest = 0;  ///< the largest change of an acceleration over that of the velocity: a rate
};
template <class System>
VelocityDependence velocity_dependence(Acceleration<System>& acceleration, const ProbeStates& probes) {
    using namespace probe_detail;
    VelocityDependence found;
    for (const auto& state : probes.states) {
        const double size = std::abs(*std::max_element(state.w.begin(), state.w.end(),
                                                       [](double a, double b) { return std::abs(a) < std::abs(b); }));
        for (const double turn : {0.0, 0.125, 0.17, 0.25, 0.375, 0.5, 0.61, 0.625, 0.75, 0.875}) {
            const std::vector<double> theta(acceleration.system().phases().size(), 2 * std::numbers::pi * turn);
            const auto there = acceleration_at(acceleration, state.x, state.v, state.t, theta);
            const auto moved = acceleration_at(acceleration, state.x, combined(state.v, 1, state.w), state.t, theta);
            for (std::size_t i = 0; i < there.size(); ++i) {
                if (std::isfinite(there[i]) && std::isfinite(moved[i]) && there[i] != moved[i]) {
                    found.any = true;
                    found.fastest = std::max(found.fastest, std::abs(moved[i] - there[i]) / size);
                }
            }
        }
    }
    return found;
}

/// True if some probe's acceleration changes with the explicit time.
template <class System>
bool depends_on_time(Acceleration<System>& acceleration, const ProbeStates& probes) {
    using namespace probe_detail;
    const std::vector<double> theta(acceleration.system().phases().size(), 0.0);
    for (const auto& state : probes.states) {
        const auto now = acceleration_at(acceleration, state.x, state.v, state.t, theta);
        const auto later =
            acceleration_at(acceleration, state.x, state.v, state.t + 0.618 * (1 + std::abs(state.t)), theta);
        if (now != later) {
            return true;
        }
    }
    return false;
}

/// The largest odd part of the acceleration about the phases `centre`, over its largest oscillation. Zero: even.
template <class System>
double odd_fraction(Acceleration<System>& acceleration, const ProbeStates& probes, std::span<const double> centre,
                    const TimeScales& scales) {
    using namespace probe_detail;
    constexpr int samples = 24;
    double odd = 0;
    double swing = 0;
    for (const auto& state : probes.states) {
        std::vector<double> low(state.x.size(), HUGE_VAL);
        std::vector<double> high(state.x.size(), -HUGE_VAL);
        for (int k = 1; k <= samples; ++k) {
            // NOTE: 0.377 periods a sample visits a period evenly and no harmonic below 1000 exactly.
            std::vector<double> shift;
            for (const double ratio : scales.ratios) {
                shift.push_back(2 * std::numbers::pi * 0.377 * k * ratio);
            }
            const auto after = acceleration_at(acceleration, state.x, combined(state.v, 1, state.w), state.t,
                                               combined(centre, 1, shift));
            const auto before = acceleration_at(acceleration, state.x, combined(state.v, -1, state.w), state.t,
                                                combined(centre, -1, shift));
            for (std::size_t i = 0; i < after.size(); ++i) {
                if (!std::isfinite(after[i]) || !std::isfinite(before[i])) {
                    continue;  // a probe outside the force's domain says nothing about parity
                }
                odd = std::max(odd, std::abs(after[i] - before[i]) / 2);
                low[i] = std::min({low[i], after[i], before[i]});
                high[i] = std::max({high[i], after[i], before[i]});
            }
        }
        for (std::size_t i = 0; i < low.size(); ++i) {
            swing = std::max(swing, (high[i] - low[i]) / 2);
        }
    }
    return swing > 0 ? odd / swing : 0.0;
}

struct SymmetryPhase {
    std::vector<double> phases;  ///< where windows start
    double odd_fraction = 0;     ///< of the force about it
};

/// The phase nearest to zero about which the force is even, or, if there is none, the one with the smallest odd part.
///
/// About a symmetry phase c every Fourier coefficient c_k e^(ikc) of the force is real; the candidates are the 2k zeros
/// of the imaginary part for the largest one. Several phases: along their common period, if they have one.
template <class System>
SymmetryPhase symmetry_phase(Acceleration<System>& acceleration, const ProbeStates& probes, const TimeScales& scales) {
    using namespace probe_detail;
    constexpr double even = 1e-12;
    const auto& phases = acceleration.system().phases();
    // NOTE: phases in a fixed ratio keep their relation; windows have to start on the orbit of the phases itself. Where it fills
    // the torus, any point will do.
    const auto on_orbit = [&](double turns) {
        std::vector<double> theta(phases.size(), 0.0);
        for (std::size_t j = 0; scales.common_period && j < phases.size(); ++j) {
            const double origin =
                j == 0 ? 0.0
                       : reduced_phase(phases[j].frequency, -phases[0].start / phases[0].frequency, phases[j].start);
            const double cycles = std::round(phases[j].frequency * *scales.common_period / (2 * std::numbers::pi));
            theta[j] = std::remainder(origin + 2 * std::numbers::pi * cycles * turns, 2 * std::numbers::pi);
        }
        return theta;
    };
    SymmetryPhase best{on_orbit(0), 0};
    best.odd_fraction = odd_fraction(acceleration, probes, best.phases, scales);
    if (best.odd_fraction < even || !scales.common_period) {
        return best;
    }

    const int samples = phases.size() == 1 ? 64 : 512;
    const auto& state = probes.states.front();
    std::vector<std::vector<double>> values;
    for (int j = 0; j < samples; ++j) {
        values.push_back(
            acceleration_at(acceleration, state.x, state.v, state.t, on_orbit(static_cast<double>(j) / samples)));
    }
    std::complex<double> largest = 0;
    int harmonic = 1;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        for (int k = 1; k < samples / 2; ++k) {
            std::complex<double> coefficient = 0;
            for (int j = 0; j < samples; ++j) {
                coefficient +=
                    values[static_cast<std::size_t>(j)][i] * std::polar(1.0, -2 * std::numbers::pi * j * k / samples);
            }
            if (std::abs(coefficient) > std::abs(largest) * (1 + 1e-9)) {
                largest = coefficient;
                harmonic = k;
            }
        }
    }
    std::vector<double> candidates;
    for (int j = 0; j < 2 * harmonic; ++j) {
        candidates.push_back(std::remainder((-std::arg(largest) / std::numbers::pi + j) / (2 * harmonic), 1.0));
    }
    // NOTE: nearest to zero first, of two equally near ones the positive; rounding decides nothing.
    const auto rank = [](double turns) { return std::pair(std::round(std::abs(turns) * 1e9), turns < 0); };
    std::sort(candidates.begin(), candidates.end(), [&](double a, double b) { return rank(a) < rank(b); });
    for (const double candidate : candidates) {
        const auto centre = on_orbit(candidate);
        const double odd = odd_fraction(acceleration, probes, centre, scales);
        if (odd < 0.999999 * best.odd_fraction) {
            best = {centre, odd};
        }
        if (odd < even) {
            break;
        }
    }
    return best;
}

}  // namespace lento
