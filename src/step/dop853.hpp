/// DOP853 (`step/dop853_tableau.hpp`), for y' = f(t, y): order 8, 12 evaluations a step, three more for its dense
/// output of order 7.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "base/number.hpp"
#include "base/vector.hpp"
#include "lento/problem/forces.hpp"
#include "lento/step/dense.hpp"
#include "step/dop853_tableau.hpp"
#include "step/weighted.hpp"

namespace lento {

/// Dense output from y0, its increment over the step, and h times the stages; `extension` are its higher powers.
DenseStep dop853_dense(double from, double to, In y0, In increment, In rate0, In rate1,
                       const std::array<std::vector<double>, 4>& extension);

template <std::size_t Extent>
class Dop853 {
public:
    static constexpr int order = 8;
    static constexpr double error_order = 8;

    explicit Dop853(std::size_t dimension)
        : point_(make_vector<double, Extent>(dimension)), increment_(make_vector<double, Extent>(dimension)) {
        k_.fill(make_vector<double, Extent>(dimension));
    }

    /// Tries a step of length h from y: `rate(c, y, dy)` at the share c of it.
    template <class Rate>
    void attempt(Rate&& rate, double h, std::span<const double, Extent> y) {
        h_ = h;
        if (!knows_first_) {
            at<0>(rate, h, y);
            knows_first_ = true;
        }
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (at<I + 1>(rate, h, y), ...);
        }
        (std::make_index_sequence<end - 1>());
        by_twos<Extent>(increment_.size(), [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            store(&increment_[i], h * weighted<Lanes, Stage<end>, end>(k_, i));
        });
    }
    In increment() const { return increment_; }
    /// Whether the last attempt came to its last stage with finite numbers. NOTE: where an early stage is not a number,
    /// forces with branches may hide it from the increment, which does not see early stages.
    bool stages_finite() const {
        Nothing nothing;
        by_twos<Extent>(point_.size(),
                        [&](std::size_t i, auto lanes) { nothing.add(load<decltype(lanes)>(&point_[i])); });
        return nothing.is_zero();
    }
    /// Of the last attempt, times what it is weighed with: the estimate of order 5, scaled down by what both tell of
    /// the order. NOTE: it sees the stages that the increment sees; where one of them is not a number, neither is that.
    double error(In weights) const {
        Worst error5, error3;
        by_twos<Extent>(increment_.size(), [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            error5.add(weighted<Lanes, Error5, end>(k_, i), weights.data() + i);
            error3.add(weighted<Lanes, Error3, end>(k_, i), weights.data() + i);
        });
        const double five = std::abs(h_) * error5.value();
        const double three = std::abs(h_) * error3.value();
        const double both = std::sqrt(five * five + 0.01 * three * three);
        return both > 0 ? five * (five / both) : both;
    }

    void accept() {
        knows_first_ = std::exchange(knows_end_, false);
        if (knows_first_) {
            std::swap(k_[0], k_[end]);
        }
    }
    void forget() { knows_first_ = knows_end_ = false; }

    template <class Rate>
    DenseStep dense(Rate&& rate, double from, double to, In y0, In) {
        at<end>(rate, h_, std::span<const double, Extent>(y0.data(), y0.size()));
        knows_end_ = true;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (at<end + 1 + I>(rate, h_, std::span<const double, Extent>(y0.data(), y0.size())), ...);
        }
        (std::make_index_sequence<stages - end - 1>());
        std::array<std::vector<double>, 4> extension;
        [&]<std::size_t... P>(std::index_sequence<P...>) {
            (extend<P>(extension[P]), ...);
        }
        (std::make_index_sequence<4>());
        return dop853_dense(from, to, y0, increment_, k_[0], k_[end], extension);
    }

private:
    static constexpr std::size_t stages = Dop853Tableau::stages;
    static constexpr std::size_t end = Dop853Tableau::last;
    template <std::size_t I>
    struct Stage {
        static constexpr auto w = dop853_tableau.a[I];
    };
    struct Error5 {
        static constexpr auto w = dop853_tableau.error5;
    };
    struct Error3 {
        static constexpr auto w = dop853_tableau.error3;
    };
    template <std::size_t P>
    struct Extension {
        static constexpr auto w = dop853_tableau.extension[P];
    };

    template <std::size_t I, class Rate>
    void at(Rate&& rate, double h, std::span<const double, Extent> y) {
        by_twos<Extent>(point_.size(), [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            store(&point_[i], load<Lanes>(&y[i]) + h * weighted<Lanes, Stage<I>, I>(k_, i));
        });
        rate(dop853_tableau.c[I], std::span<const double, Extent>(point_), std::span<double, Extent>(k_[I]));
    }
    template <std::size_t P>
    void extend(std::vector<double>& values) const {
        for (std::size_t i = 0; i < point_.size(); ++i) {
            values.push_back(h_ * weighted<double, Extension<P>, stages>(k_, i));
        }
    }

    std::array<Vector<double, Extent>, stages> k_;
    Vector<double, Extent> point_, increment_;
    double h_ = 0;
    bool knows_first_ = false, knows_end_ = false;
};

}  // namespace lento
