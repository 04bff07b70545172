/// Any explicit Runge-Kutta method given by its tableau (`step/tableaus.hpp`).
///
/// The state carries the rate at its point, so the first stage is free and each step ends with the rate at the new
/// point: `stages` evaluations a step, one fewer for first-same-as-last tableaus. Two stages at one time, or the last
/// and the new point, are asked for together where the rate can do that (`Rates` in `step/state.hpp`).
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

    explicit RungeKutta(std::size_t dimension)
        : start_(make_vector<S, Extent>(dimension)), point_(make_vector<S, Extent>(dimension)) {
        for (auto& rate : rates_) {
            rate = make_vector<S, Extent>(dimension);
        }
    }

    /// The result starts from `base` where one is given, the stages from the state in any case (slow-manifold (38)).
    template <class Rate>
    void step(Rate&& rate, S h, State& state, std::span<const S> base = {}) {
        start_ = state.y;
        rates_[0] = state.rate;
        evaluate<1>(rate, h, state, base);
        if constexpr (tableau.first_same_as_last) {
            rates_[stages - 1] = state.rate;
        }
    }

    /// Of the last step: where it began, and the rates of its stages. Error estimates and dense output are made of
    /// these.
    const Vector<S, Extent>& start() const { return start_; }
    const std::array<Vector<S, Extent>, stages>& rates() const { return rates_; }

private:
    using In = std::span<const S, Extent>;
    using Out = std::span<S, Extent>;

    // Evaluations of a step are numbered from 1; the last is at the new point, the others are stages.
    static constexpr std::size_t last = evaluations;
    static constexpr S node(std::size_t i) { return i < last ? tableau.c[i] : S(1); }
    static constexpr bool shares_time(std::size_t i) { return i < last && node(i) == node(i + 1); }
    static constexpr const auto& weights(std::size_t i) { return i < last ? tableau.a[i] : tableau.b; }
    Vector<S, Extent>& rate_at(std::size_t i, State& state) { return i < last ? rates_[i] : state.rate; }

    /// Evaluation I and those after it. Two that follow each other at one time are asked for together, if they can be.
    template <std::size_t I, class Rate>
    void evaluate(Rate& rate, S h, State& state, std::span<const S> base) {
        if constexpr (shares_time(I) && requires { rate.two; }) {
            for (std::size_t k = 0; k < start_.size(); ++k) {
                point_[k] = start_[k] + change<I, I>(h, k);
                state.y[k] = change<I + 1, I>(h, k);
            }
            rate.two(node(I), In(point_), Out(rates_[I]), origin<I + 1>(base), Out(state.y), h * weights(I + 1)[I],
                     Out(rate_at(I + 1, state)));
            if constexpr (I + 1 < last) {
                evaluate<I + 2>(rate, h, state, base);
            }
        } else {
            const In from = origin<I>(base);
            for (std::size_t k = 0; k < from.size(); ++k) {
                state.y[k] = from[k] + change<I, I>(h, k);
            }
            rate(node(I), In(state.y), Out(rate_at(I, state)));
            if constexpr (I < last) {
                evaluate<I + 1>(rate, h, state, base);
            }
        }
    }

    /// What the point of evaluation I starts from.
    template <std::size_t I>
    In origin(std::span<const S> base) const {
        return I == last && !base.empty() ? In(base.data(), start_.size()) : In(start_);
    }

    /// h sum_{j < Count} weights_j Y'_j, of the point of evaluation I.
    template <std::size_t I, std::size_t Count>
    S change(S h, std::size_t k) const {
        constexpr auto used = [] {
            std::array<std::size_t, Count + 1> js{};  // how many, and which
            for (std::size_t j = 0; j < Count; ++j) {
                if (weights(I)[j] != 0) {
                    js[++js[0]] = j;
                }
            }
            return js;
        }();
        if constexpr (used[0] == 0) {
            return S(0);
        } else {
            return [&]<std::size_t... N>(std::index_sequence<N...>) {
                return h * ((weights(I)[used[N + 1]] * rates_[used[N + 1]][k]) + ...);
            }
            (std::make_index_sequence<used[0]>());
        }
    }

    Vector<S, Extent> start_, point_;
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
        using OutPart = std::span<S, Extent>;
        const std::size_t d = Extent == dynamic ? dimension_ : Extent;
        std::copy_n(state.v().begin(), d, state.rate.begin());
        const auto one = [&](S c, auto y, auto rate) {
            std::copy_n(y.data() + d, d, rate.data());
            acceleration(c, Part(y.data(), d), Part(y.data() + d, d), OutPart(rate.data() + d, d));
        };
        // NOTE: in the same order whether or not accelerations share anything, so that bits do not depend on it.
        const auto two = [&](S c, auto y, auto at_y, auto from, auto z, S factor, auto at_z) {
            if constexpr (requires { acceleration.two; }) {
                std::copy_n(y.data() + d, d, at_y.data());
                for (std::size_t k = 0; k < d; ++k) {
                    z[k] = from[k] + (z[k] + factor * y[d + k]);
                }
                acceleration.two(c, Part(y.data(), d), Part(y.data() + d, d), OutPart(at_y.data() + d, d),
                                 Part(z.data(), d), Part(from.data() + d, d), OutPart(z.data() + d, d), factor,
                                 OutPart(at_z.data() + d, d));
                std::copy_n(z.data() + d, d, at_z.data());
            } else {
                one(c, y, at_y);
                for (std::size_t k = 0; k < 2 * d; ++k) {
                    z[k] = from[k] + (z[k] + factor * at_y[k]);
                }
                one(c, z, at_z);
            }
        };
        inner_.step(Rates{one, two}, h, state);
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
