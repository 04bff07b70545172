/// A constrained system as an ordinary one: the constraint force is eliminated at the level of accelerations,
///
///     M x'' = f - g'^T lambda,     lambda = (g' M^-1 g'^T)^-1 (g' M^-1 f + g''[x', x'] + 2 g_t' x' + g_tt)
///
/// (vibrated (B.1)). On the manifold its motions are those of the constrained system, so whatever is to be known of the fast motion can
/// be found from it; methods that integrate it have to stay on the manifold by other means.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/problem/constrained_system.hpp"
#include "lento/problem/manifold.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

template <class Free, class Constraints>
class ReducedForce {
public:
    explicit ReducedForce(const ConstrainedSystem<Free, Constraints>& system)
        : system_(system),
          manifold_(system.mass(), system.constraints()),
          gradient_(manifold_.entries()),
          acceleration_(system.dimension()),
          scratch_(system.dimension()),
          lambda_(manifold_.count()) {}
    // NOTE: copies make their own work space.
    ReducedForce(const ReducedForce& other) : ReducedForce(other.system_) {}
    ReducedForce(ReducedForce&&) noexcept = default;
    ReducedForce& operator=(const ReducedForce& other) { return *this = ReducedForce(other); }
    ReducedForce& operator=(ReducedForce&&) noexcept = default;

    void operator()(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta,
                    std::span<double> f) const {
        constexpr auto extent = Free::extent;
        system_.free().template force<double>(view<extent>(x), view<extent>(v), t, theta, view<extent>(f));
        std::copy(f.begin(), f.end(), acceleration_.begin());
        system_.mass().to_acceleration(std::span<double>(acceleration_), std::span<double>(scratch_));
        manifold_.gradient(x, t, gradient_);
        if (!manifold_.factorise(gradient_)) {
            std::fill(f.begin(), f.end(), std::numeric_limits<double>::quiet_NaN());
            return;
        }
        manifold_.constrain_acceleration(gradient_, x, v, t, acceleration_, lambda_);
        manifold_.transposed(gradient_, lambda_, scratch_);
        for (std::size_t i = 0; i < f.size(); ++i) {
            f[i] -= scratch_[i];
        }
    }

    /// Of the last evaluation.
    std::span<const double> multipliers() const { return lambda_; }

private:
    ConstrainedSystem<Free, Constraints> system_;
    mutable Manifold<Constraints> manifold_;
    mutable std::vector<double> gradient_, acceleration_, scratch_, lambda_;
};

/// The reduced system with all that the constrained one declares.
template <class Free, class Constraints>
auto reduced(const ConstrainedSystem<Free, Constraints>& system) {
    const auto& free = system.free();
    using Force = ReducedForce<Free, Constraints>;
    auto result = VibratedSystem<Force>(free.dimension(), free.phases(), Force(system))
                      .with_mass(free.mass())
                      .with_names(free.names())
                      .with_parity(free.parity());
    return free.period() ? result.with_period(*free.period()) : result;
}

}  // namespace lento
