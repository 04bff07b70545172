/// What a force is like, found by evaluating it at a few states: does it depend on the velocity, about which phase is
/// it even?
///
/// A force is even about the phase c if a(x, V + w, c + d) = a(x, V - w, c - d) for all d, w: then a window started
/// from rest at c has an even solution (vibrated, section 2.3). A leading odd part breaks the one-period filter.
#pragma once

#include "problem/acceleration.hpp"
#include "problem/time_scales.hpp"

namespace lento {

/// States near the start at which a force is probed. Always the same ones: same input, same bits.
struct ProbeStates {
    struct State {
        std::vector<double> x, v, w;  ///< position, slow velocity, a velocity of the size of the fast part
        double t = 0;
    };
    std::vector<State> states;

    /// At the start and at times up to the end, some way from (x, v) by its scales; none: 1.
    ProbeStates(In x, In v, double t_start, double t_end, In scales = {});
};

/// a + factor * b
std::vector<double> combined(In a, double factor, In b);

/// How an acceleration depends on the velocity, as far as the probes tell.
struct VelocityDependence {
    bool any = false;    ///< some probe's acceleration changes with it
    double fastest = 0;  ///< the largest change of an acceleration over that of the velocity: a rate
};
VelocityDependence velocity_dependence(Acceleration& acceleration, const ProbeStates& probes);

/// True if some probe's acceleration changes with the explicit time.
bool depends_on_time(Acceleration& acceleration, const ProbeStates& probes);

struct SymmetryPhase {
    std::vector<double> phases;  ///< where windows start
    double odd_fraction = 0;     ///< of the force about it
};

/// The phase nearest to zero about which the force is even, or, if there is none, the one with the smallest odd part.
///
/// About a symmetry phase c every Fourier coefficient c_k e^(ikc) of the force is real; the candidates are the 2k zeros
/// of the imaginary part for the largest one. Several phases: along their common period, if they have one.
SymmetryPhase symmetry_phase(Acceleration& acceleration, const ProbeStates& probes, const TimeScales& scales);

}  // namespace lento
