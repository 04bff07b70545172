/// Truncated Taylor series in one variable, as a scalar type.
///
///     x(s) = c_0 + c_1 s + ... + c_D s^D + O(s^(D+1))
///
/// Arithmetic and the elementary functions of the model language propagate the coefficients exactly up to degree D, by
/// the usual recurrences: with y = phi(a) and y' = g a', the coefficients obey k y_k = sum_{j=1..k} j a_j g_{k-j}.
/// Jet<double, 1> is a dual number; Jet<Jet<double, 1>, D> differentiates a series in a second direction. A Taylor is a
/// jet whose degree is chosen at run time: code that is templated on its numbers is compiled once for all degrees.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <numbers>
#include <type_traits>
#include <utility>

namespace [[gnu::visibility("default")]] lento {

// For plain numbers, beside those for jets below: lento::sin works for every scalar type.
using std::abs, std::acos, std::asin, std::atan, std::atan2, std::cbrt, std::cos, std::cosh, std::exp, std::expm1,
    std::floor, std::hypot, std::log, std::log10, std::log1p, std::max, std::min, std::pow, std::sin, std::sinh,
    std::sqrt, std::tan, std::tanh;

/// In place of a degree: each series knows its own. Constants have degree 0, and go with series of any degree.
inline constexpr int any_degree = -1;
inline constexpr int most_degree = 12;

namespace jet_detail {

template <class T, int Degree>
class Coefficients {
    static_assert(Degree >= 0);

public:
    static constexpr int top() { return Degree; }
    static constexpr void raise(int) {}

protected:
    std::array<T, static_cast<std::size_t>(Degree) + 1> c_{};
};

template <class T>
class Coefficients<T, any_degree> {
public:
    constexpr Coefficients() { c_[0] = T(0); }
    // NOTE: only those that are there are copied.
    constexpr Coefficients(const Coefficients& other) { *this = other; }
    constexpr Coefficients& operator=(const Coefficients& other) {
        top_ = other.top_;
        for (int k = 0; k <= top_; ++k) {
            c_[static_cast<std::size_t>(k)] = other.c_[static_cast<std::size_t>(k)];
        }
        return *this;
    }

    constexpr int top() const { return top_; }
    /// To that degree at least, with zeros.
    constexpr void raise(int degree) {
        while (top_ < degree) {
            c_[static_cast<std::size_t>(++top_)] = T(0);
        }
    }

protected:
    std::array<T, static_cast<std::size_t>(most_degree) + 1> c_;
    int top_ = 0;
};

}  // namespace jet_detail

template <class T, int Degree>
class Jet : public jet_detail::Coefficients<T, Degree> {
    using jet_detail::Coefficients<T, Degree>::c_;

public:
    using value_type = T;
    using jet_detail::Coefficients<T, Degree>::top;
    using jet_detail::Coefficients<T, Degree>::raise;

    constexpr Jet() = default;

    /// A constant: its derivatives vanish.
    template <class U>
    requires std::convertible_to<U, T>
    constexpr Jet(const U& constant) {  // NOLINT(google-explicit-constructor): 2 * x has to work
        c_[0] = T(constant);
    }

    /// The variable itself at `value`: value + s.
    static constexpr Jet variable(const T& value, int degree = Degree) {
        Jet x = shaped(degree, value);
        if (x.top() > 0) {
            x[1] = T(1);
        }
        return x;
    }

    /// A constant with room for that many coefficients.
    static constexpr Jet shaped(int degree, const T& value) {
        Jet x(value);
        x.raise(degree);
        return x;
    }

    constexpr T& operator[](int k) { return c_[static_cast<std::size_t>(k)]; }
    constexpr const T& operator[](int k) const { return c_[static_cast<std::size_t>(k)]; }

    constexpr Jet operator-() const {
        Jet y = *this;
        for (int k = 0; k <= top(); ++k) {
            y[k] = -(*this)[k];
        }
        return y;
    }
    constexpr Jet operator+() const { return *this; }

    constexpr Jet& operator+=(const Jet& b) {
        raise(b.top());
        for (int k = 0; k <= b.top(); ++k) {
            (*this)[k] += b[k];
        }
        return *this;
    }
    constexpr Jet& operator-=(const Jet& b) {
        raise(b.top());
        for (int k = 0; k <= b.top(); ++k) {
            (*this)[k] -= b[k];
        }
        return *this;
    }
    constexpr Jet& operator*=(const Jet& b) { return *this = *this * b; }
    constexpr Jet& operator/=(const Jet& b) { return *this = *this / b; }

