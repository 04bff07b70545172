/// The right-hand side of a system with a fast phase at m phases at once, as truncated series in slow time: what harmonic averages are made
/// from. Methods that use it are compiled once; what is called once for all m phases is indirect.
///
/// Blocks of numbers hold coefficient after coefficient of a series, in each component after component, in each its m phases side by side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

class PhaseField {
public:
    virtual ~PhaseField() = default;

    const std::vector<std::string>& names() const { return names_; }
    std::size_t dimension() const { return names_.size(); }
    /// x'' = a(x, x', t, theta); else y' = a(y, t, theta).
    bool second_order() const { return second_order_; }
    const std::vector<Phase>& phases() const { return phases_; }
    /// Whether the phase of the fast motion is known at every time: declared, or that of a flow with a known period.
    bool tells_phase() const { return tells_phase_; }
    /// Common to all phases; none if there is none.
    std::optional<double> period() const { return period_; }
    double frequency() const { return 2 * std::numbers::pi / period_.value_or(NAN); }
    /// The common phase, which is zero where t is.
    double phase(double t) const { return reduced_phase(frequency(), t, 0); }

    /// Coefficients 0 to `degree` of a at m phases, from those of x and v (or of y, and v empty), about the time t.
    void evaluate(int degree, std::size_t m, double t, std::span<const double> x, std::span<const double> v,
                  std::span<double> a) {
        set_phases(m, 0);
        blocks(degree, t, x, v, a);
        evaluations_ += static_cast<std::int64_t>(m) * (degree + 1);
    }
    /// a at one phase, so many turns of the common one.
    void evaluate_at(double turns, double t, std::span<const double> x, std::span<const double> v,
                     std::span<double> a) {
        set_phases(1, turns);
        blocks(0, t, x, v, a);
        ++evaluations_;
    }

    /// Where the field is one of other unknowns than the system's (`average/flow_field.hpp`): from the system's (x and x' one after the
    /// other, or y) at a time to its own, and back, in place; NaN where there are none.
    virtual void enter(double /*t*/, std::span<double> /*y*/) {}
    virtual void leave(double /*t*/, std::span<double> /*y*/) {}

    /// Rigid constraints, their multipliers on average over the phases of the last evaluation, and those at a state y = (x, x') of the system.
    virtual std::size_t constraints() const { return 0; }
    virtual std::span<const double> mean_multipliers() const { return {}; }
    virtual void multipliers(double /*t*/, std::span<const double> /*y*/, std::span<double> /*lambda*/) {}

    /// A series of degree d counts d + 1.
    std::int64_t evaluations() const { return evaluations_; }

protected:
    /// Where the phase comes from.
    enum class PhaseFrom { declaration, flow };

    template <class System>
    PhaseField(const System& system, bool second_order, PhaseFrom source = PhaseFrom::declaration)
        : names_(system.names()),
          second_order_(second_order),
          tells_phase_(source == PhaseFrom::flow || !system.phases().empty()),
          phases_(system.phases()) {
        if (!phases_.empty() || system.period()) {
            period_ = time_scales(system).common_period;
        }
    }

    virtual void blocks(int degree, double t, std::span<const double> x, std::span<const double> v,
                        std::span<double> a) = 0;

    std::size_t points() const { return points_; }
    /// Of the common phase at point k, from 0 to 1.
    double turns(std::size_t k) const { return first_turn_ + static_cast<double>(k) / static_cast<double>(points_); }
    /// Those of point k, and those of all points, phase after phase.
    std::span<const double> theta(std::size_t k) const { return {theta_.data() + k * phases_.size(), phases_.size()}; }
    std::span<const double> thetas() const { return by_phase_; }

private:
    void set_phases(std::size_t m, double first_turn) {
        if (m == points_ && first_turn == first_turn_) {
            return;
        }
        points_ = m;
        first_turn_ = first_turn;
        theta_.clear();
        by_phase_.resize(phases_.size() * m);
        for (std::size_t k = 0; k < m; ++k) {
            for (const auto& phase : phases_) {
                const double own_turns = std::round(phase.frequency / frequency());
                const double share =
                    std::fmod(own_turns * static_cast<double>(k), static_cast<double>(m)) / static_cast<double>(m);
                theta_.push_back(phase.start + 2 * std::numbers::pi * (share + own_turns * first_turn));
                by_phase_[(theta_.size() - 1) % phases_.size() * m + k] = theta_.back();
            }
        }
    }

    std::vector<std::string> names_;
    bool second_order_;
    bool tells_phase_;
    std::vector<Phase> phases_;
    std::optional<double> period_;
    std::size_t points_ = 0;
    double first_turn_ = 0;
    std::vector<double> theta_, by_phase_;
    std::int64_t evaluations_ = 0;
};

namespace phase_field_detail {

/// Component i at phase k, of `degree + 1` coefficients.
struct Layout {
    std::size_t n, m;

    std::size_t at(int coefficient, std::size_t i, std::size_t k) const {
        return (static_cast<std::size_t>(coefficient) * n + i) * m + k;
    }
    void gather(int degree, std::span<const double> block, std::size_t k, std::span<Taylor> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = Taylor(block[at(0, i, k)]);
            values[i].raise(degree);
            for (int j = 1; j <= degree; ++j) {
                values[i][j] = block[at(j, i, k)];
            }
        }
    }
    void scatter(int degree, std::span<const Taylor> values, std::size_t k, std::span<double> block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            for (int j = 0; j <= degree; ++j) {
                block[at(j, i, k)] = j <= values[i].top() ? values[i][j] : 0.0;
            }
        }
    }
    void gather(std::span<const double> block, std::size_t k, std::span<double> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = block[at(0, i, k)];
        }
    }
    void scatter(std::span<const double> values, std::size_t k, std::span<double> block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            block[at(0, i, k)] = values[i];
        }
    }
};

