#include "average/map_field.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Of f(k) - f(0), k = 1, ..., p, in f'(0) + O(h^(2p)): (-1)^(k+1) 2 (p!)^2 / (k (p-k)! (p+k)!), half of it each way.
std::vector<double> central_weights(int p) {
    std::vector<double> weights;
    double ratio = 1;  // (p!)^2 / ((p-k)! (p+k)!)
    for (int k = 1; k <= p; ++k) {
        ratio *= static_cast<double>(p - k + 1) / (p + k);
        weights.push_back((k % 2 == 1 ? 1.0 : -1.0) * ratio / k);
    }
    return weights;
}

/// Of f(k) - f(0) in f'(0) + O(h^p): (-1)^(k+1) C(p, k) / k.
std::vector<double> one_sided_weights(int p) {
    std::vector<double> weights;
    double choose = 1;
    for (int k = 1; k <= p; ++k) {
        choose *= static_cast<double>(p - k + 1) / k;
        weights.push_back((k % 2 == 1 ? 1.0 : -1.0) * choose / k);
    }
    return weights;
}

}  // namespace

MapField::MapField(Recovery recovery, int order) : recovery_(recovery) {
    switch (recovery) {
        case Recovery::central:
            if (order < 2 || order > 8 || order % 2 != 0) {
                throw Misuse(fmt::format("difference_order = {}; central differences have order 2, 4, 6 or 8", order));
            }
            weights_ = central_weights(order / 2);
            break;
        case Recovery::forward:
        case Recovery::backward:
            if (order < 1 || order > 8) {
                throw Misuse(fmt::format("difference_order = {}; one-sided differences have orders 1 to 8", order));
            }
            weights_ = one_sided_weights(order);
            break;
        case Recovery::nested:
            if (order < 1 || order > 4) {
                throw Misuse(fmt::format("difference_order = {}; Kirchgraber's formulas have orders 1 to 4", order));
            }
            tableau_ = recovery_tableau(order);
            break;
    }
}

std::size_t MapField::periods() const {
    switch (recovery_) {
        case Recovery::central:
            return 2 * weights_.size();
        case Recovery::nested:
            return tableau_.stages;
        default:
            return weights_.size();
    }
}

void MapField::operator()(PeriodMap& map, In z, Out field) {
    recovery_ == Recovery::nested ? by_nesting(map, z, field) : by_differences(map, z, field);
}

void MapField::by_differences(PeriodMap& map, In z, Out field) {
    const std::size_t n = z.size();
    changes_.resize(weights_.size() * n);
    std::fill(field.begin(), field.end(), 0.0);
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

void MapField::by_nesting(PeriodMap& map, In z, Out field) {
    const std::size_t n = z.size();
    changes_.resize(tableau_.stages * n);
    stage_.resize(n);
    std::fill(field.begin(), field.end(), 0.0);
    for (std::size_t s = 0; s < tableau_.stages; ++s) {
        stage_.assign(z.begin(), z.end());
        for (std::size_t j = 0; j < s; ++j) {
            add_to(stage_, tableau_.a[s][j], In(changes_).subspan(j * n, n));
        }
        const auto change = std::span(changes_).subspan(s * n, n);
        map.change(stage_, change);
        if (!std::isfinite(std::accumulate(change.begin(), change.end(), 0.0))) {
            std::copy(change.begin(), change.end(), field.begin());  // later stages would start nowhere
            return;
        }
        add_to(field, tableau_.b[s], change);
    }
}

std::vector<double> fraction_of_revolution(PeriodMap& map, In z, double s) {
    const std::size_t n = z.size();
    std::vector<double> result(n, 0.0);
    if (s == 0) {
        return result;
    }
    constexpr std::size_t reach = 2;
    constexpr std::array<double, 4> nodes{1, 2, -1, -2};
    std::vector<double> changes(2 * reach * n);
    map.iterate(z, 1, reach, std::span(changes).first(reach * n));
    map.iterate(z, -1, reach, std::span(changes).last(reach * n));
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        double weight = s / nodes[k];  // the change at 0 is zero
        for (const double other : nodes) {
            weight *= other == nodes[k] ? 1.0 : (s - other) / (nodes[k] - other);
        }
        add_to(result, weight, In(changes).subspan(k * n, n));
    }
    return result;
}

}  // namespace lento
