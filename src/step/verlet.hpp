/// The Verlet method, velocity form, order 2; one evaluation a step:
///
///     v_{1/2} = v_0 + h/2 a_0,   x_1 = x_0 + h v_{1/2},   v_1 = v_{1/2} + h/2 a_1          (vibrated, section 2.5)
///
/// Symmetric and symplectic for accelerations that depend on the position alone. Where they depend on the velocity, a_1
/// is taken at the predicted velocity v_{1/2} + h/2 a_0: still explicit and of order 2, no longer symmetric. This is
/// the prediction P^_n of vibrated, Algorithm 1, step 4.
#pragma once

#include <cstddef>
#include <span>

#include "step/state.hpp"

namespace lento {

/// Whether accelerations may depend on the velocity. Where they do not, the prediction is left out: a tenth of the time
/// of a step over 16 coordinates.
enum class VelocityUse { possible, none };

template <class S, std::size_t Extent = dynamic>
class Verlet {
public:
    static constexpr int order = 2;
    static constexpr int evaluations = 1;
    using State = MotionState<S, Extent>;

    explicit Verlet(std::size_t dimension, VelocityUse use = VelocityUse::possible)
        : use_(use), predicted_(make_vector<S, Extent>(dimension)) {}

    /// Advances by h. `end` is the fraction of the caller's step at which this one ends: 1, unless it is part of a
    /// composition.
    template <class Acceleration>
    void step(Acceleration&& acceleration, S h, State& state, S end = S(1)) {
        const auto x = state.x();
        const auto v = state.v();
        const auto a = state.a();
        const S half = h / S(2);
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += half * a[i];
            x[i] += h * v[i];
        }
        if (use_ == VelocityUse::none) {
            acceleration(end, std::span<const S, Extent>(x), std::span<const S, Extent>(v), a);
        } else {
            for (std::size_t i = 0; i < x.size(); ++i) {
                predicted_[i] = v[i] + half * a[i];
            }
            acceleration(end, std::span<const S, Extent>(x), std::span<const S, Extent>(predicted_), a);
        }
        for (std::size_t i = 0; i < x.size(); ++i) {
            v[i] += half * a[i];
        }
    }

private:
    VelocityUse use_;
    Vector<S, Extent> predicted_;
};

}  // namespace lento