    friend constexpr Jet operator+(Jet a, const Jet& b) { return a += b; }
    friend constexpr Jet operator-(Jet a, const Jet& b) { return a -= b; }

    friend constexpr Jet operator*(const Jet& a, const Jet& b) {
        Jet y = shaped(std::max(a.top(), b.top()), T(0));
        for (int k = 0; k <= y.top(); ++k) {
            for (int j = std::max(0, k - b.top()); j <= std::min(k, a.top()); ++j) {
                y[k] += a[j] * b[k - j];
            }
        }
        return y;
    }
    friend constexpr Jet operator/(const Jet& a, const Jet& b) {
        Jet y = a;
        y.raise(b.top());
        for (int k = 0; k <= y.top(); ++k) {
            T rest = y[k];
            for (int j = 1; j <= std::min(k, b.top()); ++j) {
                rest -= b[j] * y[k - j];
            }
            y[k] = rest / b[0];
        }
        return y;
    }

    // Scaling by a plain number, without the detour through a constant series.
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Jet operator*(U b, Jet a) {
        for (int k = 0; k <= a.top(); ++k) {
            a[k] *= b;
        }
        return a;
    }
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Jet operator*(Jet a, U b) { return b * a; }
    template <class U>
    requires std::is_arithmetic_v<U>
    friend constexpr Jet operator/(Jet a, U b) {
        for (int k = 0; k <= a.top(); ++k) {
            a[k] /= b;
        }
        return a;
    }

    // A series is ordered by its value, as a program that branches on a number expects.
    friend constexpr bool operator<(const Jet& a, const Jet& b) { return a[0] < b[0]; }
    friend constexpr bool operator>(const Jet& a, const Jet& b) { return b < a; }
    friend constexpr bool operator<=(const Jet& a, const Jet& b) { return a[0] <= b[0]; }
    friend constexpr bool operator>=(const Jet& a, const Jet& b) { return b <= a; }
    friend constexpr bool operator==(const Jet& a, const Jet& b) { return a[0] == b[0]; }
};

using Taylor = Jet<double, any_degree>;

namespace jet_detail {

/// Continues y from its value, such that y' = g a'. g may be y itself.
template <class T, int D>
constexpr void integrate(Jet<T, D>& y, const Jet<T, D>& g, const Jet<T, D>& a) {
    for (int k = 1; k <= a.top(); ++k) {
        for (int j = 1; j <= k; ++j) {
            y[k] += (a[j] * g[k - j]) * T(j);
        }
        y[k] /= T(k);
    }
}
template <class T, int D>
constexpr Jet<T, D> primitive(const T& y0, const Jet<T, D>& g, const Jet<T, D>& a) {
    auto y = Jet<T, D>::shaped(a.top(), y0);
    integrate(y, g, a);
    return y;
}

/// first' = second a', second' = sign first a': the pairs (sin, cos) and (sinh, cosh).
template <class T, int D>
constexpr auto coupled(const T& first, const T& second, int sign, const Jet<T, D>& a) {
    std::pair y{Jet<T, D>::shaped(a.top(), first), Jet<T, D>::shaped(a.top(), second)};
    for (int k = 1; k <= a.top(); ++k) {
        for (int j = 1; j <= k; ++j) {
            const T weight = a[j] * T(j) / T(k);
            y.first[k] += weight * y.second[k - j];
            y.second[k] += weight * y.first[k - j] * T(sign);
        }
    }
    return y;
}

/// y = a^p for a value other than zero: k a_0 y_k = sum_{j=1..k} (p j - (k - j)) a_j y_{k-j}.
template <class T, int D>
constexpr Jet<T, D> power(const T& y0, const T& p, const Jet<T, D>& a) {
    Jet<T, D> y = Jet<T, D>::shaped(a.top(), y0);
    for (int k = 1; k <= a.top(); ++k) {
        for (int j = 1; j <= k; ++j) {
            y[k] += (p * T(j) - T(k - j)) * a[j] * y[k - j];
        }
        y[k] /= a[0] * T(k);
    }
    return y;
}

template <class T>
constexpr double leading(const T& x) {
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<double>(x);
    } else {
        return leading(x[0]);
    }
}

// NOTE: not a == 0, which compares values alone: a coefficient that is a series itself may start with zero.
template <class T>
constexpr bool is_zero(const T& x) {
    if constexpr (std::is_arithmetic_v<T>) {
        return x == T(0);
    } else {
        for (int k = 0; k <= x.top(); ++k) {
            if (!is_zero(x[k])) {
                return false;
            }
        }
        return true;
    }
}

template <class T, int D>
constexpr bool is_constant(const Jet<T, D>& a) {
    for (int k = 1; k <= a.top(); ++k) {
        if (!is_zero(a[k])) {
            return false;
        }
    }
    return true;
}

/// a^n for n from 0 on, by squaring.
template <class S>
S repeated_product(S a, int n) {
    S y(1);
    for (; n > 0; n /= 2) {
        if (n % 2 == 1) {
            y *= a;
        }
        if (n > 1) {
            a *= a;
        }
    }
    return y;
}

}  // namespace jet_detail

