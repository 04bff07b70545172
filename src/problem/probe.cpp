#include "problem/probe.hpp"

#include <complex>
#include <random>

#include "base/number.hpp"

namespace lento {

ProbeStates::ProbeStates(In x, In v, double t_start, double t_end, In scales) {
    const auto scale = [&](std::size_t i) { return i < scales.size() ? scales[i] : 1.0; };
    const std::size_t d = x.size();
    std::mt19937_64 random(20100421);
    std::uniform_real_distribution<double> spread(-1, 1);
    for (int count = 0; count < 4; ++count) {
        State state{{x.begin(), x.end()},
                    {v.begin(), v.end()},
                    std::vector<double>(x.size()),
                    t_start + (t_end - t_start) * count / 3.0};
        state.v.resize(d);  // of variables there are none
        for (std::size_t i = 0; count > 0 && i < d; ++i) {
            state.x[i] += 0.1 * (0.1 * scale(i) + std::abs(x[i])) * spread(random);
            state.v[i] += 0.1 * (scale(d + i) + std::abs(state.v[i])) * spread(random);
        }
        for (std::size_t i = 0; i < d; ++i) {
            state.w[i] = scale(d + i) * spread(random);
        }
        states.push_back(std::move(state));
    }
}

std::vector<double> combined(In a, double factor, In b) {
    std::vector<double> sum(a.begin(), a.end());
    add_to(sum, factor, b);
    return sum;
}

VelocityDependence velocity_dependence(Acceleration& acceleration, const ProbeStates& probes) {
    VelocityDependence found;
    for (const auto& state : probes.states) {
        const double size = largest(state.w);
        for (const double turn : {0.0, 0.125, 0.17, 0.25, 0.375, 0.5, 0.61, 0.625, 0.75, 0.875}) {
            const std::vector<double> theta(acceleration.problem().phases.size(), 2 * std::numbers::pi * turn);
            const auto there = acceleration.at(state.x, state.v, state.t, theta);
            const auto moved = acceleration.at(state.x, combined(state.v, 1, state.w), state.t, theta);
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

bool depends_on_time(Acceleration& acceleration, const ProbeStates& probes) {
    const std::vector<double> theta(acceleration.problem().phases.size(), 0.0);
    return std::ranges::any_of(probes.states, [&](const auto& state) {
        const double later = state.t + 0.618 * (1 + std::abs(state.t));
        return acceleration.at(state.x, state.v, state.t, theta) != acceleration.at(state.x, state.v, later, theta);
    });
}

namespace {

/// The largest odd part of the acceleration about the phases `centre`, over its largest oscillation. Zero: even.
double odd_fraction(Acceleration& acceleration, const ProbeStates& probes, In centre, const TimeScales& scales) {
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
            const auto after =
                acceleration.at(state.x, combined(state.v, 1, state.w), state.t, combined(centre, 1, shift));
            const auto before =
                acceleration.at(state.x, combined(state.v, -1, state.w), state.t, combined(centre, -1, shift));
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

}  // namespace

SymmetryPhase symmetry_phase(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales) {
    constexpr double even = 1e-12;
    const auto& phases = acceleration.problem().phases;
    // NOTE: phases in a fixed ratio keep their relation; windows have to start on the orbit of the phases itself. Where
    // it fills the torus, any point will do.
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
        values.push_back(acceleration.at(state.x, state.v, state.t, on_orbit(static_cast<double>(j) / samples)));
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
