/// First-order systems, with or without fast phases:
///
///     y' = r(y, t, theta_1, ..., theta_k),     theta_j = omega_j t + start_j
///
/// The rate is a template on the scalar type, `r(y, t, theta, rate)` with spans y, theta and rate.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

template <class Rate>
class FirstOrderSystem {
public:
    FirstOrderSystem(std::size_t dimension, std::vector<Phase> phases, Rate rate)
        : dimension_(dimension), phases_(std::move(phases)), rate_(std::move(rate)) {
        if (dimension == 0) {
            throw Misuse("a system needs at least one variable");
        }
        for (const auto& phase : phases_) {
            require_positive(phase.frequency, fmt::format("the frequency of phase '{}'", phase.name));
        }
        for (std::size_t i = 0; i < dimension; ++i) {
            names_.push_back(dimension == 1 ? "y" : fmt::format("y{}", i + 1));
        }
    }

    FirstOrderSystem with_names(std::vector<std::string> names) const {
        if (names.size() != dimension_) {
            throw Misuse(fmt::format("{} names for {} variables", names.size(), dimension_));
        }
        FirstOrderSystem system = *this;
        system.names_ = std::move(names);
        return system;
    }
    FirstOrderSystem with_period(double period) const {
        require_positive(period, "the period of the fast oscillation");
        FirstOrderSystem system = *this;
        system.period_ = period;
        return system;
    }

    std::size_t dimension() const { return dimension_; }
    const std::vector<Phase>& phases() const { return phases_; }
    const std::vector<std::string>& names() const { return names_; }
    std::optional<double> period() const { return period_; }
    /// As it was given (`vibrated_system.hpp`).
    const Rate& rate_function() const { return rate_; }

    template <class S>
    void rate(std::span<const S> y, S t, std::span<const S> theta, std::span<S> result) const {
        rate_(y, t, theta, result);
    }

private:
    std::size_t dimension_;
    std::vector<Phase> phases_;
    Rate rate_;
    std::vector<std::string> names_;
    std::optional<double> period_;
};

/// y' = r(y, t): `rate(y, t, r)`.
template <class Rate>
auto first_order_system(std::size_t dimension, Rate rate) {
    const auto canonical = [rate = std::move(rate)](auto y, auto t, auto, auto r) { rate(y, t, r); };
    return FirstOrderSystem<decltype(canonical)>(dimension, {}, canonical);
}

}  // namespace lento
