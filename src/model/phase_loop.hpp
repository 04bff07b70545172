/// One function that goes through m phases, some `lanes` at once, in LLVM's instructions:
///
///     for (k = 0;; k = min(k + lanes, m - lanes)) { ...; if (k == m - lanes) return; }
///
/// The last vector overlaps the one before rather than reach beyond the end; m is at least `lanes`. Its parameters are
/// arrays of rows of m numbers, the time, and inputs, one number each for all phases: positions, velocities, time,
/// phases (or what was tabulated of them), inputs, results, values carried, m. What depends on inputs alone is computed
/// before the loop.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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
              const Rows& tabulated, const jit::Cut& plan)
        : context_(LLVMGetModuleContext(module)),
          source_(source),
          tabulated_(tabulated),
          plan_(plan),
          number_(LLVMDoubleTypeInContext(context_)),
          count_(LLVMInt64TypeInContext(context_)),
          vector_(lanes == 1 ? number_ : LLVMVectorType(number_, static_cast<unsigned>(lanes))),
          builder_(LLVMCreateBuilderInContext(context_)),
          instructions_(module, builder_, vector_, lanes == 1 ? jit::scalar_library() : jit::vector_library(lanes)),
          lanes_(lanes) {
        const LLVMTypeRef array = LLVMPointerType(number_, 0);
        std::array<LLVMTypeRef, 8> types{array, array, number_, array, array, array, array, count_};
        function_ = LLVMAddFunction(module, name.c_str(),
                                    LLVMFunctionType(LLVMVoidTypeInContext(context_), types.data(), types.size(), 0));
        jit::add_attribute(function_, 1 + result_parameter, "noalias");
        jit::add_attribute(function_, 1 + carried_parameter, "noalias");
        jit::add_attribute(function_, LLVMAttributeFunctionIndex, "nounwind");

        entry_ = LLVMAppendBasicBlockInContext(context_, function_, "entry");
        loop_ = LLVMAppendBasicBlockInContext(context_, function_, "loop");
        LLVMPositionBuilderAtEnd(builder_, entry_);
        room_ = LLVMBuildArrayAlloca(builder_, vector_, LLVMConstInt(count_, 2, 0), "");
        step_ = LLVMConstInt(count_, lanes_, 0);
        last_ = LLVMBuildSub(builder_, LLVMGetParam(function_, count_parameter), step_, "");
        time_ = everywhere(LLVMGetParam(function_, time_parameter));
        LLVMBuildBr(builder_, loop_);
        LLVMPositionBuilderAtEnd(builder_, loop_);
        phase_ = LLVMBuildPhi(builder_, count_, "");
        LLVMValueRef first = LLVMConstInt(count_, 0, 0);
        LLVMAddIncoming(phase_, &first, &entry_, 1);
    }
    ~PhaseLoop() { LLVMDisposeBuilder(builder_); }
    PhaseLoop(const PhaseLoop&) = delete;
    PhaseLoop& operator=(const PhaseLoop&) = delete;

    /// Computes the nodes of one piece; stores what later pieces need.
    void compute(std::span<const Node> nodes) {
        std::unordered_map<Node, Pair> pairs;  // by argument
        for (const Node node : nodes) {
            const auto& entry = source_.graph[node];
            if (entry.op == Op::sin) {
                pairs[entry.a].sine = node;
            } else if (entry.op == Op::cos) {
                pairs[entry.a].cosine = node;
            }
        }
        for (const Node node : nodes) {
            const auto& entry = source_.graph[node];
            const Pair pair = entry.op == Op::sin || entry.op == Op::cos ? pairs.at(entry.a) : Pair{};
            if (!pair.sine || !pair.cosine) {
                const LLVMValueRef a = value(entry.a);
                keep(node, instructions_.operation(entry.op, a, value(entry.b)));
            } else if (!values_.contains(node)) {
                const auto both = instructions_.sine_and_cosine(value(entry.a), room_);
                keep(*pair.sine, both.sine);
                keep(*pair.cosine, both.cosine);
            }
        }
    }

    void store_result(Node node, std::size_t row) { store(value(node), result_parameter, row); }

    void finish() {
        const LLVMValueRef next = LLVMBuildAdd(builder_, phase_, step_, "");
        const LLVMValueRef beyond = LLVMBuildICmp(builder_, LLVMIntUGT, next, last_, "");
        LLVMValueRef following = LLVMBuildSelect(builder_, beyond, last_, next, "");
        const LLVMValueRef done = LLVMBuildICmp(builder_, LLVMIntEQ, phase_, last_, "");
        LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context_, function_, "end");
        LLVMBuildCondBr(builder_, done, end, loop_);
        LLVMAddIncoming(phase_, &following, &loop_, 1);
        LLVMPositionBuilderAtEnd(builder_, end);
        LLVMBuildRetVoid(builder_);
    }

