/// The Runge-Kutta-Nystroem pair RKN12(10)17M (`step/nystroem_tableau.hpp`), for x'' = a(t, x): order 12, 17
/// evaluations a step.
///
/// Its dense output costs the acceleration at the end, which is the first of the next step. The accelerations k_j at
/// nine places s_j of the step are interpolated and integrated twice; a multiple of w(s) = prod_j (s - s_j), linear in
/// s, makes up for what is missing at the end:
///
///     x(s) = x_0 + h v_0 s + h^2 int int (sum_j k_j L_j + (alpha + beta s) w),       x(1) = x_1,  x'(1) = h v_1
///
/// Stages are right to O(h^7) in position, so that this is to O(h^9); the constant of that power is so small that steps
/// of a usual length show O(h^10).
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "base/number.hpp"
#include "base/vector.hpp"
#include "lento/problem/forces.hpp"
#include "lento/step/dense.hpp"
#include "step/nystroem_tableau.hpp"
#include "step/weighted.hpp"

namespace lento {

/// Dense output from y0 = (x, v), the increment of y over the step and the accelerations at the places of
/// `nystroem_places`, component after component for each.
DenseStep nystroem_dense(double from, double to, In y0, In increment, std::span<const double* const> accelerations);
/// The stages at these places; after them comes the end.
inline constexpr std::array<std::size_t, 8> nystroem_places{0, 6, 7, 9, 10, 12, 13, 14};

template <std::size_t Extent>
class Nystroem12 {
public:
    static constexpr int order = 12;
    static constexpr double error_order = 11;  ///< the estimate of the error falls as h^11

    explicit Nystroem12(std::size_t dimension)
        : point_(make_vector<double, Extent>(dimension)),
          end_(make_vector<double, Extent>(dimension)),
          increment_(make_vector<double, twice(Extent)>(2 * dimension)) {
        k_.fill(make_vector<double, Extent>(dimension));
    }

    /// Tries a step of length h from y = (x, v): `acceleration(c, x, a)` at the share c of it.
    template <class A>
    void attempt(A&& acceleration, double h, std::span<const double, twice(Extent)> y) {
        const std::size_t d = point_.size();
        if (!knows_first_) {
            at<0>(acceleration, h, y);
            knows_first_ = true;
        }
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (at<I + 1>(acceleration, h, y), ...);
        }
        (std::make_index_sequence<stages - 1>());
        h_ = h;
        by_twos<Extent>(d, [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            const auto position = weighted<Lanes, Position, stages>(k_, i);
            const auto velocity = weighted<Lanes, Velocity, stages>(k_, i);
            store(&increment_[i], h * load<Lanes>(&y[d + i]) + h * h * position);
            store(&increment_[d + i], h * velocity);
        });
    }
    /// Of the last attempt: what it adds to y.
    In increment() const { return increment_; }
    /// Whether the last attempt came to its last stage with finite numbers. NOTE: where an early stage is not a number,
    /// forces with branches may hide it from the increment, which does not see early stages.
    bool stages_finite() const {
        Nothing nothing;
        by_twos<Extent>(point_.size(),
                        [&](std::size_t i, auto lanes) { nothing.add(load<decltype(lanes)>(&point_[i])); });
        return nothing.is_zero();
    }
    /// Of the last attempt: the largest error times what it is weighed with. NOTE: it sees the stages that the
    /// increment sees; where one of them is not a number, neither is that.
    double error(In weights) const {
        const std::size_t d = point_.size();
        Worst position, velocity;
        by_twos<Extent>(d, [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            position.add(weighted<Lanes, PositionError, stages>(k_, i), weights.data() + i);
            velocity.add(weighted<Lanes, VelocityError, stages>(k_, i), weights.data() + d + i);
        });
        return std::max(h_ * h_ * position.value(), std::abs(h_) * velocity.value());
    }

    /// The last attempt was accepted: the next one starts where it led.
    void accept() {
        knows_first_ = std::exchange(knows_end_, false);
        if (knows_first_) {
            std::swap(k_[0], end_);
        }
    }
    /// The next attempt starts elsewhere.
    void forget() { knows_first_ = knows_end_ = false; }

    /// Before it is accepted, and with y1 = y0 + increment: the dense output of the last attempt.
    template <class A>
    DenseStep dense(A&& acceleration, double from, double to, In y0, In y1) {
        acceleration(1.0, std::span<const double, Extent>(y1.data(), end_.size()), std::span<double, Extent>(end_));
        knows_end_ = true;
        std::array<const double*, nystroem_places.size() + 1> places;
        for (std::size_t j = 0; j < nystroem_places.size(); ++j) {
            places[j] = k_[nystroem_places[j]].data();
        }
        places.back() = end_.data();
        return nystroem_dense(from, to, y0, increment_, places);
    }

private:
    static constexpr std::size_t stages = NystroemTableau::stages;
    template <std::size_t I>
    struct Stage {
        static constexpr auto w = rkn12_tableau.a[I];
    };
    struct Position {
        static constexpr auto w = rkn12_tableau.b;
    };
    struct Velocity {
        static constexpr auto w = rkn12_tableau.b_velocity;
    };
    struct PositionError {
        static constexpr auto w = rkn12_tableau.error;
    };
    struct VelocityError {
        static constexpr auto w = rkn12_tableau.error_velocity;
    };

    template <std::size_t I, class A>
    void at(A&& acceleration, double h, std::span<const double, twice(Extent)> y) {
        constexpr double c = rkn12_tableau.c[I];
        const std::size_t d = point_.size();
        by_twos<Extent>(d, [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            const Lanes straight = load<Lanes>(&y[i]) + c * h * load<Lanes>(&y[d + i]);
            store(&point_[i], advanced<Lanes, Stage<I>, I>(straight, h * h, k_, i));
        });
        acceleration(c, std::span<const double, Extent>(point_), std::span<double, Extent>(k_[I]));
    }

    std::array<Vector<double, Extent>, stages> k_;
    Vector<double, Extent> point_, end_;
    Vector<double, twice(Extent)> increment_;
    double h_ = 0;
    bool knows_first_ = false, knows_end_ = false;
};

}  // namespace lento
