/// A first-order system of which a part is solved exactly:
///
///     y' = A(y) + B(y, t, theta),     A with its flow (`problem/exact_flow.hpp`), B the rest
///
/// The rate given is that of the whole; B is what A leaves of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lento/problem/exact_flow.hpp"
#include "lento/problem/first_order_system.hpp"

namespace lento {

template <class Rate, ExactFlow Flow>
class SplitSystem {
public:
    using Whole = FirstOrderSystem<Rate>;

    SplitSystem(Whole whole, Flow exact) : whole_(std::move(whole)), exact_(std::move(exact)) {}

    const Whole& whole() const { return whole_; }
    const Flow& exact() const { return exact_; }

    std::size_t dimension() const { return whole_.dimension(); }
    const std::vector<Phase>& phases() const { return whole_.phases(); }
    const std::vector<std::string>& names() const { return whole_.names(); }
    std::optional<double> period() const { return whole_.period(); }

private:
    Whole whole_;
    Flow exact_;
};

template <class Rate, ExactFlow Flow>
auto split(FirstOrderSystem<Rate> whole, Flow exact) {
    return SplitSystem<Rate, Flow>(std::move(whole), std::move(exact));
}

}  // namespace lento