private:
    // NOTE: the first parameters are in the order of Place::Array.
    static constexpr unsigned time_parameter = static_cast<unsigned>(Place::Array::time);
    static constexpr unsigned table_parameter = static_cast<unsigned>(Place::Array::phase);
    static constexpr unsigned input_parameter = static_cast<unsigned>(Place::Array::input);
    static constexpr unsigned result_parameter = 5;
    static constexpr unsigned carried_parameter = 6;
    static constexpr unsigned count_parameter = 7;

    /// The sine and the cosine of the same.
    struct Pair {
        std::optional<Node> sine{}, cosine{};
    };

    void keep(Node node, LLVMValueRef made) {
        values_.emplace(node, made);
        if (const auto row = plan_.carried.find(node); row != plan_.carried.end()) {
            store(made, carried_parameter, row->second);
        }
    }

    /// A number in all lanes.
    LLVMValueRef everywhere(LLVMValueRef number) {
        if (lanes_ == 1) {
            return number;
        }
        LLVMValueRef vector = LLVMGetUndef(vector_);
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            vector = LLVMBuildInsertElement(builder_, vector, number, LLVMConstInt(count_, lane, 0), "");
        }
        return vector;
    }

    /// A node that is fixed, computed once before the loop.
    LLVMValueRef before_loop(Node node) {
        LLVMPositionBuilderBefore(builder_, LLVMGetBasicBlockTerminator(entry_));
        for (const Node part : source_.graph.parts(std::span(&node, 1))) {
            const auto& entry = source_.graph[part];
            if (values_.contains(part)) {
                continue;
            }
            if (entry.op == Op::constant) {
                values_.emplace(part, instructions_.constant(entry.value));
            } else if (entry.op == Op::symbol) {
                LLVMValueRef offset = LLVMConstInt(count_, source_.places[entry.symbol].index, 0);
                const LLVMValueRef input =
                    LLVMBuildGEP2(builder_, number_, LLVMGetParam(function_, input_parameter), &offset, 1, "");
                values_.emplace(part, everywhere(LLVMBuildLoad2(builder_, number_, input, "")));
            } else {
                const LLVMValueRef a = values_.at(entry.a);
                values_.emplace(part, instructions_.operation(entry.op, a, values_.at(entry.b)));
            }
        }
        LLVMPositionBuilderAtEnd(builder_, loop_);
        return values_.at(node);
    }

    /// The value of a node: fixed, tabulated, a symbol, made here, or made by an earlier piece.
    LLVMValueRef value(Node node) {
        if (const auto known = values_.find(node); known != values_.end()) {
            return known->second;
        }
        const auto& entry = source_.graph[node];
        LLVMValueRef found = nullptr;
        if (entry.fixed) {
            return before_loop(node);
        }
        if (const auto row = tabulated_.find(node); row != tabulated_.end()) {
            found = load(table_parameter, row->second);
        } else if (entry.op == Op::symbol) {
            const Place& place = source_.places[entry.symbol];
            found = place.array == Place::Array::time ? time_ : load(static_cast<unsigned>(place.array), place.index);
        } else {
            found = load(carried_parameter, plan_.carried.at(node));
        }
        values_.emplace(node, found);
        return found;
    }

    LLVMValueRef load(unsigned parameter, std::size_t row) {
        const LLVMValueRef loaded = LLVMBuildLoad2(builder_, vector_, address(parameter, row), "");
        LLVMSetAlignment(loaded, alignof(double));
        return loaded;
    }

    void store(LLVMValueRef value, unsigned parameter, std::size_t row) {
        LLVMSetAlignment(LLVMBuildStore(builder_, value, address(parameter, row)), alignof(double));
    }

    /// Of a row of m numbers, from the current phase.
    LLVMValueRef address(unsigned parameter, std::size_t row) {
        const LLVMValueRef start =
            LLVMBuildMul(builder_, LLVMGetParam(function_, count_parameter), LLVMConstInt(count_, row, 0), "");
        LLVMValueRef offset = LLVMBuildAdd(builder_, start, phase_, "");
        const LLVMValueRef first = LLVMBuildGEP2(builder_, number_, LLVMGetParam(function_, parameter), &offset, 1, "");
        return LLVMBuildBitCast(builder_, first, LLVMPointerType(vector_, 0), "");
    }

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
