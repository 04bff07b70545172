/// The Taylor coefficients of a graph (`taylor.hpp`) at many phases, as the interpreter and compiled code evaluate
/// them: the same operations, the same functions of vectors, hence the same bits.
///
///     (x, v)_j at times t_1 ... t_m and phases theta_1 ... theta_m   ->   results_j,   j = 0 ... D
///
/// Arrays are blocks of numbers side by side: coefficient after coefficient, in each component after component, in each
/// the m lanes. So coefficient j of component i of n at lane k is number (j n + i) m + k, and phase symbol l at lane k
/// is number l m + k. Inputs are one array of numbers for all lanes.
///
/// What depends on phases and inputs alone (in a vibrated force often half of the work) is tabulated, and need not be
/// computed again at the same ones.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "model/compile.hpp"

namespace lento::model {

struct PhaseProgram {
    /// The coefficients up to `degree` of a function of `dimension` positions and as many velocities.
    PhaseProgram(const FunctionGraph& function, std::size_t dimension, int degree);

    std::size_t operations() const { return inside.size() + rest.size(); }

    FunctionGraph source;      ///< coefficient j of result i of n is result j*n + i
    std::vector<Node> inside;  ///< operations that depend on phases alone, in ascending order; what is fixed is nowhere
    std::vector<Node> table;   ///< those that the rest needs
    std::vector<Node> rest;    ///< operations that depend on more
    std::size_t table_inputs;  ///< inputs, from the first, that the table depends on
    /// Sines and cosines of the same that one call makes: each with the other one.
    std::unordered_map<Node, Node> partners{};
};

/// The blocks of one evaluation, m lanes wide. Arrays that no result depends on may be null; `result` overlaps none.
struct PhaseArrays {
    std::size_t m;
    const double *x, *v, *t, *phases;  ///< phases, or what was tabulated of them
    const double* inputs;
    double* result;
};

}  // namespace lento::model
