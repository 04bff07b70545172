/// Right-hand sides as steps that resolve everything see them (`march/resolving.hpp`): by the share c of a step, with
/// times and phases reduced once a step. What steppers are given, each compiled for the lengths that it has.
///
///     PositionSide    accelerations, at positions alone         for Nystroem's pair
///     FormSide        the same, of positions and momenta
///     MotionSide      y' = (v, a)                               for DOP853
///     VariableSide    rates of variables
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lento/march/result.hpp"
#include "problem/acceleration.hpp"
#include "problem/mechanical_form.hpp"

namespace lento {

inline constexpr double unknown_velocity = std::numeric_limits<double>::quiet_NaN();

/// Times and phases along a step, by the share c of it.
class Clockwork {
public:
    explicit Clockwork(const std::vector<Phase>& phases)
        : phases_(phases), start_(phases.size()), turn_(phases.size()), theta_(phases.size()) {}

    void begin(double t, double h) {
        constexpr double many = 64;  // radians a step: their multiples would lose digits
        t_ = t;
        h_ = h;
        exact_ = false;
        for (std::size_t j = 0; j < phases_.size(); ++j) {
            start_[j] = phases_[j].at(t);
            turn_[j] = phases_[j].frequency * h;
            exact_ = exact_ || std::abs(turn_[j]) > many;
        }
    }
    double step() const { return h_; }
    double time(double c) const { return t_ + c * h_; }
    double phase(std::size_t j, double c) const { return exact_ ? phases_[j].at(time(c)) : start_[j] + c * turn_[j]; }
    In phases(double c) {
        for (std::size_t j = 0; j < theta_.size(); ++j) {
            theta_[j] = phase(j, c);
        }
        return theta_;
    }

private:
    const std::vector<Phase>& phases_;
    double t_ = 0, h_ = 0;
    bool exact_ = false;
    std::vector<double> start_, turn_, theta_;
};

/// Whether the acceleration is finite with a velocity and not without, at the start of a step from y or on the way that
/// it takes without forces.
template <std::size_t Extent, class Side, class WithVelocity>
bool shows_velocity(Side& side, double step, In y, WithVelocity&& with_velocity) {
    const std::size_t d = y.size() / 2;
    std::vector<double> x(d), with(d), without(d);
    for (const double c : {0.0, 0.125, 0.25, 0.5, 1.0}) {
        for (std::size_t i = 0; i < d; ++i) {
            x[i] = y[i] + c * step * y[d + i];
        }
        with_velocity(c, x, y.last(d), with);
        side(c, std::span<const double, Extent>(x.data(), d), std::span<double, Extent>(without.data(), d));
        if (!first_not_finite(with) && first_not_finite(without)) {
            return true;
        }
    }
    return false;
}

/// Accelerations along a step, at positions alone.
template <std::size_t Extent>
class PositionSide {
public:
    PositionSide(Acceleration& acceleration, const std::vector<Phase>& phases)
        : acceleration_(acceleration),
          single_(Extent == 1 ? acceleration.single() : std::nullopt),
          clockwork_(phases),
          has_phase_(!phases.empty()),
          no_velocity_(acceleration.problem().dimension(), unknown_velocity) {}

    void begin(double t, double h) { clockwork_.begin(t, h); }
    void operator()(double c, std::span<const double, Extent> x, std::span<double, Extent> a) {
        ++evaluations;
        if constexpr (Extent == 1) {
            if (single_) {
                a[0] =
                    (*single_)(x[0], unknown_velocity, clockwork_.time(c), has_phase_ ? clockwork_.phase(0, c) : 0.0);
                return;
            }
        }
        acceleration_.uncounted<Extent>(x, std::span<const double, Extent>(no_velocity_), clockwork_.time(c),
                                        clockwork_.phases(c), a);
    }
    /// y' = (v, a) where the step begins, with the velocity that there is.
    void rate(In y, Out derivative) {
        const std::size_t d = y.size() / 2;
        std::ranges::copy(y.last(d), derivative.begin());
        with_velocity(0, y.first(d), y.last(d), derivative.last(d));
    }
    bool sees_velocity(In y) {
        return shows_velocity<Extent>(*this, clockwork_.step(), y,
                                      [&](double c, In x, In v, Out a) { with_velocity(c, x, v, a); });
    }
    bool holds(In) const { return true; }

    std::int64_t evaluations = 0;

private:
    void with_velocity(double c, In x, In v, Out a) {
        ++evaluations;
        acceleration_.uncounted<dynamic>(x, v, clockwork_.time(c), clockwork_.phases(c), a);
    }

    Acceleration& acceleration_;
    std::optional<Acceleration::Single> single_;
    Clockwork clockwork_;
    bool has_phase_;
    std::vector<double> no_velocity_;
};

/// y' = (v, a) along a step.
template <std::size_t Extent>
class MotionSide {
public:
    MotionSide(Acceleration& acceleration, const std::vector<Phase>& phases)
        : acceleration_(acceleration),
          single_(Extent == 1 ? acceleration.single() : std::nullopt),
          clockwork_(phases),
          has_phase_(!phases.empty()) {}