/// What evaluates a function at all phases at once, where it offers that: `at_phases()` gives an object with `ready(degree, m)`, which says
/// whether it is prepared to, and a call that does it (`model/phase_evaluator.hpp`).
struct OneByOne {};
template <class Function>
auto evaluator_of(const Function& function) {
    if constexpr (requires { function.at_phases(); }) {
        return function.at_phases();
    } else {
        return OneByOne{};
    }
}
template <class Function>
using EvaluatorOf = decltype(evaluator_of(std::declval<const Function&>()));

}  // namespace phase_field_detail

/// Of a system with coordinates.
template <class System>
class CoordinatesField final : public PhaseField {
public:
    explicit CoordinatesField(System system)
        : PhaseField(system, true),
          system_(std::move(system)),
          at_once_(phase_field_detail::evaluator_of(system_.force_function())),
          numbers_(4 * system_.dimension()),
          series_(4 * system_.dimension()) {}

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double> v,
                std::span<double> a) override {
        const phase_field_detail::Layout layout{dimension(), points()};
        if constexpr (!std::is_same_v<AtOnce, phase_field_detail::OneByOne>) {
            if (at_once_.ready(degree, points())) {
                at_once_(degree, points(), t, x, v, thetas(), a);
                accelerate(degree, layout, a);
                return;
            }
        }
        if (degree == 0) {
            const auto [position, velocity, force, scratch] = parts<double>(numbers_);
            for (std::size_t k = 0; k < points(); ++k) {
                layout.gather(x, k, position);
                layout.gather(v, k, velocity);
                accelerate<double>(position, velocity, t, theta(k), force, scratch);
                layout.scatter(force, k, a);
            }
            return;
        }
        const auto [position, velocity, force, scratch] = parts<Taylor>(series_);
        std::vector<Taylor> angles(phases().size());
        for (std::size_t k = 0; k < points(); ++k) {
            layout.gather(degree, x, k, position);
            layout.gather(degree, v, k, velocity);
            std::copy(theta(k).begin(), theta(k).end(), angles.begin());
            accelerate<Taylor>(position, velocity, Taylor::variable(t, degree), angles, force, scratch);
            layout.scatter(degree, force, k, a);
        }
    }

    /// M^-1 of all forces of a block.
    void accelerate(int degree, const phase_field_detail::Layout& layout, std::span<double> a) {
        if (system_.mass().is_one()) {
            return;
        }
        const auto [position, velocity, force, scratch] = parts<double>(numbers_);
        for (int j = 0; j <= degree; ++j) {
            const auto block = a.subspan(layout.at(j, 0, 0), dimension() * points());
            for (std::size_t k = 0; k < points(); ++k) {
                layout.gather(block, k, force);
                system_.mass().to_acceleration(force, scratch);
                layout.scatter(force, k, block);
            }
        }
    }

    template <class S>
    struct Parts {
        std::span<S> position, velocity, force, scratch;
    };
    template <class S>
    Parts<S> parts(std::vector<S>& all) const {
        const std::size_t n = dimension();
        const std::span<S> whole(all);
        return {whole.subspan(0, n), whole.subspan(n, n), whole.subspan(2 * n, n), whole.subspan(3 * n, n)};
    }

    template <class S>
    void accelerate(std::span<const S> x, std::span<const S> v, S t, std::span<const S> theta, std::span<S> force,
                    std::span<S> scratch) const {
        constexpr auto extent = System::extent;
        system_.template force<S>(view<extent>(x), view<extent>(v), t, theta, view<extent>(force));
        system_.mass().to_acceleration(force, scratch);
    }

    using AtOnce =
        phase_field_detail::EvaluatorOf<std::remove_cvref_t<decltype(std::declval<System>().force_function())>>;

    System system_;
    AtOnce at_once_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

/// Of a first-order system.
template <class System>
class VariablesField final : public PhaseField {
public:
    explicit VariablesField(System system)
        : PhaseField(system, false),
          system_(std::move(system)),
          at_once_(phase_field_detail::evaluator_of(system_.rate_function())),
          numbers_(2 * system_.dimension()),
          series_(2 * system_.dimension()) {}

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double>,
                std::span<double> a) override {
        const phase_field_detail::Layout layout{dimension(), points()};
        if constexpr (!std::is_same_v<AtOnce, phase_field_detail::OneByOne>) {
            if (at_once_.ready(degree, points())) {
                at_once_(degree, points(), t, x, {}, thetas(), a);
                return;
            }
        }
        if (degree == 0) {
            const auto y = std::span<double>(numbers_).first(dimension());
            const auto rate = std::span<double>(numbers_).last(dimension());
            for (std::size_t k = 0; k < points(); ++k) {
                layout.gather(x, k, y);
                system_.template rate<double>(y, t, theta(k), rate);
                layout.scatter(rate, k, a);
            }
            return;
        }
        const auto y = std::span<Taylor>(series_).first(dimension());
        const auto rate = std::span<Taylor>(series_).last(dimension());
        std::vector<Taylor> angles(phases().size());
        for (std::size_t k = 0; k < points(); ++k) {
            layout.gather(degree, x, k, y);
            std::copy(theta(k).begin(), theta(k).end(), angles.begin());
            system_.template rate<Taylor>(y, Taylor::variable(t, degree), angles, rate);
            layout.scatter(degree, rate, k, a);
        }
    }

    using AtOnce =
        phase_field_detail::EvaluatorOf<std::remove_cvref_t<decltype(std::declval<System>().rate_function())>>;

    System system_;
    AtOnce at_once_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace lento
