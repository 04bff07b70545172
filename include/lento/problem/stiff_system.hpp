/// Mechanical systems with stiff springs:
///
///     M x'' = f(x, x', t) - sum_j k_j g_j(x, t) g_j'(x, t)^T,     k_j = omega_j^2      (stiff (1), slow-manifold (1))
///
/// g_j is the elongation of a spring, omega_j its frequency: nominal, since the true one also depends on masses and gradients
/// (`problem/spring_spectrum.hpp`). In C++ the elongations are one template `g(x, t, values)`; the springs of text models have the same
/// members as `ElongationSprings` (`model/springs.hpp`).
///
/// Methods look at a spring through its measures: functions of (x, t) whose smallness is that of the elongation. An elongation is its own
/// measure; a stiff potential U of another form has the components of U'/omega^2.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/increment.hpp"
#include "lento/base/misuse.hpp"
#include "lento/problem/constraints.hpp"
#include "lento/problem/spring_series.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

/// What is known of one spring.
struct SpringEntry {
    std::string name;
    double frequency = 0;             ///< nominal
    double strength = 0;              ///< k
    std::size_t first = 0, last = 0;  ///< its measures, the last one excluded
    bool has_elongation = true;       ///< else it is a potential of another form

    /// From the values of all measures: the elongation, or |U'|/omega^2.
    double elongation(std::span<const double> measures) const {
        if (has_elongation) {
            return measures[first];
        }
        double square = 0;
        for (std::size_t m = first; m < last; ++m) {
            square += measures[m] * measures[m];
        }
        return std::sqrt(square);
    }
};

/// The force of springs whose elongations are known, beside a slow force of the canonical form.
template <class Soft, class Function>
class ElongationForce {
public:
    ElongationForce(Soft soft, ConstraintFunctions<Function> elongations, std::vector<double> strengths)
        : soft_(std::move(soft)),
          elongations_(std::move(elongations)),
          strengths_(std::move(strengths)),
          values_(strengths_.size()),
          gradient_(elongations_.pattern().entries()) {}

    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    std::span<double> f) const {
        elongations_.values(x, t, values_);
        with_elongations(values_, x, v, t, theta, f);
    }

    /// The force at x where the elongations are known better than their evaluation at x tells.
    void with_elongations(std::span<const double> g, std::span<const double> x, std::span<const double> v, double t,
                          std::span<const double> theta, std::span<double> f) const {
        soft_(x, v, t, theta, f);
        elongations_.gradient(x, t, gradient_);
        const auto& pattern = elongations_.pattern();
        for (std::size_t j = 0; j < g.size(); ++j) {
            const double tension = strengths_[j] * g[j];
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                f[pattern.column(e)] -= tension * gradient_[e];
            }
        }
    }

    const ConstraintFunctions<Function>& elongations() const { return elongations_; }

private:
    Soft soft_;
    ConstraintFunctions<Function> elongations_;
    std::vector<double> strengths_;
    mutable std::vector<double> values_, gradient_;  // work space
};

/// The same force near a centre, as a function of the move d from it and of the time s since: elongations are those at the centre plus
/// their change, which keeps its digits however small the move (`base/increment.hpp`). What rounding adds to the force is then of the
/// size k |d| 1e-16, where the plain force has k |x| 1e-16.
template <class Soft, class Function>
class CentredElongationForce {
public:
    CentredElongationForce(ElongationForce<Soft, Function> force, Function function, std::size_t dimension)
        : force_(std::move(force)),
          function_(std::move(function)),
          centre_(dimension),
          x_(dimension),
          moved_(dimension),
          changed_(force_.elongations().count()),
          at_centre_(changed_.size()),
          values_(changed_.size()) {}

    void centre(std::span<const double> x, double t) {
        std::copy(x.begin(), x.end(), centre_.begin());
        t_ = t;
        force_.elongations().values(x, t, at_centre_);
    }

    void operator()(std::span<const double> d, std::span<const double> v, double s, std::span<const double> theta,
                    std::span<double> f) {
        measures(d, s, values_);
        for (std::size_t i = 0; i < d.size(); ++i) {
            x_[i] = centre_[i] + d[i];
        }
        force_.with_elongations(values_, x_, v, t_ + s, theta, f);
    }

    /// The elongations at a move from the centre.
    void measures(std::span<const double> d, double s, std::span<double> values) {
        for (std::size_t i = 0; i < d.size(); ++i) {
            moved_[i] = Number::at(centre_[i], d[i]);
        }
        function_(std::span<const Number>(moved_), Number::at(t_, s), std::span<Number>(changed_));
        for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] = at_centre_[j] + changed_[j].change();
        }
    }

