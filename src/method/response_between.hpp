/// The response of a harmonic average about a few slow states from a look at each: in slow time the polynomial through
/// the looks, in the phase the harmonics that the response is kept by,
///
///     Delta(t, phi) = sum_j l_j(t) sum_b c_jb e_b(phi),     e = (cos phi, sin phi, cos 2 phi, sin 2 phi, ...)
///
/// l_j = prod_{k != j} (t - t_k)/(t_j - t_k), and W likewise. With N looks it is wrong by prod_j |t - t_j| / N! times
/// the N-th derivative by slow time.
#pragma once

#include <vector>

#include "average/harmonic.hpp"

namespace lento {

class ResponseBetween {
public:
    explicit ResponseBetween(const HarmonicAverage& average)
        : basis_(2 * average.grid().highest()),
          result_((average.field().second_order() ? 2 : 1) * average.dimension()) {}

    /// All looks come first, in order of time.
    void add(double t, const Response& response);
    /// (Delta, W), one after the other; they stay there until the next call.
    In at(double t, double phi);

private:
    void fill_basis(double phi);
    void weigh_looks(double t);

    std::vector<double> times_;
    std::vector<std::vector<double>> coefficients_;  // of each look, component after component
    std::vector<double> barycentric_;                // prod_{k != j} 1/(t_j - t_k)
    std::vector<double> basis_, weights_, result_;
};

}  // namespace lento
