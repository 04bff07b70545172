#include "march/newton_basis.hpp"

#include "step/weighted.hpp"

namespace lento {

namespace {

/// Gauss and Legendre's formula with 8 points between 0 and 1, exact up to degree 15: int_0^1 int_0^s pi ds is that of
/// (1 - s) pi(s), of degree 14 at most.
struct Gauss {
    static constexpr std::size_t points = 8;
    std::array<double, points> at, once, twice;
};
constexpr auto gauss = [] {
    constexpr std::array half_points{0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                     0.96028985649753623168};
    constexpr std::array weights{0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                 0.10122853629037625915};
    Gauss result{};
    for (std::size_t q = 0; q < Gauss::points; ++q) {
        const std::size_t k = q / 2;
        result.at[q] = (1 + (q % 2 == 0 ? -half_points[k] : half_points[k])) / 2;
        result.once[q] = weights[k] / 2;
        result.twice[q] = result.once[q] * (1 - result.at[q]);
    }
    return result;
}();

}  // namespace

NewtonIntegrals::NewtonIntegrals(In nodes) {
    std::array<Two, Gauss::points / 2> values;  // of pi_i
    values.fill(Two{1, 1});
    double last = 1;
    for (std::size_t i = 0;; ++i) {
        Two by_once{}, by_twice{};
        for (std::size_t q = 0; q < values.size(); ++q) {
            by_once += load<Two>(&gauss.once[2 * q]) * values[q];
            by_twice += load<Two>(&gauss.twice[2 * q]) * values[q];
        }
        once[i] = by_once[0] + by_once[1];
        twice[i] = by_twice[0] + by_twice[1];
        end[i] = last;
        if (i == nodes.size()) {
            return;
        }
        for (std::size_t q = 0; q < values.size(); ++q) {
            values[q] *= load<Two>(&gauss.at[2 * q]) - nodes[i];
        }
        last *= 1 - nodes[i];
    }
}

}  // namespace lento
