/// Graphs to machine code, through LLVM's C API.
///
/// One function per need: it reads positions, velocities, time, phases and inputs, and fills an array. IEEE semantics
/// are kept, elementary functions are the system's libm, nothing is allocated when it runs, and any number of threads
/// may call it: the bits are those of the plain evaluator. Large graphs are compiled in chunks and with fewer
/// optimisations: time stays in proportion to size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/graph.hpp"

namespace lento::model {
namespace jit {
class Machine;
}

/// Where a compiled function finds the value of a symbol.
struct Place {
    /// Inputs are parameters and what follows from them (`inputs.hpp`).
    enum class Array : std::uint8_t { position, velocity, time, phase, input };
    Array array = Array::position;
    std::uint32_t index = 0;  ///< within the array; 0 for time

    bool operator==(const Place&) const = default;
};

/// Expressions as code reads them; `places[k]` tells where symbol k comes from.
struct FunctionGraph {
    Graph graph{};
    std::vector<Node> results{};
    std::vector<Place> places{};
};

/// Whether the function has one result of one coordinate and at most one phase, so that its arguments can be numbers.
bool fits_in_numbers(const FunctionGraph& source);

/// After how many evaluations, each of which takes the interpreter so many nanoseconds, machine code is to be made of a
/// function of so many operations and results: when interpreting has cost what compiling will.
std::size_t evaluations_before_code(std::size_t operations, double nanoseconds);

/// How often machine code has been made in this process, for tests of what should not need any.
std::size_t compilations();

class CompiledFunction {
public:
    /// Throws std::runtime_error if LLVM refuses, which would be a bug.
    explicit CompiledFunction(const FunctionGraph& source);

    /// The code as any caller takes it who knows a function pointer and the pointer that goes with it, `self()`.
    using Entry = void (*)(const void* self, const double* x, const double* v, double t, const double* theta,
                           const double* inputs, double* result);
    Entry entry() const { return entry_; }
    const void* self() const { return chunks_.get(); }

    void operator()(const double* x, const double* v, double t, const double* theta, const double* inputs,
                    double* result) const {
        entry_(chunks_.get(), x, v, t, theta, inputs, result);
    }

    /// The same for one coordinate, at most one phase and one result, with numbers instead of arrays: they stay in
    /// registers, which over a pendulum saves a fifth of a micro-step. Null for everything larger.
    using Scalar = double (*)(const void* self, double x, double v, double t, double theta, const double* inputs);
    Scalar scalar() const { return scalar_; }

private:
    struct Chunks;

    std::shared_ptr<const jit::Machine> machine_;
    std::shared_ptr<const Chunks> chunks_;  // where one function would be too long
    Entry entry_ = nullptr;
    Scalar scalar_ = nullptr;
};

}  // namespace lento::model