private:
    using Number = Increment<double>;

    ElongationForce<Soft, Function> force_;
    Function function_;
    std::vector<double> centre_, x_;
    double t_ = 0;
    std::vector<Number> moved_, changed_;
    std::vector<double> at_centre_, values_;
};

/// Springs written in C++.
template <class Soft, class Function>
class ElongationSprings {
public:
    using Force = ElongationForce<Soft, Function>;
    using Centred = CentredElongationForce<Soft, Function>;

    /// One entry an elongation.
    ElongationSprings(Soft soft, ConstraintFunctions<Function> elongations, std::vector<SpringEntry> entries)
        : soft_(std::move(soft)), measures_(std::move(elongations)), entries_(std::move(entries)) {}

    const std::vector<SpringEntry>& entries() const { return entries_; }
    const ConstraintFunctions<Function>& measures() const { return measures_; }

    Force force() const { return Force(soft_, measures_, strengths()); }
    std::unique_ptr<Centred> centred(std::size_t dimension) const {
        return std::make_unique<Centred>(force(), measures_.function(), dimension);
    }
    /// Along series in time; none where the slow force takes double alone.
    std::unique_ptr<SpringSeries> series() const { return spring_series(soft_, measures_); }
    /// All frequencies times `factor`.
    ElongationSprings stiffened(double factor) const {
        auto entries = entries_;
        for (auto& entry : entries) {
            entry.frequency *= factor;
            entry.strength *= factor * factor;
        }
        return ElongationSprings(soft_, measures_, std::move(entries));
    }

private:
    std::vector<double> strengths() const {
        std::vector<double> strengths;
        for (const auto& entry : entries_) {
            strengths.push_back(entry.strength);
        }
        return strengths;
    }

    Soft soft_;
    ConstraintFunctions<Function> measures_;
    std::vector<SpringEntry> entries_;
};

/// `Springs` knows the springs and the whole force, springs included, plain and near a centre.
template <class Springs>
class StiffSystem {
public:
    using Force = typename Springs::Force;
    using Whole = VibratedSystem<Force>;

    StiffSystem(Whole whole, Springs springs) : whole_(std::move(whole)), springs_(std::move(springs)) {}

    /// The system as any other, with all its forces.
    const Whole& whole() const { return whole_; }
    const Springs& springs() const { return springs_; }

    std::size_t dimension() const { return whole_.dimension(); }
    const Mass& mass() const { return whole_.mass(); }
    const std::vector<Phase>& phases() const { return whole_.phases(); }
    const std::vector<std::string>& names() const { return whole_.names(); }
    std::optional<double> period() const { return whole_.period(); }

    StiffSystem with_mass(Mass mass) const { return {whole_.with_mass(std::move(mass)), springs_}; }
    StiffSystem with_names(std::vector<std::string> names) const {
        return {whole_.with_names(std::move(names)), springs_};
    }
    /// The same system with all springs stiffer: their frequencies times `factor`.
    StiffSystem stiffened(double factor) const {
        auto springs = springs_.stiffened(factor);
        auto whole = Whole(dimension(), phases(), springs.force())
                         .with_mass(mass())
                         .with_names(names())
                         .with_parity(whole_.parity());
        return {std::move(whole), std::move(springs)};
    }

private:
    Whole whole_;
    Springs springs_;
};

namespace spring_detail {

template <class Springs>
StiffSystem<Springs> assembled(std::size_t dimension, Springs springs) {
    using Whole = typename StiffSystem<Springs>::Whole;
    auto force = springs.force();
    return {Whole(dimension, {}, std::move(force)), std::move(springs)};
}

}  // namespace spring_detail

/// Springs of the given frequencies with elongations `g(x, t, values)` beside a slow force `force(x, v, t, f)`.
template <class Force, class Function>
auto stiff_system(std::size_t dimension, Force force, const std::vector<double>& frequencies, Function elongations) {
    using Soft = force_detail::NoPhase<Force>;
    if (frequencies.empty()) {
        throw Misuse("a stiff system needs at least one spring");
    }
    ConstraintFunctions<Function> measures(dimension, frequencies.size(), std::move(elongations));
    std::vector<SpringEntry> entries;
    for (std::size_t j = 0; j < frequencies.size(); ++j) {
        require_positive(frequencies[j], fmt::format("the frequency of spring {}", j + 1));
        entries.push_back({measures.names()[j], frequencies[j], frequencies[j] * frequencies[j], j, j + 1});
    }
    return spring_detail::assembled(
        dimension, ElongationSprings<Soft, Function>(Soft{std::move(force)}, std::move(measures), std::move(entries)));
}

}  // namespace lento
