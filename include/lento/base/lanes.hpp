/// Four numbers side by side, as a scalar type: a force that is templated on its numbers works on four phases at once.
///
///     (a, b, c, d) + (e, f, g, h) = (a + e, b + f, c + g, d + h),     sin (a, b, c, d) = (sin a, sin b, sin c, sin d)
///
/// What a lane comes to does not depend on the others: alone and in company it has the same bits. Sines and cosines are
/// vector code, right to one unit in the last place; the other functions are those of libm, lane after lane.
///
/// Lanes are compared as one: where they disagree the first decides, and `LanesCall` knows that the others went the
/// wrong way. They are then evaluated again, each alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "lento/base/jet.hpp"

namespace [[gnu::visibility("default")]] lento {

class Lanes;

namespace lanes_detail {

/// Of two numbers: what every x86-64 has registers for. NOTE: not one of four, which callers with and without AVX would
/// pass otherwise.
using Pair = double __attribute__((vector_size(2 * sizeof(double))));
using PairBits = std::int64_t __attribute__((vector_size(2 * sizeof(double))));

/// A function of one or two numbers, of each lane.
Lanes value(double (*function)(double), const Lanes& a);
Lanes value(double (*function)(double, double), const Lanes& a, const Lanes& b);

/// Notes that lanes disagree about a comparison.
void disagree();

}  // namespace lanes_detail

class Lanes {
public:
    static constexpr std::size_t count = 4;

    Lanes() = default;
    /// The same number in all lanes.
    template <class U>
    requires std::is_arithmetic_v<U> Lanes(U number)  // NOLINT(google-explicit-constructor): 2 * x has to work
        : low_{static_cast<double>(number), static_cast<double>(number)}, high_(low_) {}
    Lanes(double a, double b, double c, double d) : low_{a, b}, high_{c, d} {}

    static Lanes load(const double* numbers) {
        Lanes a;
        std::memcpy(&a.low_, numbers, sizeof a.low_);
        std::memcpy(&a.high_, numbers + 2, sizeof a.high_);
        return a;
    }
    void store(double* numbers) const {
        std::memcpy(numbers, &low_, sizeof low_);
        std::memcpy(numbers + 2, &high_, sizeof high_);
    }

    double operator[](std::size_t lane) const { return lane < 2 ? low_[lane] : high_[lane - 2]; }

    Lanes operator-() const { return {-low_, -high_}; }
    Lanes operator+() const { return *this; }
    Lanes& operator+=(const Lanes& b) { return *this = *this + b; }
    Lanes& operator-=(const Lanes& b) { return *this = *this - b; }
    Lanes& operator*=(const Lanes& b) { return *this = *this * b; }
    Lanes& operator/=(const Lanes& b) { return *this = *this / b; }
    friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.low_ + b.low_, a.high_ + b.high_}; }
    friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.low_ - b.low_, a.high_ - b.high_}; }
    friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.low_ * b.low_, a.high_ * b.high_}; }
    friend Lanes operator/(const Lanes& a, const Lanes& b) { return {a.low_ / b.low_, a.high_ / b.high_}; }

    /// Also zeros of different signs differ, and what is not a number may be the same.
    friend bool same_bits(const Lanes& a, const Lanes& b) {
        using Bits = lanes_detail::PairBits;
        const Bits differing = (reinterpret_cast<Bits>(a.low_) ^ reinterpret_cast<Bits>(b.low_)) |
                               (reinterpret_cast<Bits>(a.high_) ^ reinterpret_cast<Bits>(b.high_));
        return (differing[0] | differing[1]) == 0;
    }

    friend bool operator<(const Lanes& a, const Lanes& b) { return compared(a, b, std::less<>()); }
    friend bool operator>(const Lanes& a, const Lanes& b) { return compared(a, b, std::greater<>()); }
    friend bool operator<=(const Lanes& a, const Lanes& b) { return compared(a, b, std::less_equal<>()); }
    friend bool operator>=(const Lanes& a, const Lanes& b) { return compared(a, b, std::greater_equal<>()); }
    friend bool operator==(const Lanes& a, const Lanes& b) { return compared(a, b, std::equal_to<>()); }

private:
    Lanes(lanes_detail::Pair low, lanes_detail::Pair high) : low_(low), high_(high) {}

    /// What the first lane says.
    template <class Compare>
    static bool compared(const Lanes& a, const Lanes& b, Compare compare) {
        const bool first = compare(a[0], b[0]);
        if (compare(a[1], b[1]) != first || compare(a[2], b[2]) != first || compare(a[3], b[3]) != first) {
            lanes_detail::disagree();
        }
        return first;
    }

    lanes_detail::Pair low_, high_;
};

