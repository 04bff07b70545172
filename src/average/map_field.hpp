/// The field F whose flow over one revolution is a map Psi near the identity, from the map (stroboscopic (21), (23))
///
/// By differences of Psi^k(z), k = -p, ..., p: of order 2 it is (25), of order 4 (26); one-sided ones use k = 0, ...,
/// p. Or by Kirchgraber's formulas (29), Runge-Kutta methods for maps at M = 0 (`step/map_methods.hpp`): p nested
/// evaluations, order p. The points between are put back onto constraints: beside these, the map is not near the
/// identity.
///
/// F is per revolution: F = T dY/dt.
#pragma once

#include <functional>

#include "average/period_map.hpp"
#include "step/map_methods.hpp"

namespace lento {

enum class Recovery { central, forward, backward, nested };

class MapField {
public:
    /// Orders 2, 4, 6, 8 for central differences, 1 to 8 for one-sided ones, 1 to 4 for nested ones; else Misuse.
    MapField(Recovery recovery, int order);

    /// Puts y onto the constraints of the time t.
    using Settle = std::function<void(double t, Out y)>;

    /// F at z; not finite where the map is not.
    void operator()(PeriodMap& map, In z, Out field, const Settle& settle = {});

    /// Periods that one evaluation integrates.
    std::size_t periods() const;

private:
    void by_differences(PeriodMap& map, In z, Out field);
    void by_nesting(PeriodMap& map, In z, Out field, const Settle& settle);

    Recovery recovery_;
    std::vector<double> weights_;  // of Psi^k - id, k = 1, 2, ...; central differences have the opposite ones for -k
    MapTableau tableau_;
    // Work space.
    std::vector<double> changes_, stage_;
};

/// Psi^s(z) - z for a fraction s of a revolution, |s| <= 1/2, by the polynomial through Psi^k(z): |k| <= 2, error
/// O(eps^5), and |k| <= 3 where that is not enough. Where the motion cannot be followed backwards, as near a limit
/// cycle that attracts, through k = 0, ..., 5, and s is taken a revolution earlier where it is positive: the way on is
/// then forwards.
/// `over_tolerance` is the largest of the components of a difference over what they may be wrong by.
std::vector<double> fraction_of_revolution(PeriodMap& map, In z, double s,
                                           const std::function<double(In difference)>& over_tolerance);

}  // namespace lento
