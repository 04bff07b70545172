/// Any explicit Runge-Kutta method given by its tableau (`step/tableaus.hpp`).
///
/// The state carries the rate at its point, so the first stage is free and each step ends with the rate at the new
/// point: `stages` evaluations a step, one fewer for first-same-as-last tableaus.
#pragma once

#include <algorithm>
#include <array>

#include "lento/step/dense.hpp"
#include "step/state.hpp"
#include "step/tableaus.hpp"

namespace lento {

template <const auto& Source, class S, std::size_t Extent = dynamic>
class RungeKutta {
public:
    static constexpr auto tableau = Source.template in<S>();
    static constexpr int order = tableau.order;
    static constexpr std::size_t stages = tableau.stages;
    static constexpr int evaluations = static_cast<int>(stages) - (tableau.first_same_as_last ? 1 : 0);
    using State = FirstOrderState<S, Extent>;

    explicit RungeKutta(std::size_t dimension) : start_(make_vector<S, Extent>(dimension)) {
        for (auto& rate : rates_) {
            rate = make_vector<S, Extent>(dimension);
        }
    }

    /// The result starts from `base` where one is given, the stages from the state in any case (slow-manifold (38)).
    template <class Rate>
    void step(Rate&& rate, S h, State& state, std::span<const S> base = {}) {
        start_ = state.y;
        rates_[0] = state.rate;
        // NOTE: unrolled, so that equal nodes c share what the right-hand side makes of the time alone.
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (stage<I + 1>(rate, h, state), ...);
        }
        (std::make_index_sequence<evaluations - 1>());
        advance<static_cast<std::size_t>(evaluations)>(tableau.b, h, state);
        for (std::size_t k = 0; k < base.size(); ++k) {
            state.y[k] += base[k] - start_[k];
        }
        rate(S(1), std::span<const S, Extent>(state.y), std::span<S, Extent>(state.rate));
        if constexpr (tableau.first_same_as_last) {
            rates_[stages - 1] = state.rate;
        }
    }

    /// Of the last step: where it began, and the rates of its stages. Error estimates and dense output are made of
    /// these.
    const Vector<S, Extent>& start() const { return start_; }
    const std::array<Vector<S, Extent>, stages>& rates() const { return rates_; }

private:
    template <std::size_t I, class Rate>
    void stage(Rate&& rate, S h, State& state) {
        advance<I>(tableau.a[I], h, state);
        rate(tableau.c[I], std::span<const S, Extent>(state.y), std::span<S, Extent>(rates_[I]));
    }

    /// y_0 + h sum_{j < Count} weights_j Y'_j
    template <std::size_t Count>
    void advance(const std::array<S, stages>& weights, S h, State& state) {
        [&]<std::size_t... J>(std::index_sequence<J...>) {
            for (std::size_t k = 0; k < start_.size(); ++k) {
                state.y[k] = start_[k] + h * ((weights[J] * rates_[J][k]) + ...);
            }
        }
        (std::make_index_sequence<Count>());
    }

    Vector<S, Extent> start_;
    std::array<Vector<S, Extent>, stages> rates_;
};

/// A first-order stepper put to work on a second-order system, through y = (x, v).
template <template <class, std::size_t> class Stepper, class S, std::size_t Extent = dynamic>
class OnMotion {
    using Inner = Stepper<S, twice(Extent)>;

public:
    static constexpr int order = Inner::order;
    static constexpr int evaluations = Inner::evaluations;
    using State = MotionState<S, Extent>;

    explicit OnMotion(std::size_t dimension) : inner_(2 * dimension), dimension_(dimension) {}

    template <class Acceleration>
    void step(Acceleration&& acceleration, S h, State& state) {
        using Part = std::span<const S, Extent>;
        const std::size_t d = Extent == dynamic ? dimension_ : Extent;
        std::copy_n(state.v().begin(), d, state.rate.begin());
        inner_.step(
            [&](S c, auto y, auto rate) {
                std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(d), d, rate.begin());
                acceleration(c, Part(y.data(), d), Part(y.data() + d, d), std::span<S, Extent>(rate.data() + d, d));
            },
            h, state);
    }

private:
    Inner inner_;
    std::size_t dimension_;
};

/// The same for variables, with the face of steppers for coordinates.
template <template <class, std::size_t> class Stepper, class S, std::size_t Extent = dynamic>
class OnVariables {
    using Inner = Stepper<S, Extent>;

public:
    static constexpr int order = Inner::order;
    static constexpr int evaluations = Inner::evaluations;
    using State = VariablesState<S, Extent>;

    explicit OnVariables(std::size_t dimension) : inner_(dimension) {}

    template <class Rate>
    void step(Rate&& rate, S h, State& state) {
        inner_.step([&](S c, auto y, auto result) { rate(c, y, y, result); }, h, state);
    }

private:
    Inner inner_;
};

template <class S, std::size_t Extent = dynamic>
using Euler = RungeKutta<euler_tableau, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using Midpoint = RungeKutta<midpoint_tableau, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using Heun3 = RungeKutta<heun3_tableau, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using RungeKutta4 = RungeKutta<rk4_tableau, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using DormandPrince = RungeKutta<dormand_prince_tableau, S, Extent>;
template <class S, std::size_t Extent = dynamic>
using PrinceDormand = RungeKutta<prince_dormand_tableau, S, Extent>;

/// Dense output of the last step of Dormand-Prince 5(4), which ended at y1: its continuous extension, of order 4
/// (Hairer, Norsett, Wanner, Solving ODEs I, 2nd ed., (II.6.12)).
DenseStep continuous_extension(double from, double to, const DormandPrince<double>& method, In y1);

}  // namespace lento
