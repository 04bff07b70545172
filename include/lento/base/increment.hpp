/// A number as its value at a centre and its exact change from there, as a scalar type.
///
///     x = a + d,    f(x) - f(a) from (a, d) and without cancellation
///
/// A stiff spring of frequency omega answers an error e of its elongation with the force omega^2 e. Evaluated at a + d
/// the elongation is rounded to 1e-16 of itself; its change, which in a short window is of size 1/omega, is known here
/// to 1e-16 of *its* size. With A = a + d, B = b + e and h = d/2 the changes are
///
///     a b      a e + d B                            sqrt     d / (sqrt A + sqrt a)
///     a / b    (d - (a/b) e) / B                    cbrt     d / (A^(2/3) + (A a)^(1/3) + a^(2/3))
///     exp      e^a expm1(d)                         hypot    (d (a + A) + e (b + B)) / (hypot(A, B) + hypot(a, b))
///     log      log1p(d / a)                         a^p      a^p expm1(p log1p(d / a))
///     sin      2 sin h (cos a cos h - sin a sin h)  a^b      a^b expm1(b log1p(d / a) + e log A)
///     cos     -2 sin h (sin a cos h + cos a sin h)  atan     the angle of (1 + a A, d)
///     tan      tan d (1 + tan^2 a) / (1 - tan a tan d)
///     sinh     2 cosh(a + h) sinh h                 atan2    the angle between (b, a) and (B, A)
///     cosh     2 sinh(a + h) sinh h                 asin     the angle of (sqrt(1 - a^2), a) to (sqrt(1 - A^2), A)
///     tanh     sinh d / (cosh a cosh A)             max      max((a - m) + d, (b - m) + e) with m = max(a, b)
///
/// NOTE: sin and cos avoid the rounding of a + h, which for a large angle is larger than h itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <numbers>
#include <type_traits>

#include "lento/base/jet.hpp"

namespace [[gnu::visibility("default")]] lento {

template <std::floating_point T = double>
class Increment {
public:
    using value_type = T;

    constexpr Increment() = default;

    /// A constant: it does not change.
    template <class U>
    requires std::convertible_to<U, T>
    constexpr Increment(const U& constant)  // NOLINT(google-explicit-constructor): 2 * x has to work
        : value_(static_cast<T>(constant)) {}

    /// What is `value` at the centre and has moved by `change` since.
    static constexpr Increment at(const T& value, const T& change) {
        Increment x(value);
        x.change_ = change;
        return x;
    }

    constexpr const T& value() const { return value_; }
    constexpr const T& change() const { return change_; }
    constexpr T total() const { return value_ + change_; }

    constexpr Increment operator-() const { return at(-value_, -change_); }
    constexpr Increment operator+() const { return *this; }

    constexpr Increment& operator+=(const Increment& b) { return *this = *this + b; }
    constexpr Increment& operator-=(const Increment& b) { return *this = *this - b; }
    constexpr Increment& operator*=(const Increment& b) { return *this = *this * b; }
    constexpr Increment& operator/=(const Increment& b) { return *this = *this / b; }

    friend constexpr Increment operator+(const Increment& a, const Increment& b) {
        return at(a.value_ + b.value_, a.change_ + b.change_);
    }
    friend constexpr Increment operator-(const Increment& a, const Increment& b) {
        return at(a.value_ - b.value_, a.change_ - b.change_);
    }
    friend constexpr Increment operator*(const Increment& a, const Increment& b) {
        return at(a.value_ * b.value_, a.value_ * b.change_ + a.change_ * b.total());
    }
    friend constexpr Increment operator/(const Increment& a, const Increment& b) {
        const T quotient = a.value_ / b.value_;
        return at(quotient, (a.change_ - quotient * b.change_) / b.total());
    }

    // Scaling by a plain number, without the detour through a constant.
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Increment operator*(U b, const Increment& a) { return at(b * a.value_, b * a.change_); }
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Increment operator*(const Increment& a, U b) { return b * a; }
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Increment operator/(const Increment& a, U b) { return at(a.value_ / b, a.change_ / b); }

