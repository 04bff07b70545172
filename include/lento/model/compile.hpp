/// Graphs to machine code, through LLVM's C API.
///
/// One function per need: it reads positions, velocities, phases and time, and fills an array. IEEE semantics are kept, elementary
/// functions are the system's libm, nothing is allocated when it runs, and any number of threads may call it. Large graphs are
/// compiled in chunks and with fewer optimisations, so that compile time stays in proportion to size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lento/model/graph.hpp"

namespace lento::model {
namespace jit {
class Machine;
}

/// Where a compiled function finds the value of a symbol.
struct Place {
    enum class Array : std::uint8_t { position, velocity, phase, time };
    Array array = Array::position;
    std::uint32_t index = 0;  ///< within the array; of no meaning for time
};

class CompiledFunction {
public:
    /// Compiles `results` of `graph`; `places[k]` tells where symbol k comes from. Throws std::runtime_error if LLVM refuses, which
    /// would be a bug.
    CompiledFunction(const Graph& graph, std::span<const Node> results, std::span<const Place> places);
    ~CompiledFunction();
    CompiledFunction(CompiledFunction&&) noexcept;
    CompiledFunction& operator=(CompiledFunction&&) noexcept;

    void operator()(const double* position, const double* velocity, const double* phase, double time,
                    double* result) const {
        if (chunks_.empty()) [[likely]] {
            whole_(position, velocity, phase, time, result, nullptr);
        } else {
            in_chunks(position, velocity, phase, time, result);
        }
    }

    /// The same for one coordinate, at most one phase and one result, with numbers instead of arrays: they stay in registers, which over
    /// a pendulum saves a fifth of a micro-step. Null for everything larger.
    using Scalar = double (*)(double position, double velocity, double phase, double time);
    Scalar scalar() const { return scalar_; }

    /// Operations of the graph that was compiled.
    std::size_t operations() const { return operations_; }

private:
    using Entry = void (*)(const double*, const double*, const double*, double, double*, double* carried);

    void in_chunks(const double* position, const double* velocity, const double* phase, double time,
                   double* result) const;

    std::unique_ptr<jit::Machine> machine_;
    Entry whole_ = nullptr;
    Scalar scalar_ = nullptr;
    std::vector<Entry> chunks_;  // where one function would be too long
    std::size_t carried_ = 0;    // numbers that pass from chunk to chunk
    std::size_t operations_ = 0;
};

}  // namespace lento::model
