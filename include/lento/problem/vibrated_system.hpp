/// Mechanical systems under fast vibration:
///
///     M x'' = f(x, x', t, theta_1, ..., theta_k),     theta_j = omega_j t + start_j         (vibrated (3.1))
///
/// The force is a template on the scalar type (double, long double, jets): `f(x, v, t, theta, force)` reads the spans x
/// and v and fills the span force. With one phase theta is a number, with several a span. A system may also oscillate
/// fast without a phase that tells (vibrated, section 3.2); then the period of its oscillation is declared instead and
/// the force is `f(x, v, t, force)`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/base/phase.hpp"
#include "lento/base/vector.hpp"
#include "lento/problem/mass.hpp"

namespace lento {

struct Phase {
    double frequency = 0;  ///< angular, radians a unit of time
    double start = 0;      ///< its value at t = 0
    std::string name = "theta";

    double at(double t) const { return reduced_phase(frequency, t, start); }
    double period() const { return 2 * std::numbers::pi / frequency; }
};

/// What is known of f under theta -> -theta, all phases at once.
enum class Parity { unknown, even };

/// The fast part of the velocity at position x, time t and phases theta, where the user has a formula for it.
using FastVelocity =
    std::function<void(std::span<const double> x, double t, std::span<const double> theta, std::span<double> w)>;

/// `Force` has the canonical form `f(x, v, t, span theta, span force)`; the functions below adapt what users write to
/// it.
template <class Force, std::size_t Extent = dynamic>
class VibratedSystem {
public:
    static constexpr std::size_t extent = Extent;
    /// Forces whose dimension nobody knows before the program runs, such as those of text models, may ask for windows compiled for
    /// small dimensions. Others say their dimension: `vibrated_system<N>`.
    static constexpr bool fixed_windows = Extent == dynamic && requires { typename Force::wants_fixed_windows; };

    /// Whether the force takes numbers of that type: some, of springs and of constraints, take double alone.
    template <class S>
    static constexpr bool accepts =
        std::is_invocable_v<const Force&, std::span<const S, Extent>, std::span<const S, Extent>, S, std::span<const S>,
                            std::span<S, Extent>>;

    VibratedSystem(std::size_t dimension, std::vector<Phase> phases, Force force)
        : dimension_(dimension), phases_(std::move(phases)), mass_(dimension), force_(std::move(force)) {
        if (dimension == 0) {
            throw Misuse("a system needs at least one coordinate");
        }
        for (const auto& phase : phases_) {
            require_positive(phase.frequency, fmt::format("the frequency of phase '{}'", phase.name));
        }
        for (std::size_t i = 0; i < dimension; ++i) {
            names_.push_back(dimension == 1 ? "x" : fmt::format("x{}", i + 1));
        }
    }

    VibratedSystem with_mass(Mass mass) const {
        if (mass.dimension() != dimension_) {
            throw Misuse(
                fmt::format("the mass matrix is for {} coordinates; the system has {}", mass.dimension(), dimension_));
        }
        return changed([&](auto& system) { system.mass_ = std::move(mass); });
    }
    VibratedSystem with_names(std::vector<std::string> names) const {
        if (names.size() != dimension_) {
            throw Misuse(fmt::format("{} names for {} coordinates", names.size(), dimension_));
        }
        return changed([&](auto& system) { system.names_ = std::move(names); });
    }
    /// The phases at t = 0.
    VibratedSystem with_phase_start(std::vector<double> start) const {
        if (start.size() != phases_.size()) {
            throw Misuse(fmt::format("{} starting phases for {} phases", start.size(), phases_.size()));
        }
        return changed([&](auto& system) {
            for (std::size_t j = 0; j < start.size(); ++j) {
                system.phases_[j].start = start[j];
            }
        });
    }
    /// Declares f(x, v, t, -theta) = f(x, v, t, theta); nobody checks it. Undeclared, it is found numerically.
    VibratedSystem with_parity(Parity parity) const {
        return changed([&](auto& system) { system.parity_ = parity; });
    }
    VibratedSystem with_fast_velocity(FastVelocity formula) const {
        return changed([&](auto& system) { system.fast_velocity_ = std::move(formula); });
    }
    VibratedSystem with_period(double period) const {
        require_positive(period, "the period of the fast oscillation");
        return changed([&](auto& system) { system.period_ = period; });
    }

