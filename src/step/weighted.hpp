/// Sums of stages with the weights of a tableau, those that are zero left out when the program is compiled.
#pragma once

#include <cstddef>
#include <utility>

namespace lento {

/// sum_j w_j k_j[i] over j < Count, where `Row` is a type with the constant w.
template <class Row, std::size_t Count, class Stages>
double weighted(const Stages& k, std::size_t i) {
    double sum = 0;
    const auto add = [&]<std::size_t J>() {
        if constexpr (constexpr double weight = Row::w[J]; weight != 0) {
            sum += weight * k[J][i];
        }
    };
    [&]<std::size_t... J>(std::index_sequence<J...>) {
        (add.template operator()<J>(), ...);
    }
    (std::make_index_sequence<Count>());
    return sum;
}

}  // namespace lento