    // A moved number is ordered by where it is now, as a program that branches on a number expects.
    friend constexpr bool operator<(const Increment& a, const Increment& b) { return a.total() < b.total(); }
    friend constexpr bool operator>(const Increment& a, const Increment& b) { return b < a; }
    friend constexpr bool operator<=(const Increment& a, const Increment& b) { return a.total() <= b.total(); }
    friend constexpr bool operator>=(const Increment& a, const Increment& b) { return b <= a; }
    friend constexpr bool operator==(const Increment& a, const Increment& b) { return a.total() == b.total(); }

private:
    T value_{};
    T change_{};
};

namespace increment_detail {

/// d / sum, where the sum of two roots vanishes only if nothing has moved from zero.
template <class T>
T over_sum(const T& d, const T& sum) {
    return sum == T(0) ? T(0) : d / sum;
}

/// log(to / from) for to = from + d.
template <class T>
T log_ratio(const T& from, const T& to, const T& d) {
    const T share = d / from;
    // NOTE: near -1 the share has lost what `to` still knows.
    return share < T(-0.5) ? std::log(to / from) : std::log1p(share);
}

/// (a + d)^p - a^p, measured from the larger of the two, so that neither a zero nor an overflow is in the way.
template <class T>
T power_change(const T& a, const T& d, const T& p) {
    const T moved = a + d;
    if (!(a * sign(moved) > T(0))) {
        return std::pow(moved, p) - std::pow(a, p);  // one of them is zero, or they add up
    }
    if (std::abs(moved) > std::abs(a)) {
        return -std::pow(moved, p) * std::expm1(p * log_ratio(moved, a, -d));
    }
    return std::pow(a, p) * std::expm1(p * log_ratio(a, moved, d));
}

/// The angle between the unit vectors of the sines a and a + d: its sine a' c - a c' = d c + a (c - c'), its cosine
/// c c' + a a'.
template <class T>
T asin_change(const T& a, const T& d) {
    const T cosine = std::sqrt((1 - a) * (1 + a));
    const T moved = std::sqrt(((1 - a) - d) * ((1 + a) + d));  // not 1 - (a + d): near 1 the sum has lost its digits
    const T sine = d * cosine + a * ((a + (a + d)) * over_sum(d, cosine + moved));
    return std::atan2(sine, cosine * moved + a * (a + d));
}

}  // namespace increment_detail

template <class T>
Increment<T> exp(const Increment<T>& a) {
    const T value = std::exp(a.value());
    // NOTE: from 1 on nothing cancels, and expm1 would overflow where exp(a) vanishes.
    return Increment<T>::at(value, a.change() < T(1) ? value * std::expm1(a.change()) : std::exp(a.total()) - value);
}

template <class T>
Increment<T> expm1(const Increment<T>& a) {
    return Increment<T>::at(std::expm1(a.value()), exp(a).change());
}

template <class T>
Increment<T> log(const Increment<T>& a) {
    return Increment<T>::at(std::log(a.value()), increment_detail::log_ratio(a.value(), a.total(), a.change()));
}

template <class T>
Increment<T> log1p(const Increment<T>& a) {
    return Increment<T>::at(std::log1p(a.value()), log(1 + a).change());
}

template <class T>
Increment<T> log10(const Increment<T>& a) {
    return Increment<T>::at(std::log10(a.value()), log(a).change() / std::numbers::ln10_v<T>);
}

template <class T>
Increment<T> sin(const Increment<T>& a) {
    const T half = a.change() / 2;
    const T sine = std::sin(a.value());
    return Increment<T>::at(sine, 2 * std::sin(half) * (std::cos(a.value()) * std::cos(half) - sine * std::sin(half)));
}

template <class T>
Increment<T> cos(const Increment<T>& a) {
    const T half = a.change() / 2;
    const T cosine = std::cos(a.value());
    return Increment<T>::at(cosine,
                            -2 * std::sin(half) * (std::sin(a.value()) * std::cos(half) + cosine * std::sin(half)));
}

template <class T>
Increment<T> tan(const Increment<T>& a) {
    const T value = std::tan(a.value());
    const T turn = std::tan(a.change());
    return Increment<T>::at(value, turn * ((1 + value * value) / (1 - value * turn)));
}

template <class T>
Increment<T> sinh(const Increment<T>& a) {
    const T half = a.change() / 2;
    return Increment<T>::at(std::sinh(a.value()), 2 * std::cosh(a.value() + half) * std::sinh(half));
}

template <class T>
Increment<T> cosh(const Increment<T>& a) {
    const T half = a.change() / 2;
    return Increment<T>::at(std::cosh(a.value()), 2 * std::sinh(a.value() + half) * std::sinh(half));
}

/// sinh d / (cosh a cosh A) in exponentials that never overflow: with the larger m and the smaller s of a and A,
/// 2 (1 - e^(-2|d|)) / ((1 + e^(-2 m)) (1 + e^(2 s))).
template <class T>
Increment<T> tanh(const Increment<T>& a) {
    const T larger = std::max(a.value(), a.total());
    const T smaller = std::min(a.value(), a.total());
    const T size =
        -2 * std::expm1(-2 * std::abs(a.change())) / (1 + std::exp(-2 * larger)) / (1 + std::exp(2 * smaller));
    return Increment<T>::at(std::tanh(a.value()), std::copysign(size, a.change()));
}

template <class T>
Increment<T> sqrt(const Increment<T>& a) {
    const T root = std::sqrt(a.value());
    return Increment<T>::at(root, increment_detail::over_sum(a.change(), std::sqrt(a.total()) + root));
}

template <class T>
Increment<T> cbrt(const Increment<T>& a) {
    const T root = std::cbrt(a.value());
    const T moved = std::cbrt(a.total());
    return Increment<T>::at(root, increment_detail::over_sum(a.change(), moved * moved + moved * root + root * root));
}

/// Through the squares, each divided by the sum of the lengths first: they would overflow where the length does not.
template <class T>
Increment<T> hypot(const Increment<T>& x, const Increment<T>& y) {
    using increment_detail::over_sum;
    const T length = std::hypot(x.value(), y.value());
    const T sum = length + std::hypot(x.total(), y.total());
    return Increment<T>::at(
        length, x.change() * over_sum(x.value() + x.total(), sum) + y.change() * over_sum(y.value() + y.total(), sum));
}

template <class T>
Increment<T> asin(const Increment<T>& a) {
    return Increment<T>::at(std::asin(a.value()), increment_detail::asin_change(a.value(), a.change()));
}

template <class T>
Increment<T> acos(const Increment<T>& a) {
    return Increment<T>::at(std::acos(a.value()), -increment_detail::asin_change(a.value(), a.change()));
}

template <class T>
Increment<T> atan(const Increment<T>& a) {
    return Increment<T>::at(std::atan(a.value()), std::atan2(a.change(), 1 + a.value() * a.total()));
}

/// The angle by which (x, y) has turned, less the whole turns by which atan2 jumps at the negative axis.
/// NOTE: the vectors are multiplied, which lengths beyond 1e150 or below 1e-150 do not stand.
template <class T>
Increment<T> atan2(const Increment<T>& y, const Increment<T>& x) {
    constexpr T whole_turn = 2 * std::numbers::pi_v<T>;
    const T angle = std::atan2(y.value(), x.value());
    const T turn =
        std::atan2(x.value() * y.change() - y.value() * x.change(), x.value() * x.total() + y.value() * y.total());
    const T jumps = std::round((std::atan2(y.total(), x.total()) - angle - turn) / whole_turn);
    return Increment<T>::at(angle, turn + whole_turn * jumps);
}

/// Integer powers by repeated squaring: right at zero and for negative values too.
template <class T>
Increment<T> pow(const Increment<T>& a, int n) {
    if (n < 0) {
        // NOTE: not 1 / a^-n, whose total has lost its digits where a high power becomes small.
        const Increment<T> power = pow(a, -n);
        const T moved = pow(Increment<T>(a.total()), -n).value();
        return Increment<T>::at(1 / power.value(), -power.change() / power.value() / moved);
    }
    return jet_detail::repeated_product(a, n);
}

template <class T>
Increment<T> pow(const Increment<T>& a, const Increment<T>& b) {
    const T value = std::pow(a.value(), b.value());
    if (b.change() == T(0)) {
        const T exponent = b.value();
        if (exponent == std::round(exponent) && std::abs(exponent) <= 64) {
            return pow(a, static_cast<int>(exponent));
        }
        return Increment<T>::at(value, increment_detail::power_change(a.value(), a.change(), exponent));
    }
    const T exponent_change =
        b.value() * increment_detail::log_ratio(a.value(), a.total(), a.change()) + b.change() * std::log(a.total());
    // NOTE: the logarithms of a base that is not positive say nothing, and from e on nothing cancels.
    const bool cancels = a.value() > T(0) && exponent_change < T(1);
    return Increment<T>::at(value,
                            cancels ? value * std::expm1(exponent_change) : std::pow(a.total(), b.total()) - value);
}

/// The lesser and the greater of two numbers; a NaN shows, whichever side it is on.
template <class S>
constexpr S least(const S& a, const S& b) {
    return a < b ? a : b <= a ? b : a + b;
}
template <class S>
constexpr S greatest(const S& a, const S& b) {
    return b < a ? a : a <= b ? b : a + b;
}
/// At the centre and where it is now the least may be another one; where it is the same, its change comes out exactly.
template <class T>
constexpr Increment<T> least(const Increment<T>& a, const Increment<T>& b) {
    const T value = least(a.value(), b.value());
    return Increment<T>::at(value, least((a.value() - value) + a.change(), (b.value() - value) + b.change()));
}
template <class T>
constexpr Increment<T> greatest(const Increment<T>& a, const Increment<T>& b) {
    const T value = greatest(a.value(), b.value());
    return Increment<T>::at(value, greatest((a.value() - value) + a.change(), (b.value() - value) + b.change()));
}
template <class T>
constexpr Increment<T> min(const Increment<T>& a, const Increment<T>& b) {
    return least(a, b);
}
template <class T>
constexpr Increment<T> max(const Increment<T>& a, const Increment<T>& b) {
    return greatest(a, b);
}
template <class T>
Increment<T> abs(const Increment<T>& a) {
    return Increment<T>::at(std::abs(a.value()), greatest(a, -a).change());
}

template <class T>
Increment<T> sign(const Increment<T>& a) {
    return Increment<T>::at(sign(a.value()), sign(a.total()) - sign(a.value()));
}
template <class T>
Increment<T> floor(const Increment<T>& a) {
    return Increment<T>::at(std::floor(a.value()), std::floor(a.total()) - std::floor(a.value()));
}

/// An increment beside a plain number, which is a constant then: as for jets, in powers alone.
template <class B, class A>
concept Beside = requires(A a, B b) {
    requires(std::is_arithmetic_v<A> != std::is_arithmetic_v<B>);
    (a + b).change();
};
template <class A, Beside<A> B>
auto pow(const A& a, const B& b) {
    return pow(decltype(a + b)(a), decltype(a + b)(b));
}

}  // namespace lento
