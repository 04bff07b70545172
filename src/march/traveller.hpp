/// A state on its way through a march by tolerance: with what its sums have lost, how large it and its rates have been,
/// and what a step may err by, atol scale_i + rtol max|y_i|.
///
/// A sum y + increment is rounded; what is lost is found exactly (Knuth's two-sum) and added to the next increment, so
/// that a million steps lose no more digits than one.
///
/// NOTE: the compiler knows the length of short states, and there are no divisions but where a component becomes larger
/// than ever: once this was a third of the work of a small problem.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

#include "base/vector.hpp"
#include "lento/problem/forces.hpp"
#include "march/controller.hpp"
#include "step/weighted.hpp"

namespace lento {

template <std::size_t Extent>
class Traveller {
public:
    /// From y, which has been as large as `scales`.
    Traveller(In y, In scales, Tolerance tolerance) : tolerance_(std::move(tolerance)), n_(y.size()) {
        for (auto* values : {&y_, &next_, &carry_, &scales_, &rates_, &weights_}) {
            *values = make_vector<double, Extent>(y.size());
        }
        std::ranges::copy(y, y_.begin());
        for (std::size_t i = 0; i < size(); ++i) {
            scales_[i] = std::max(scales[i], std::abs(y_[i]));
            weights_[i] = 1 / tolerance_.of(i, scales_[i]);
        }
    }

    std::span<const double, Extent> y() const { return y_; }
    /// Where the last proposal leads.
    In next() const { return next_; }
    In scales() const { return scales_; }
    In rates() const { return rates_; }
    /// One over what a step may err by.
    In weights() const { return weights_; }

    /// Whether all of y + increment is finite.
    bool propose(In increment) {
        Nothing nothing;
        by_twos<Extent>(n_, [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            const Lanes sum = load<Lanes>(&y_[i]) + (load<Lanes>(&increment[i]) + load<Lanes>(&carry_[i]));
            store(&next_[i], sum);
            nothing.add(sum);
        });
        return nothing.is_zero();
    }
    /// The proposal becomes the state, after a step of length h.
    void accept(In increment, double h) {
        const double per_h = 1 / h;
        by_twos<Extent>(n_, [&](std::size_t i, auto lanes) {
            using Lanes = decltype(lanes);
            const auto from = load<Lanes>(&y_[i]);
            const auto to = load<Lanes>(&next_[i]);
            // The error of the sum from + added, exactly.
            const auto added = load<Lanes>(&increment[i]) + load<Lanes>(&carry_[i]);
            const Lanes back = to - from;
            store(&carry_[i], (from - (to - back)) + (added - back));
            store(&rates_[i], larger_of(load<Lanes>(&rates_[i]), magnitude(load<Lanes>(&increment[i])) * per_h));
        });
        std::swap(y_, next_);
    }
    /// The state becomes what `change` makes of it; false where that fails, and it stays the one before the step.
    template <class Change>
    bool change(Change&& change) {
        if (!change(Out(y_))) {
            std::swap(y_, next_);
            return false;
        }
        std::ranges::fill(carry_, 0.0);
        return true;
    }
    /// How large the state is counts for the steps to come.
    void measure() {
        for (std::size_t i = 0; i < size(); ++i) {
            if (const double size = std::abs(y_[i]); size > scales_[i]) {
                scales_[i] = size;
                weights_[i] = 1 / tolerance_.of(i, size);
            }
        }
    }

private:
    std::size_t size() const { return Extent == dynamic ? n_ : Extent; }

    Tolerance tolerance_;
    std::size_t n_;
    Vector<double, Extent> y_, next_, carry_, scales_, rates_, weights_;
};

}  // namespace lento