template <class T, int D>
Jet<T, D> exp(const Jet<T, D>& a) {
    auto y = Jet<T, D>::shaped(a.top(), exp(a[0]));
    jet_detail::integrate(y, y, a);
    return y;
}

template <class T, int D>
Jet<T, D> expm1(const Jet<T, D>& a) {
    Jet<T, D> y = exp(a);
    y[0] = expm1(a[0]);
    return y;
}

template <class T, int D>
Jet<T, D> log(const Jet<T, D>& a) {
    return jet_detail::primitive<T, D>(log(a[0]), Jet<T, D>(T(1)) / a, a);
}

template <class T, int D>
Jet<T, D> log1p(const Jet<T, D>& a) {
    return jet_detail::primitive<T, D>(log1p(a[0]), Jet<T, D>(T(1)) / (Jet<T, D>(T(1)) + a), a);
}

template <class T, int D>
Jet<T, D> log10(const Jet<T, D>& a) {
    Jet<T, D> y = log(a) / std::numbers::ln10;
    y[0] = log10(a[0]);
    return y;
}

template <class T, int D>
Jet<T, D> sin(const Jet<T, D>& a) {
    return jet_detail::coupled<T, D>(sin(a[0]), cos(a[0]), -1, a).first;
}

template <class T, int D>
Jet<T, D> cos(const Jet<T, D>& a) {
    return jet_detail::coupled<T, D>(sin(a[0]), cos(a[0]), -1, a).second;
}

template <class T, int D>
Jet<T, D> tan(const Jet<T, D>& a) {
    Jet<T, D> y = sin(a) / cos(a);
    y[0] = tan(a[0]);
    return y;
}

template <class T, int D>
Jet<T, D> sinh(const Jet<T, D>& a) {
    return jet_detail::coupled<T, D>(sinh(a[0]), cosh(a[0]), 1, a).first;
}

template <class T, int D>
Jet<T, D> cosh(const Jet<T, D>& a) {
    return jet_detail::coupled<T, D>(sinh(a[0]), cosh(a[0]), 1, a).second;
}

/// Not sinh/cosh, which overflow long before tanh is in any trouble: y' = (1 - y^2) a', coefficient by coefficient.
template <class T, int D>
Jet<T, D> tanh(const Jet<T, D>& a) {
    auto y = Jet<T, D>::shaped(a.top(), tanh(a[0]));
    auto slope = Jet<T, D>::shaped(a.top(), T(0));  // 1 - y^2, whose value is 1/cosh^2 without cancellation
    const T value = T(1) / cosh(a[0]);
    slope[0] = value * value;
    for (int k = 1; k <= a.top(); ++k) {
        for (int j = 1; j <= k; ++j) {
            y[k] += (a[j] * slope[k - j]) * T(j);
        }
        y[k] /= T(k);
        for (int j = 0; j <= k; ++j) {
            slope[k] -= y[j] * y[k - j];
        }
    }
    return y;
}

