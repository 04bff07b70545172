/// One function that goes through m phases, some `lanes` at once, in LLVM's instructions:
///
///     for (k = 0;; k = min(k + lanes, m - lanes)) { ...; if (k == m - lanes) return; }
///
/// The last vector overlaps the one before rather than reach beyond the end; m is at least `lanes`. Its parameters are
/// arrays of rows of m numbers, the time, and inputs, one number each for all phases: positions, velocities, time,
/// phases (or what was tabulated of them), inputs, results, values carried, m. What depends on inputs alone is computed
/// before the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>

#include "model/jit.hpp"
#include "model/taylor.hpp"

namespace lento::model {

/// Which row a value stands in, by node.
using Rows = std::unordered_map<Node, std::size_t>;

class PhaseLoop {
public:
    /// Values of `tabulated` nodes stand in the rows of phases; the rest of the phases is then not read.
    PhaseLoop(LLVMModuleRef module, const std::string& name, std::size_t lanes, const FunctionGraph& source,
              const Rows& tabulated, const jit::Cut& plan);
    ~PhaseLoop();
    PhaseLoop(const PhaseLoop&) = delete;
    PhaseLoop& operator=(const PhaseLoop&) = delete;

    /// Computes the nodes of one piece; stores what later pieces need.
    void compute(std::span<const Node> nodes);
    void store_result(Node node, std::size_t row);
    void finish();

private:
    LLVMValueRef everywhere(LLVMValueRef number);
    LLVMValueRef value(Node node);
    LLVMValueRef before_loop(Node node);
    void keep(Node node, LLVMValueRef made);
    LLVMValueRef load(unsigned parameter, std::size_t row);
    void store(LLVMValueRef value, unsigned parameter, std::size_t row);
    LLVMValueRef address(unsigned parameter, std::size_t row);

    LLVMContextRef context_;
    const FunctionGraph& source_;
    const Rows& tabulated_;
    const jit::Cut& plan_;
    LLVMTypeRef number_, count_, vector_;
    LLVMBuilderRef builder_;
    jit::Instructions instructions_;
    std::unordered_map<Node, LLVMValueRef> values_;
    LLVMValueRef function_ = nullptr;
    std::size_t lanes_;
    LLVMBasicBlockRef entry_ = nullptr, loop_ = nullptr;
    LLVMValueRef phase_ = nullptr, step_ = nullptr, last_ = nullptr, time_ = nullptr;
    LLVMValueRef room_ = nullptr;  // for a sine and a cosine
};

}  // namespace lento::model
