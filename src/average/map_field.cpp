#include "average/map_field.hpp"

#include <numeric>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Of f(k) - f(0), k = 1, ..., p, in f'(0):
///
///     central      (-1)^(k+1) 2 (p!)^2 / (k (p-k)! (p+k)!), half of it each way     error O(h^(2p))
///     one-sided    (-1)^(k+1) C(p, k) / k                                           error O(h^p)
std::vector<double> difference_weights(Recovery recovery, int order) {
    const bool central = recovery == Recovery::central;
    const int p = central ? order / 2 : order;
    std::vector<double> weights;
    double ratio = 1;  // (p!)^2 / ((p-k)! (p+k)!), or C(p, k)
    for (int k = 1; k <= p; ++k) {
        ratio *= static_cast<double>(p - k + 1) / (central ? p + k : k);
        weights.push_back((k % 2 == 1 ? 1.0 : -1.0) * ratio / k);
    }
    return weights;
}

}  // namespace

MapField::MapField(Recovery recovery, int order) : recovery_(recovery) {
    const bool central = recovery == Recovery::central;
    const bool nested = recovery == Recovery::nested;
    if (order < (central ? 2 : 1) || order > (nested ? 4 : 8) || (central && order % 2 != 0)) {
        throw Misuse(fmt::format("difference_order = {}; {}", order,
                                 central  ? "central differences have order 2, 4, 6 or 8"
                                 : nested ? "Kirchgraber's formulas have orders 1 to 4"
                                          : "one-sided differences have orders 1 to 8"));
    }
    if (nested) {
        tableau_ = recovery_tableau(order);
    } else {
        weights_ = difference_weights(recovery, order);
    }
}

std::size_t MapField::periods() const {
    return recovery_ == Recovery::nested ? tableau_.stages : (recovery_ == Recovery::central ? 2 : 1) * weights_.size();
}

void MapField::operator()(PeriodMap& map, In z, Out field, const Settle& settle) {
    recovery_ == Recovery::nested ? by_nesting(map, z, field, settle) : by_differences(map, z, field);
}

void MapField::by_differences(PeriodMap& map, In z, Out field) {
    const std::size_t n = z.size();
    changes_.resize(weights_.size() * n);
    std::ranges::fill(field, 0.0);
    for (const int direction : {1, -1}) {
        if (recovery_ == (direction > 0 ? Recovery::backward : Recovery::forward)) {
            continue;
        }
        map.iterate(z, direction, weights_.size(), changes_);
        for (std::size_t k = 0; k < weights_.size(); ++k) {
            add_to(field, direction * weights_[k], In(changes_).subspan(k * n, n));
        }
    }
}

void MapField::by_nesting(PeriodMap& map, In z, Out field, const Settle& settle) {
    const std::size_t n = z.size();
    changes_.resize(tableau_.stages * n);
    std::ranges::fill(field, 0.0);
    for (std::size_t s = 0; s < tableau_.stages; ++s) {
        stage_.assign(z.begin(), z.end());
        for (std::size_t j = 0; j < s; ++j) {
            add_to(stage_, tableau_.a[s][j], In(changes_).subspan(j * n, n));
        }
        if (settle) {
            settle(stage_.back(), std::span(stage_).first(n - 1));
        }
        const auto change = std::span(changes_).subspan(s * n, n);
        map.change(stage_, change);
        if (!std::isfinite(std::accumulate(change.begin(), change.end(), 0.0))) {
            std::ranges::copy(change, field.begin());  // later stages would start nowhere
            return;
        }
        add_to(field, tableau_.b[s], change);
    }
}

namespace {

struct Interpolated {
    std::vector<double> change{};
    std::vector<double> doubt{};  // what it would be without the last point, less that
};

/// At s, of the polynomial through 0 at 0 and `changes` at `nodes`.
Interpolated interpolated(std::span<const int> nodes, In changes, double s) {
    const std::size_t n = changes.size() / nodes.size();
    const auto through = [&](std::size_t count) {
        std::vector<double> result(n, 0.0);
        for (std::size_t k = 0; k < count; ++k) {
            double weight = s / nodes[k];  // the change at 0 is zero
            for (const int other : nodes.first(count)) {
                weight *= other == nodes[k] ? 1.0 : (s - other) / (nodes[k] - other);
            }
            add_to(result, weight, changes.subspan(k * n, n));
        }
        return result;
    };
    Interpolated found{through(nodes.size()), through(nodes.size() - 1)};
    add_to(found.doubt, -1, found.change);
    return found;
}

}  // namespace

std::vector<double> fraction_of_revolution(PeriodMap& map, In z, double s,
                                           const std::function<double(In difference)>& over_tolerance) {
    const std::size_t n = z.size();
    if (s == 0) {
        return std::vector<double>(n, 0.0);
    }
    std::vector<double> best(n, NAN);
    double least = HUGE_VAL;
    const auto better = [&](Interpolated found) {
        const double doubt = over_tolerance(found.doubt);
        if (doubt < least) {
            least = doubt;
            best = std::move(found.change);
        }
        return least <= 1;
    };
    for (const std::size_t reach : {2UL, 3UL}) {
        std::vector<double> both(2 * reach * n);
        map.iterate(z, 1, reach, std::span(both).first(reach * n));
        map.iterate(z, -1, reach, std::span(both).last(reach * n));
        std::vector<int> nodes;
        std::vector<double> changes;
        for (std::size_t k = 0; k < reach; ++k) {  // the farthest come last
            for (const std::size_t half : {0UL, 1UL}) {
                nodes.push_back(static_cast<int>(k + 1) * (half == 0 ? 1 : -1));
                const auto change = In(both).subspan((half * reach + k) * n, n);
                changes.insert(changes.end(), change.begin(), change.end());
            }
        }
        if (better(interpolated(nodes, changes, s))) {
            return best;
        }
    }
    constexpr std::array forwards{1, 2, 3, 4, 5};
    std::vector<double> changes(forwards.size() * n);
    map.iterate(z, 1, forwards.size(), changes);
    better(interpolated(forwards, changes, s > 0 ? s - 1 : s));
    return best;
}

}  // namespace lento
