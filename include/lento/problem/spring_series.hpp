/// Stiff springs along a motion that is a truncated series in time: the slow force beside them, their elongations g and the entries of g'.
/// What expansions of the slow manifold are made from (`average/multiplier_expansion.hpp`); only what is called once an evaluation is
/// indirect.
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "lento/base/jet.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

class SpringSeries {
public:
    virtual ~SpringSeries() = default;

    virtual void force(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                       std::span<Taylor> f) const = 0;
    virtual void elongations(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const = 0;
    virtual void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const = 0;
};

/// Of a slow force in the canonical form and elongations as `problem/constraints.hpp` describes them.
template <class Soft, class Elongations>
class SeriesOf final : public SpringSeries {
public:
    SeriesOf(Soft soft, Elongations elongations) : soft_(std::move(soft)), elongations_(std::move(elongations)) {}

    void force(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
               std::span<Taylor> f) const override {
        soft_(x, v, t, std::span<const Taylor>(), f);
    }
    void elongations(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const override {
        elongations_.values(x, t, g);
    }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        elongations_.gradient(x, t, entries);
    }

private:
    Soft soft_;
    Elongations elongations_;
};

namespace series_detail {

template <class Soft>
inline constexpr bool takes_series = std::is_invocable_v<const Soft&, std::span<const Taylor>, std::span<const Taylor>,
                                                         Taylor, std::span<const Taylor>, std::span<Taylor>>;
/// NOTE: what is adapted decides; the adapter itself would take anything.
template <class Force>
inline constexpr bool takes_series<force_detail::NoPhase<Force>> =
    std::is_invocable_v<const Force&, std::span<const Taylor>, std::span<const Taylor>, Taylor, std::span<Taylor>>;

}  // namespace series_detail

/// None where the slow force takes double alone.
template <class Soft, class Elongations>
std::unique_ptr<SpringSeries> spring_series(Soft soft, Elongations elongations) {
    if constexpr (series_detail::takes_series<Soft>) {
        return std::make_unique<SeriesOf<Soft, Elongations>>(std::move(soft), std::move(elongations));
    } else {
        return nullptr;
    }
}

}  // namespace lento
