#include "reproduction.hpp"

#include <algorithm>
#include <cmath>

#include "harmonic_flows.hpp"
#include "harmonic_tables.hpp"

namespace lento::papers {

bool Row::agrees() const {
    if (!judged) {
        return true;
    }
    // NOTE: written so that a NaN disagrees.
    return std::isfinite(computed) &&
           (!published || std::abs(computed - *published) <= tolerance * std::abs(*published));
}

std::vector<double> Result::column(const std::string& name) const {
    std::vector<double> values;
    for (const auto& row : rows) {
        if (row.column == name) {
            values.push_back(row.computed);
        }
    }
    return values;
}

bool Result::agrees() const {
    return std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.agrees(); }) &&
           std::all_of(claims.begin(), claims.end(), [](const Claim& claim) { return claim.holds; });
}

const std::vector<Reproduction>& reproductions() {
    static const std::vector<Reproduction> all = [] {
        std::vector<Reproduction> list;
        for (const auto& part :
             {stiff_tables(), stiff_figures(), vibrated_tables(), vibrated_properties(), vibrated_constraints(),
              pendulum_theorems(), stroboscopic_figures(), stroboscopic_constraints(), reversible_figures(),
              reversible_chain(), slow_manifold_points(), slow_manifold_solutions(), harmonic_tables(),
              harmonic_flows(), harmonic_springs()}) {
            list.insert(list.end(), part.begin(), part.end());
        }
        return list;
    }();
    return all;
}

}  // namespace lento::papers