    std::size_t dimension() const { return dimension_; }
    const std::vector<Phase>& phases() const { return phases_; }
    const Mass& mass() const { return mass_; }
    const std::vector<std::string>& names() const { return names_; }
    Parity parity() const { return parity_; }
    const FastVelocity& fast_velocity() const { return fast_velocity_; }
    /// The declared period of a fast oscillation that no phase tells.
    std::optional<double> period() const { return period_; }

    /// As it was given: some can do more than be called, such as those of text models at many phases at once.
    const Force& force_function() const { return force_; }

    std::vector<double> phases_at(double t) const {
        std::vector<double> theta;
        for (const auto& phase : phases_) {
            theta.push_back(phase.at(t));
        }
        return theta;
    }

    /// `E` may be known where `Extent` is not.
    template <class S, std::size_t E = Extent>
    void force(std::type_identity_t<std::span<const S, E>> x, std::type_identity_t<std::span<const S, E>> v, S t,
               std::span<const S> theta, std::type_identity_t<std::span<S, E>> f) const {
        force_(x, v, t, theta, f);
    }

private:
    template <class Change>
    VibratedSystem changed(Change&& change) const {
        VibratedSystem system = *this;
        change(system);
        return system;
    }

    std::size_t dimension_;
    std::vector<Phase> phases_;
    Mass mass_;
    Force force_;
    std::vector<std::string> names_;
    Parity parity_ = Parity::unknown;
    FastVelocity fast_velocity_;
    std::optional<double> period_;
};

/// Evaluates accelerations M^-1 f of one system and counts the calls. One run owns one of these.
template <class System, class S = double>
class Acceleration {
public:
    static constexpr std::size_t extent = System::extent;

    explicit Acceleration(const System& system)
        : system_(&system), scratch_(make_vector<S, extent>(system.dimension())) {}

    void operator()(std::span<const S, extent> x, std::span<const S, extent> v, S t, std::span<const S> theta,
                    std::span<S, extent> a) {
        uncounted(x, v, t, theta, a);
        ++evaluations_;
    }

    /// For loops that know how often they call it and `count` afterwards.
    template <std::size_t E = extent>
    void uncounted(std::span<const S, E> x, std::span<const S, E> v, S t, std::span<const S> theta, std::span<S, E> a) {
        system_->template force<S, E>(x, v, t, theta, a);
        system_->mass().to_acceleration(a, view<E>(std::span<S>(scratch_)));
    }
    void count(std::int64_t evaluations) { evaluations_ += evaluations; }

    const System& system() const { return *system_; }
    std::int64_t evaluations() const { return evaluations_; }

private:
    const System* system_;
    Vector<S, extent> scratch_;
    std::int64_t evaluations_ = 0;
};

namespace force_detail {

template <class Force>
struct OnePhase {
    Force force;
    void operator()(auto x, auto v, auto t, auto theta, auto f) const { force(x, v, t, theta[0], f); }
};
template <class Force>
struct NoPhase {
    Force force;
    void operator()(auto x, auto v, auto t, auto, auto f) const { force(x, v, t, f); }
};

}  // namespace force_detail

/// One phase theta = frequency * t: `force(x, v, t, theta, f)`.
template <class Force>
auto vibrated_system(std::size_t dimension, double frequency, Force force) {
    using Canonical = force_detail::OnePhase<Force>;
    return VibratedSystem<Canonical>(dimension, {{.frequency = frequency}}, Canonical{std::move(force)});
}

/// The same with the number of coordinates known to the compiler, which makes windows over few coordinates faster.
template <std::size_t Dimension, class Force>
auto vibrated_system(double frequency, Force force) {
    using Canonical = force_detail::OnePhase<Force>;
    return VibratedSystem<Canonical, Dimension>(Dimension, {{.frequency = frequency}}, Canonical{std::move(force)});
}

/// Several phases theta[j] = frequencies[j] * t: `force(x, v, t, theta, f)` with a span theta.
template <class Force>
auto vibrated_system(std::size_t dimension, const std::vector<double>& frequencies, Force force) {
    std::vector<Phase> phases;
    for (const double frequency : frequencies) {
        phases.push_back({.frequency = frequency, .start = 0, .name = fmt::format("theta{}", phases.size() + 1)});
    }
    return VibratedSystem<Force>(dimension, std::move(phases), std::move(force));
}

/// No phase: a system whose solutions oscillate with a known fast period, `force(x, v, t, f)`.
template <class Force>
auto oscillating_system(std::size_t dimension, double period, Force force) {
    using Canonical = force_detail::NoPhase<Force>;
    return VibratedSystem<Canonical>(dimension, {}, Canonical{std::move(force)}).with_period(period);
}

}  // namespace lento
