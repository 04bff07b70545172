/// How much of the energy of a fast mode (`problem/spring_modes.hpp`) may pass to other modes on the way of the slow
/// motion, as a share of its action:
///
/// - of two modes with the turning q' and the gyration of one in the other, over the gap of their frequencies;
/// - of one in its own period, and over its amplitude;
/// - of three with mu_l near mu_j + mu_k, by the part of third order of the springs' energy, over the detuning or,
///   where the resonance is passed, the root of its speed.
#pragma once

#include <optional>
#include <vector>

#include "problem/spring_modes.hpp"

namespace lento {

/// A point of the way, with frequencies and how fast they change.
struct PointOfWay {
    double t = 0;
    std::vector<double> x{}, v{}, frequencies{}, rates{};
};
PointOfWay point_of_way(const SpringModes& modes, double t, In x, In v);

struct ModeExchange {
    /// The largest share of an action that may pass to other modes, and which these are.
    struct Exchange {
        double share = 0;
        std::vector<std::size_t> modes{};
    };

    std::vector<double> actions{};
    std::vector<double> gyration{};  ///< n_j^T f_v n_k, by rows
    double energy = 0;               ///< of all modes at the start

    /// Whether a mode of this frequency has energy worth speaking of.
    bool holds(std::size_t j, double frequency) const { return actions[j] * frequency > negligible * energy; }
    /// The amplitude of mode j, by the root of its frequency.
    double swing(std::size_t j) const;

    /// At the point where the modes are now.
    Exchange at(const SpringModes& modes, In v) const;
    /// Where two frequencies have crossed between two points.
    std::optional<Exchange> crossing(const PointOfWay& from, const PointOfWay& to) const;
    /// What passing through resonances of three modes between two points leaves behind; the modes are at the second.
    Exchange passage(const SpringModes& modes, const PointOfWay& from, const PointOfWay& to) const;

private:
    static constexpr double negligible = 1e-6;  // share of the energy

    double of_two(const SpringModes& modes, std::size_t j, std::size_t k, In v) const;
    /// How fast modes j and k exchange energy with l.
    double rate_of_three(const SpringModes& modes, std::size_t j, std::size_t k, std::size_t l) const;
};

/// Frequencies nearer than this, relatively, are one to rounding.
inline constexpr double same_frequency = 1e-9;

}  // namespace lento