    void begin(double t, double h) { clockwork_.begin(t, h); }
    void operator()(double c, std::span<const double, twice(Extent)> y, std::span<double, twice(Extent)> derivative) {
        ++evaluations;
        if constexpr (Extent == 1) {
            if (single_) {
                derivative[0] = y[1];
                derivative[1] = (*single_)(y[0], y[1], clockwork_.time(c), has_phase_ ? clockwork_.phase(0, c) : 0.0);
                return;
            }
        }
        const std::size_t d = y.size() / 2;
        using Part = std::span<const double, Extent>;
        std::copy_n(y.data() + d, d, derivative.data());
        acceleration_.uncounted<Extent>(Part(y.data(), d), Part(y.data() + d, d), clockwork_.time(c),
                                        clockwork_.phases(c), std::span<double, Extent>(derivative.data() + d, d));
    }
    void rate(In y, Out derivative) {
        (*this)(0, std::span<const double, twice(Extent)>(y.data(), y.size()),
                std::span<double, twice(Extent)>(derivative.data(), derivative.size()));
    }
    bool sees_velocity(In) const { return false; }
    bool holds(In) const { return true; }

    std::int64_t evaluations = 0;

private:
    Acceleration& acceleration_;
    std::optional<Acceleration::Single> single_;
    Clockwork clockwork_;
    bool has_phase_;
};

/// Rates of variables along a step.
template <std::size_t Extent>
class VariableSide {
public:
    explicit VariableSide(const Problem& problem) : problem_(problem), clockwork_(problem.phases) {}

    void begin(double t, double h) { clockwork_.begin(t, h); }
    void operator()(double c, std::span<const double, Extent> y, std::span<double, Extent> derivative) {
        ++evaluations;
        problem_.forces.at(y.data(), nullptr, clockwork_.time(c), clockwork_.phases(c).data(),
                           problem_.parameters.data(), derivative.data());
    }
    void rate(In y, Out derivative) {
        (*this)(0, std::span<const double, Extent>(y.data(), y.size()),
                std::span<double, Extent>(derivative.data(), derivative.size()));
    }
    bool sees_velocity(In) const { return false; }
    bool holds(In) const { return true; }

    std::int64_t evaluations = 0;

private:
    const Problem& problem_;
    Clockwork clockwork_;
};

/// Accelerations along a step of variables that are positions and momenta, at positions alone.
class FormSide {
public:
    FormSide(const Problem& problem, const MechanicalForm& form)
        : problem_(problem),
          form_(form),
          clockwork_(problem.phases),
          variables_(problem.dimension(), unknown_velocity),
          rates_(problem.dimension()) {}

    void begin(double t, double h) { clockwork_.begin(t, h); }
    void operator()(double c, In x, Out a) {
        place(x);
        evaluate(c);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const auto& pair = form_.pairs()[i];
            a[i] = pair.factor * rates_[pair.momentum];
        }
    }
    /// y' = (v, a) where the step begins, with the momenta that there are.
    void rate(In y, Out derivative) {
        const std::size_t d = y.size() / 2;
        std::ranges::copy(y.last(d), derivative.begin());
        with_velocity(0, y.first(d), y.last(d), derivative.last(d));
    }
    bool sees_velocity(In y) {
        return shows_velocity<dynamic>(*this, clockwork_.step(), y,
                                       [&](double c, In x, In v, Out a) { with_velocity(c, x, v, a); });
    }
    /// Whether q' = b p at the end of the step.
    bool holds(In y) {
        const std::size_t d = y.size() / 2;
        place(y.first(d), y.last(d));
        evaluate(1);
        const bool result = form_.holds(variables_, rates_);
        forget_momenta();
        return result;
    }

    std::int64_t evaluations = 0;

private:
    void place(In x) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            variables_[form_.pairs()[i].position] = x[i];
        }
    }
    void place(In x, In v) {
        place(x);
        for (std::size_t i = 0; i < v.size(); ++i) {
            variables_[form_.pairs()[i].momentum] = v[i] / form_.pairs()[i].factor;
        }
    }
    void forget_momenta() {
        for (const auto& pair : form_.pairs()) {
            variables_[pair.momentum] = unknown_velocity;
        }
    }
    void with_velocity(double c, In x, In v, Out a) {
        place(x, v);
        (*this)(c, x, a);
        forget_momenta();
    }
    void evaluate(double c) {
        ++evaluations;
        problem_.forces.at(variables_.data(), nullptr, clockwork_.time(c), clockwork_.phases(c).data(),
                           problem_.parameters.data(), rates_.data());
    }

    const Problem& problem_;
    const MechanicalForm& form_;
    Clockwork clockwork_;
    std::vector<double> variables_, rates_;  // momenta are NaN but where they are wanted
};

}  // namespace lento
