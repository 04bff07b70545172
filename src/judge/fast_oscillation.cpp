#include "judge/fast_oscillation.hpp"

#include <algorithm>
#include <cmath>

#include "average/slow_manifold.hpp"
#include "base/number.hpp"
#include "problem/probe.hpp"

namespace lento {
namespace {

/// |d ln mu / d x_i|, of the slowest or the fastest frequency, at the start and on the way: where the start is
/// symmetric it may vanish there alone.
double slope_of_frequencies(const Problem& problem, double t, In x, std::size_t i, const SpringSpectrum& here,
                            double length) {
    std::vector<double> moved(x.begin(), x.end());
    double steepest = 0;
    for (const double share : {1e-4, -1e-4, 0.2, -0.2}) {
        moved[i] = x[i] + share * length;
        const auto there = spring_spectrum(problem, moved, t);
        const double change =
            larger(std::abs(std::log(there.slowest / here.slowest)), std::abs(std::log(there.fastest / here.fastest)));
        steepest = larger(steepest, change / std::abs(share * length));
    }
    return std::isfinite(steepest) ? steepest : 1 / (1e-4 * length);
}

/// Whether springs move a coordinate: by themselves or through the masses.
std::vector<bool> moved_by_springs(const Problem& problem, const Mass& mass) {
    const auto& pattern = problem.springs->measures->pattern();
    std::vector<bool> moved(problem.dimension(), false);
    for (std::size_t entry = 0; entry < pattern.entries(); ++entry) {
        for (std::size_t i = 0; i < moved.size(); ++i) {
            moved[i] = moved[i] || mass.inverse_entry(i, pattern.column(entry)) != 0;
        }
    }
    return moved;
}

/// The share of the velocity that the oscillation turns from one side to the other, at most: twice its amplitude over
/// the radius of the level sets of springs, along a slow time straight ahead.
double turned_share(const Problem& problem, const Outset& outset, In x, In v, double amplitude, const SlowSize& size) {
    constexpr int looks = 4;
    const double t = outset.t_start;
    std::vector<double> aside(outset.velocity.begin(), outset.velocity.end());
    add_to(aside, -1, v);
    if (largest(aside) == 0) {
        aside.assign(outset.start.begin(), outset.start.end());
        add_to(aside, -1, x);
    }
    const double speed = std::sqrt(2 * kinetic_energy(problem, t, x, aside));
    if (speed == 0 || largest(v) == 0) {
        return 0;
    }
    for (double& component : aside) {
        component *= 2 * amplitude / speed;
    }
    double share = 0;
    for (int k = 0; k <= looks; ++k) {
        const auto there = combined(x, size.time * k / looks, v);
        const double turned = largest(turn_of_velocity(problem, t, there, aside, v)) / largest(v);
        share = std::isfinite(turned) ? std::max(share, turned) : share;  // the motion itself may not go there
    }
    return share;
}

}  // namespace

FastOscillation fast_oscillation(const Problem& problem, const Outset& outset, In x, In v, const SlowSize& size) {
    const std::size_t d = x.size();
    std::vector<double> w(outset.velocity.begin(), outset.velocity.end());
    add_to(w, -1, v);
    const auto& springs = *problem.springs;
    std::vector<double> there(springs.measures->count()), here(there.size());
    springs.measures->values(outset.start, outset.t_start, there);
    springs.measures->values(x, outset.t_start, here);
    FastOscillation found{.energy = kinetic_energy(problem, outset.t_start, x, w),
                          .amplitudes = std::vector<double>(2 * d),
                          .pushes = std::vector<double>(2 * d),
                          .shifts = std::vector<double>(2 * d)};
    for (const auto& spring : springs.entries) {
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            found.energy += spring.strength * (there[m] - here[m]) * (there[m] - here[m]) / 2;
        }
    }
    const auto spectrum = spring_spectrum(problem, x, outset.t_start);
    constexpr std::size_t many = 64;  // coordinates: each costs four spectra
    const double longest = std::min(outset.length() / 2, size.time);
    const Mass mass = problem.mass.at(x, outset.t_start);
    const auto moved = moved_by_springs(problem, mass);
    // The slow motion hands them on from one coordinate to the others.
    double largest_push = 0;
    double largest_shift = 0;
    for (std::size_t i = 0; i < d; ++i) {
        const double mobility = mass.inverse_entry(i, i);
        const double speed = std::sqrt(2 * found.energy * mobility);
        found.amplitudes[d + i] = moved[i] ? speed : 0.0;
        found.amplitudes[i] = found.amplitudes[d + i] / spectrum.slowest;
        const double slope =
            d <= many ? slope_of_frequencies(problem, outset.t_start, x, i, spectrum, size.length) : 1 / size.length;
        const double share = speed / spectrum.slowest / size.length;
        largest_push = larger(largest_push, found.energy * mobility * slope);
        largest_shift =
            larger(largest_shift, share * share * (size.acceleration + size.velocity * size.velocity / size.length));
    }
    const double turned = turned_share(problem, outset, x, v, std::sqrt(2 * found.energy) / spectrum.slowest, size);
    for (std::size_t i = 0; i < d; ++i) {
        found.pushes[i] = largest_push * longest * outset.length();
        found.pushes[d + i] = largest_push * outset.length();
        found.shifts[i] =
            largest_shift * longest * outset.length() +
            turned * (largest(std::span(found.amplitudes).first(d)) + turned * size.velocity * outset.length());
        found.shifts[d + i] = largest_shift * outset.length() + turned * turned * size.velocity;
    }
    return found;
}

}  // namespace lento
