#include "judge/mode_exchange.hpp"

#include <algorithm>

#include "base/number.hpp"

namespace lento {

double ModeExchange::swing(std::size_t j) const {
    return std::sqrt(2 * actions[j]);
}

PointOfWay point_of_way(const SpringModes& modes, double t, In x, In v) {
    PointOfWay found{.t = t, .x = {x.begin(), x.end()}, .v = {v.begin(), v.end()}};
    for (std::size_t j = 0; j < modes.count(); ++j) {
        found.frequencies.push_back(modes.frequency(j));
        found.rates.push_back(modes.frequency(j) * product(modes.bend(j, j), v));
    }
    return found;
}

double ModeExchange::of_two(const SpringModes& modes, std::size_t j, std::size_t k, In v) const {
    const double one = modes.frequency(j);
    const double other = modes.frequency(k);
    if (j == k) {
        // In its period, and over its amplitude.
        return std::abs(product(modes.bend(j, j), v)) / (2 * one);
    }
    const double gap = std::abs(other - one);
    if (gap < same_frequency * one) {
        // Modes of one frequency everywhere may share their energy as they like.
        constexpr double rounding = 1e-6;
        std::vector<double> apart(v.size());
        add_to(apart, 1, modes.bend(j, j));
        add_to(apart, -1, modes.bend(k, k));
        double off = largest(apart);
        std::ranges::fill(apart, 0.0);
        add_to(apart, 1, modes.bend(j, k));
        add_to(apart, 1, modes.bend(k, j));
        off = larger(off, largest(apart));
        return off <= rounding * (largest(modes.bend(j, j)) + largest(modes.bend(k, k))) ? 0 : HUGE_VAL;
    }
    const std::size_t n = modes.count();
    const double turned = std::abs(gyration[j * n + k] - gyration[k * n + j]) / 4;
    return (std::abs(modes.turning(j, k, v)) + turned) / gap;
}

double ModeExchange::rate_of_three(const SpringModes& modes, std::size_t j, std::size_t k, std::size_t l) const {
    const double mu_j = modes.frequency(j);
    const double mu_k = modes.frequency(k);
    const double mu_l = modes.frequency(l);
    const double third = mu_j * mu_j * product(modes.bend(k, j), modes.shape(l)) +
                         mu_k * mu_k * product(modes.bend(j, k), modes.shape(l)) +
                         mu_l * mu_l * product(modes.bend(j, l), modes.shape(k));
    return std::abs(third) * std::max({swing(j), swing(k), swing(l)}) / (2 * std::sqrt(mu_j * mu_k * mu_l));
}

ModeExchange::Exchange ModeExchange::at(const SpringModes& modes, In v) const {
    Exchange found;
    const auto held = [&](std::size_t i) { return holds(i, modes.frequency(i)); };
    const auto consider = [&](double share, std::vector<std::size_t> which) {
        if (!(share <= found.share)) {
            found = {share, std::move(which)};
        }
    };
    for (std::size_t l = 0; l < modes.count(); ++l) {
        for (std::size_t j = 0; j < modes.count(); ++j) {
            if (j <= l && (held(j) || held(l))) {
                consider(of_two(modes, j, l, v), {j, l});
            }
            for (std::size_t k = j; k < modes.count(); ++k) {
                if (!held(j) && !held(k) && !held(l)) {
                    continue;
                }
                const auto rate = [&](std::size_t i) { return modes.frequency(i) * product(modes.bend(i, i), v); };
                const double detuning = modes.frequency(l) - modes.frequency(j) - modes.frequency(k);
                // Where the resonance is passed it lasts for one over the root of the speed.
                const double width = std::hypot(detuning, std::sqrt(std::abs(rate(l) - rate(j) - rate(k))));
                consider(rate_of_three(modes, j, k, l) / width, {j, k, l});
            }
        }
    }
    return found;
}

std::optional<ModeExchange::Exchange> ModeExchange::crossing(const PointOfWay& from, const PointOfWay& to) const {
    const auto held = [&](std::size_t i) { return holds(i, to.frequencies[i]); };
    const double time = to.t - from.t;
    for (std::size_t j = 0; j + 1 < from.frequencies.size(); ++j) {
        const auto gap = [j](const std::vector<double>& of) { return of[j + 1] - of[j]; };
        // The frequencies are sorted: after a crossing the gap opens as fast as it closed.
        const bool closes = gap(from.frequencies) + gap(from.rates) * time < 0;
        const bool opened = gap(to.frequencies) - gap(to.rates) * time < 0;
        if (closes && opened && (held(j) || held(j + 1))) {
            return Exchange{HUGE_VAL, {j, j + 1}};
        }
    }
    return std::nullopt;
}

ModeExchange::Exchange ModeExchange::passage(const SpringModes& modes, const PointOfWay& from,
                                             const PointOfWay& to) const {
    constexpr double stationary_phase = 2.5066;  // sqrt(2 pi)
    const auto held = [&](std::size_t i) { return holds(i, modes.frequency(i)); };
    Exchange found;
    for (std::size_t l = 0; l < modes.count(); ++l) {
        for (std::size_t j = 0; j < l; ++j) {
            for (std::size_t k = j; k < l; ++k) {
                const auto detuning = [&](const PointOfWay& at) {
                    return at.frequencies[l] - at.frequencies[j] - at.frequencies[k];
                };
                const double speed = std::abs((detuning(to) - detuning(from)) / (to.t - from.t));
                if (detuning(from) * detuning(to) < 0 && (held(j) || held(k) || held(l))) {
                    const double share = stationary_phase * rate_of_three(modes, j, k, l) / std::sqrt(speed);
                    found = share > found.share ? Exchange{share, {j, k, l}} : found;
                }
            }
        }
    }
    return found;
}

}  // namespace lento
