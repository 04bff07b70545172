/// How large a slow motion is, and how fast: what tolerances and checks are measured by.
#pragma once

#include "average/projection.hpp"
#include "lento/judge/outset.hpp"
#include "lento/judge/violation.hpp"
#include "lento/problem/problem.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {

/// The size of a slow motion, from its state and acceleration. Where coordinates are measured from does not matter
/// much: the time is that in which the acceleration changes the velocity, or moves the system by its size,
///
///     T = max(V/A, sqrt(L_0/A)),     L = max(L_0, V T, A T^2),     L_0 = max |x|
///
/// and no longer than the run.
struct SlowSize {
    double length = 1, velocity = 0, acceleration = 0, time = 1;

    SlowSize() = default;
    SlowSize(In x, In v, In a, double run);

    /// How far a state is from another, as a share of the size.
    double move(In x, In v, In to_x, In to_v) const;
};

/// The stopping tolerance (14) where none is given, with S = omega T the separation of scales. Of an elongation off by
/// delta a window of leakage R leaves R omega^2 delta in the slow force; so delta follows the frequency as S^-2, and
/// the tolerance asked for. It is not below the glide of the projection itself, S^-4, which no iteration undoes.
ProjectionTolerance usual_projection_tolerance(double frequency, const SlowSize& size, double rtol, double leakage);

/// Springs that have no direction at the start.
std::optional<Violation> vanishing_spring(const Problem& problem, const SpringSpectrum& spectrum);

/// A fast oscillation that is not small against the motion: |x - start| >= 0.3 L.
std::optional<Violation> far_start(const Outset& outset, In x, const SlowSize& size);

/// The share of the slow motion's energy that fast oscillations may have without doing much to it.
inline constexpr double much_energy = 0.01;

/// A sentence about the energy that was taken out, if it is much, where what it does to the slow motion is left out
/// too.
std::optional<std::string> fast_start(const Problem& problem, const Outset& outset, In x, In v, In acceleration,
                                      const SlowSize& size);

}  // namespace lento