template <class T, int D>
Jet<T, D> sqrt(const Jet<T, D>& a) {
    auto y = Jet<T, D>::shaped(a.top(), sqrt(a[0]));
    for (int k = 1; k <= a.top(); ++k) {
        T rest = a[k];
        for (int j = 1; j < k; ++j) {
            rest -= y[j] * y[k - j];
        }
        // NOTE: sqrt of an exact zero that stays zero (a constant) must not become 0/0.
        y[k] = jet_detail::is_zero(rest) ? T(0) : rest / (y[0] * T(2));
    }
    return y;
}

template <class T, int D>
Jet<T, D> cbrt(const Jet<T, D>& a) {
    if (jet_detail::is_constant(a)) {
        return Jet<T, D>(cbrt(a[0]));
    }
    return jet_detail::power<T, D>(cbrt(a[0]), T(1) / T(3), a);
}

template <class T, int D>
Jet<T, D> asin(const Jet<T, D>& a) {
    return jet_detail::primitive<T, D>(asin(a[0]), Jet<T, D>(T(1)) / sqrt(Jet<T, D>(T(1)) - a * a), a);
}

template <class T, int D>
Jet<T, D> acos(const Jet<T, D>& a) {
    return jet_detail::primitive<T, D>(acos(a[0]), Jet<T, D>(T(-1)) / sqrt(Jet<T, D>(T(1)) - a * a), a);
}

template <class T, int D>
Jet<T, D> atan(const Jet<T, D>& a) {
    return jet_detail::primitive<T, D>(atan(a[0]), Jet<T, D>(T(1)) / (Jet<T, D>(T(1)) + a * a), a);
}

/// The angle of (x, y): angle' = (x y' - y x') / (x^2 + y^2).
template <class T, int D>
Jet<T, D> atan2(const Jet<T, D>& y, const Jet<T, D>& x) {
    const Jet<T, D> square = x * x + y * y;
    return jet_detail::primitive<T, D>(atan2(y[0], x[0]), x / square, y) +
           jet_detail::primitive<T, D>(T(0), -y / square, x);
}

/// Integer powers by repeated squaring: right at zero and for negative values too.
template <class T, int D>
Jet<T, D> pow(const Jet<T, D>& a, int n) {
    if (n < 0) {
        return Jet<T, D>(T(1)) / pow(a, -n);
    }
    return jet_detail::repeated_product(a, n);
}

template <class T, int D>
Jet<T, D> pow(const Jet<T, D>& a, const Jet<T, D>& b) {
    if (!jet_detail::is_constant(b)) {
        return exp(b * log(a));
    }
    const double exponent = jet_detail::leading(b[0]);
    if (jet_detail::is_zero(b[0] - T(exponent)) && exponent == std::round(exponent) && std::abs(exponent) <= 64) {
        return pow(a, static_cast<int>(exponent));
    }
    return jet_detail::power<T, D>(pow(a[0], b[0]), b[0], a);
}
template <class T, int D>
Jet<T, D> pow(const Jet<T, D>& a, double b) {
    return pow(a, Jet<T, D>(T(b)));
}
template <class T, int D>
Jet<T, D> pow(double a, const Jet<T, D>& b) {
    return pow(Jet<T, D>(T(a)), b);
}

template <class T, int D>
Jet<T, D> abs(const Jet<T, D>& a) {
    return a[0] < T(0) ? -a : a;
}

template <class T, int D>
Jet<T, D> hypot(const Jet<T, D>& x, const Jet<T, D>& y) {
    Jet<T, D> r = sqrt(x * x + y * y);
    r[0] = hypot(x[0], y[0]);
    return r;
}

template <class T, int D>
Jet<T, D> min(const Jet<T, D>& a, const Jet<T, D>& b) {
    return b < a ? b : a;
}
template <class T, int D>
Jet<T, D> max(const Jet<T, D>& a, const Jet<T, D>& b) {
    return a < b ? b : a;
}

/// -1, 0 or 1; NaN of NaN. The model language has it; the standard library does not.
template <class T>
requires std::is_arithmetic_v<T>
constexpr T sign(T a) {
    return T(0) < a ? T(1) : a < T(0) ? T(-1) : a;
}
template <class T, int D>
Jet<T, D> sign(const Jet<T, D>& a) {
    return Jet<T, D>(sign(a[0]));
}
template <class T, int D>
Jet<T, D> floor(const Jet<T, D>& a) {
    return Jet<T, D>(floor(a[0]));
}

}  // namespace lento
