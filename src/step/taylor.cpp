#include "step/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "base/vector.hpp"
#include "step/weighted.hpp"

namespace lento {

int TaylorStep::order_for(double tolerance) {
    constexpr double least = 10, most = 40, beyond = 9;
    return static_cast<int>(std::clamp(std::ceil(beyond + 1 - 0.5 * std::log(tolerance)), least, most));
}

TaylorStep::TaylorStep(const MotionSeries& series, std::size_t unknowns, int order)
    : series_(series),
      unknowns_(unknowns),
      order_(order),
      space_(series.space(order) * sizeof(double) / sizeof(Aligned) + 1),
      coefficients_(unknowns * static_cast<std::size_t>(order + 1)),
      increment_(unknowns),
      slope_(unknowns) {}

bool TaylorStep::expand(const MotionSeries::Point& point, In y) {
    std::ranges::copy(y, coefficients_.begin());
    series_.coefficients(point, order_, space_.front().numbers, coefficients_.data());
    Nothing nothing;
    // NOTE: what is not finite in any coefficient is not in the last ones, which are made of it.
    for (int k = order_ - 1; k <= order_; ++k) {
        for (const double part : coefficient(k)) {
            nothing.add(part);
        }
    }
    if (!nothing.is_zero()) {
        std::ranges::fill(space_, Aligned{});  // zero times what is left there has to be zero
    }
    return nothing.is_zero();
}

double TaylorStep::size(int k, In weights) const {
    Worst worst;
    const In values = coefficient(k);
    by_twos<dynamic>(values.size(), [&](std::size_t i, auto lanes) {
        worst.add(load<decltype(lanes)>(&values[i]), weights.data() + i);
    });
    return worst.value();
}

double TaylorStep::longest(In weights) const {
    // NOTE: a series of even powers has no odd ones, of one in t^4 three in four are zero: terms before the last two
    // say how far it reaches where those say nothing. They fall by less than `falls` each where none is missing.
    constexpr double falls = 100, share = 0.1;
    double least = HUGE_VAL;
    double most = share;
    for (int k = order_; k >= order_ - 3; --k) {
        most *= k < order_ - 1 ? falls : 1.0;
        least = std::min(least, std::log(most / size(k, weights)) / k);
    }
    return std::exp(least);
}

In TaylorStep::increment(double sigma) {
    by_twos<dynamic>(unknowns_, [&](std::size_t i, auto lanes) {
        using Lanes = decltype(lanes);
        Lanes sum{};
        for (int k = order_; k > 0; --k) {
            sum = (sum + load<Lanes>(coefficient(k).data() + i)) * sigma;
        }
        store(&increment_[i], sum);
    });
    return increment_;
}

In TaylorStep::slope(double sigma) {
    by_twos<dynamic>(unknowns_, [&](std::size_t i, auto lanes) {
        using Lanes = decltype(lanes);
        Lanes sum{};
        for (int k = order_; k > 0; --k) {
            sum = sum * sigma + static_cast<double>(k) * load<Lanes>(coefficient(k).data() + i);
        }
        store(&slope_[i], sum);
    });
    return slope_;
}

DenseStep TaylorStep::dense(double from, double to, double sigma) const {
    DenseStep dense(from, to, unknowns_, static_cast<std::size_t>(order_));
    double power = 1;
    for (int k = 0; k <= order_; ++k) {
        const In values = coefficient(k);
        std::ranges::transform(values, dense.coefficient(static_cast<std::size_t>(k)).begin(),
                               [power](double value) { return power * value; });
        power *= sigma;
    }
    return dense;
}

}  // namespace lento
