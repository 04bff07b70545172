/// Machine code for a `PhaseProgram`.
///
/// The code works on vectors as wide as the machine has (AVX2, AVX-512), with the functions of `library.hpp`. Without
/// such vectors these are those of libm, one lane after another. IEEE semantics are kept, any number of threads may
/// call, and nothing is allocated but a buffer a thread, which grows once.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "model/library.hpp"
#include "model/phase_program.hpp"

namespace lento::model {

class PhaseCode {
public:
    /// Throws std::runtime_error if LLVM refuses, which would be a bug.
    explicit PhaseCode(const PhaseProgram& program, std::size_t lanes = widest_vectors());

    /// Fills the table of what depends on phases and inputs alone.
    void tabulate(const PhaseArrays& arrays) const { run(tabulated_, arrays); }
    /// The results, from the table in place of the phases.
    void at_table(const PhaseArrays& arrays) const { run(main_, arrays); }

private:
    using Entry = void (*)(const double* x, const double* v, const double* t, const double* phases,
                           const double* inputs, double* result, double* carried, std::size_t m);
    /// One function, or the pieces of a long one, with the rows of each array that it touches.
    struct Function {
        std::vector<Entry> pieces{};
        std::size_t x = 0, v = 0, t = 0, phases = 0, results = 0, carried = 0;
    };

    void run(const Function& function, const PhaseArrays& arrays) const;

    std::shared_ptr<const jit::Machine> machine_;
    std::size_t lanes_;
    Function tabulated_, main_;
};

}  // namespace lento::model