/// `function` of the numbers of each lane: for functions that are written for double alone.
template <class Function, class... More>
Lanes each_lane(Function&& function, const Lanes& a, const More&... more) {
    return {function(a[0], more[0]...), function(a[1], more[1]...), function(a[2], more[2]...),
            function(a[3], more[3]...)};
}

Lanes sin(const Lanes& a);
Lanes cos(const Lanes& a);
Lanes sqrt(const Lanes& a);
inline Lanes tan(const Lanes& a) {
    return lanes_detail::value(tan, a);
}
inline Lanes asin(const Lanes& a) {
    return lanes_detail::value(asin, a);
}
inline Lanes acos(const Lanes& a) {
    return lanes_detail::value(acos, a);
}
inline Lanes atan(const Lanes& a) {
    return lanes_detail::value(atan, a);
}
inline Lanes sinh(const Lanes& a) {
    return lanes_detail::value(sinh, a);
}
inline Lanes cosh(const Lanes& a) {
    return lanes_detail::value(cosh, a);
}
inline Lanes tanh(const Lanes& a) {
    return lanes_detail::value(tanh, a);
}
inline Lanes exp(const Lanes& a) {
    return lanes_detail::value(exp, a);
}
inline Lanes expm1(const Lanes& a) {
    return lanes_detail::value(expm1, a);
}
inline Lanes log(const Lanes& a) {
    return lanes_detail::value(log, a);
}
inline Lanes log1p(const Lanes& a) {
    return lanes_detail::value(log1p, a);
}
inline Lanes log10(const Lanes& a) {
    return lanes_detail::value(log10, a);
}
inline Lanes cbrt(const Lanes& a) {
    return lanes_detail::value(cbrt, a);
}
inline Lanes floor(const Lanes& a) {
    return lanes_detail::value(floor, a);
}
inline Lanes sign(const Lanes& a) {
    return lanes_detail::value(sign, a);
}
inline Lanes atan2(const Lanes& a, const Lanes& b) {
    return lanes_detail::value(atan2, a, b);
}
inline Lanes hypot(const Lanes& a, const Lanes& b) {
    return lanes_detail::value(hypot, a, b);
}
inline Lanes pow(const Lanes& a, const Lanes& b) {
    return lanes_detail::value(pow, a, b);
}

/// Small integer powers as products: right for negative numbers, and as exact as libm's.
inline Lanes pow(const Lanes& a, int n) {
    if (n < 0 || n > 4) {
        return pow(a, Lanes(n));
    }
    return jet_detail::repeated_product(a, n);
}
inline Lanes pow(const Lanes& a, double b) {
    return b >= 0 && b <= 4 && b == std::floor(b) ? pow(a, static_cast<int>(b)) : pow(a, Lanes(b));
}
inline Lanes pow(double a, const Lanes& b) {
    return pow(Lanes(a), b);
}

inline Lanes abs(const Lanes& a) {
    return each_lane([](double x) { return std::abs(x); }, a);
}
inline Lanes min(const Lanes& a, const Lanes& b) {
    return each_lane([](double x, double y) { return std::min(x, y); }, a, b);
}
inline Lanes max(const Lanes& a, const Lanes& b) {
    return each_lane([](double x, double y) { return std::max(x, y); }, a, b);
}

namespace lanes_detail {

/// What was called, and what it came to: a sine with its cosine, or a function with its value.
struct Remembered {
    Lanes a, b, first, second;
    double (*one)(double) = nullptr;
    double (*two)(double, double) = nullptr;
};

/// A call under way.
struct Call {
    std::vector<Remembered>* memory;
    Remembered *next, *end;            // in it
    const Remembered* sine = nullptr;  // the last one of this call
    bool agreed = true;
};

}  // namespace lanes_detail

/// What a function of lanes called when it was called last. Where it calls the same with the same bits again, as a
/// force does with sines of phases that come back at each step, nothing is computed.
using LanesMemory = std::vector<lanes_detail::Remembered>;

/// While it lives, functions of lanes in this thread look into `memory`, one call after the other.
class LanesCall {
public:
    explicit LanesCall(LanesMemory& memory);
    ~LanesCall();
    LanesCall(const LanesCall&) = delete;
    LanesCall& operator=(const LanesCall&) = delete;

    /// Whether all lanes went the same way.
    bool agreed() const { return call_.agreed; }

private:
    lanes_detail::Call call_;
    lanes_detail::Call* before_;
};

}  // namespace lento
