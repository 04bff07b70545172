#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

namespace lento::model {

/// One thing of each element, a member or what a function says of it: `mapped(coordinates, &Coordinate::name)`.
template <class Range, class Function>
auto mapped(const Range& range, Function function) {
    using Result = std::invoke_result_t<Function&, decltype(*std::begin(range))>;
    std::vector<std::decay_t<Result>> all;
    if constexpr (requires { std::size(range); }) {
        all.reserve(std::size(range));
    }
    for (const auto& each : range) {
        all.push_back(std::invoke(function, each));
    }
    return all;
}

/// The first element of which something, itself or a member, is `value`; null where there is none.
template <class Range, class Value, class Projection = std::identity>
auto* found(Range&& range, const Value& value, Projection projection = {}) {
    const auto place = std::ranges::find(range, value, projection);
    return place == std::ranges::end(range) ? nullptr : &*place;
}

}  // namespace lento::model
