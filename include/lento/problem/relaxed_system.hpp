/// Rigid constraints relaxed to stiff springs: g(x, t) = 0 becomes the potential 1/2 k g^2. As k grows, slow motions of the springs
/// approach those of the constraints with O(1/k), and k g the multipliers (slow-manifold (4), section 6.5).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lento/problem/constrained_system.hpp"
#include "lento/problem/stiff_system.hpp"

namespace lento {

namespace spring_detail {

/// The force of a system without its constraints, in the canonical form.
template <class Free>
struct FreeForce {
    Free free;
    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    std::span<double> f) const {
        constexpr auto extent = Free::extent;
        free.template force<double>(view<extent>(x), view<extent>(v), t, theta, view<extent>(f));
    }
};

}  // namespace spring_detail

/// Springs of stiffness strengths[j] and nominal frequency `frequency`. Constraints of text models: `model/springs.hpp`.
template <class Free, class Function>
auto relaxed(const ConstrainedSystem<Free, ConstraintFunctions<Function>>& system, double frequency,
             const std::vector<double>& strengths) {
    using Soft = spring_detail::FreeForce<Free>;
    std::vector<SpringEntry> entries;
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        entries.push_back({system.constraints().names()[j], frequency, strengths[j], j, j + 1});
    }
    return spring_detail::assembled(
               system.dimension(),
               ElongationSprings<Soft, Function>(Soft{system.free()}, system.constraints(), std::move(entries)))
        .with_mass(system.mass())
        .with_names(system.names());
}

}  // namespace lento
