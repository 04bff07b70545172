/// Machine code for the Taylor coefficients of a graph (`taylor.hpp`), at many phases at once.
///
///     (x, v)_j at phases theta_1 ... theta_m   ->   results_j,   j = 0 ... D
///
/// Arrays are blocks of numbers side by side: coefficient after coefficient, in each component after component, in each
/// the m phases. So coefficient j of component i of n at phase k is number (j n + i) m + k, and phase symbol l at phase
/// k is number l m + k. Inputs are one array of numbers for all phases.
///
/// The code works on vectors as wide as the machine has (AVX2, AVX-512). Elementary functions are SLEEF's, right to 1.0
/// units in the last place (measured on a million arguments each; glibc's libmvec is off by 1 to 3.5). Without such
/// vectors they are those of libm, one lane after another. IEEE semantics are kept, any number of threads may call, and
/// nothing is allocated but a buffer a thread, which grows once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/compile.hpp"

namespace lento::model {

/// How many phases an instruction works on.
enum class Lanes : std::uint8_t { one = 1, two = 2, four = 4, eight = 8 };
/// As many as this machine has vector functions for.
Lanes widest_lanes();

class PhaseCode {
public:
    /// Compiles the coefficients up to `degree` of a function of `dimension` positions and as many velocities. Throws
    /// std::runtime_error if LLVM refuses, which would be a bug.
    PhaseCode(const FunctionGraph& function, std::size_t dimension, int degree, Lanes lanes = widest_lanes());

    // What depends on phases and inputs alone (in a vibrated force often half of the work) is tabulated, and need not
    // be computed again at the same ones.
    /// Rows of m numbers that a table of it takes.
    std::size_t table_rows() const { return table_rows_; }
    /// Inputs, from the first, that a table depends on.
    std::size_t table_inputs() const { return table_inputs_; }
    void tabulate(std::size_t m, const double* theta, const double* inputs, double* table) const;
    /// At the m phases and the inputs that were tabulated. Arrays that no result depends on may be null; `result`
    /// overlaps none of them.
    void at_table(std::size_t m, double t, const double* x, const double* v, const double* table, const double* inputs,
                  double* result) const;

    /// Operations at one phase, tabulated ones left out.
    std::size_t operations() const { return operations_; }

private:
    using Entry = void (*)(const double* x, const double* v, double t, const double* phases, const double* inputs,
                           double* result, double* carried, std::size_t m);
    /// One function, or the pieces of a long one, with the rows of each array that it touches.
    struct Function {
        std::vector<Entry> pieces{};
        std::size_t x = 0, v = 0, phases = 0, results = 0, carried = 0;
    };

    void run(const Function& function, std::size_t m, double t, const double* x, const double* v, const double* phases,
             const double* inputs, double* result) const;

    std::shared_ptr<const jit::Machine> machine_;
    std::size_t lanes_;
    Function tabulated_, main_;
    std::size_t table_rows_ = 0;
    std::size_t table_inputs_ = 0;
    std::size_t operations_ = 0;
};

}  // namespace lento::model
