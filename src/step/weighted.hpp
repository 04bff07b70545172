/// Sums of stages with the weights of a tableau, those that are zero left out when the program is compiled. Two
/// components are summed at a time, in one register: left to itself, the compiler does so only after it has found that
/// nothing overlaps, which takes longer than the sums.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/vector.hpp"

namespace lento {

/// Two numbers in one register.
using Two [[gnu::vector_size(2 * sizeof(double))]] = double;

/// What stands at a place, as one number or as two of them.
template <class Lanes>
Lanes load(const double* from) {
    Lanes values;
    std::memcpy(&values, from, sizeof values);
    return values;
}
template <class Lanes>
void store(double* to, Lanes values) {
    std::memcpy(to, &values, sizeof values);
}

/// sum_j w_j k_j[i] over j < Count, where `Row` is a type with the constant w; of component i, or of that and the next.
template <class Lanes, class Row, std::size_t Count, class Stages>
Lanes weighted(const Stages& k, std::size_t i) {
    Lanes sum{};
    bool first = true;
    const auto add = [&]<std::size_t J>() {
        if constexpr (constexpr double weight = Row::w[J]; weight != 0) {
            const Lanes term = weight * load<Lanes>(k[J].data() + i);
            sum = first ? term : sum + term;
            first = false;
        }
    };
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (add.template operator()<J>(), ...);
    }
    (std::make_index_sequence<Count>());
    return sum;
}

/// start + factor sum_j w_j k_j[i] over j < Count. NOTE: stage Count - 1 has only just been asked for. All else is put
/// together while it is under way, and two operations are left to do after it.
template <class Lanes, class Row, std::size_t Count, class Stages>
Lanes advanced(Lanes start, double factor, const Stages& k, std::size_t i) {
    if constexpr (Count < 2 || Row::w[Count - 1] == 0) {
        return start + factor * weighted<Lanes, Row, Count>(k, i);
    } else {
        const Lanes before = start + factor * weighted<Lanes, Row, Count - 1>(k, i);
        return before + factor * Row::w[Count - 1] * load<Lanes>(k[Count - 1].data() + i);
    }
}

/// Calls `use(i, lanes)` for all components, `lanes` being a zero of the type Two where that is for i and i + 1, else
/// of the type double.
template <std::size_t Extent, class Use>
void by_twos(std::size_t dimension, Use&& use) {
    const std::size_t n = Extent == dynamic ? dimension : Extent;
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        use(i, Two{});
    }
    if (i < n) {
        use(i, 0.0);
    }
}

inline double larger_of(double a, double b) {
    return a > b ? a : b;
}
inline Two larger_of(Two a, Two b) {
    return a > b ? a : b;
}
template <class Lanes>
Lanes magnitude(Lanes x) {
    return larger_of(x, -x);
}

/// The largest of |e_i| w_i.
class Worst {
public:
    void add(Two errors, const double* weights) { both_ = larger_of(both_, magnitude(errors * load<Two>(weights))); }
    void add(double error, const double* weight) { one_ = larger_of(one_, magnitude(error * *weight)); }
    double value() const { return larger_of(one_, larger_of(both_[0], both_[1])); }

private:
    double one_ = 0;
    Two both_{};
};

/// Zero times what is added: not a number once that is not finite.
class Nothing {
public:
    void add(Two x) { both_ += 0 * x; }
    void add(double x) { one_ += 0 * x; }
    bool is_zero() const { return one_ == 0 && both_[0] == 0 && both_[1] == 0; }

private:
    double one_ = 0;
    Two both_{};
};

}  // namespace lento
