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

class PhaseLoop final : public jit::Writer {
public:
    /// Values of `tabulated` nodes stand in the rows of phases; the rest of the phases is then not read.
    PhaseLoop(LLVMModuleRef module, const std::string& name, std::size_t lanes, const FunctionGraph& source,
              const Rows& tabulated, const jit::Cut& plan)
        : Writer(module, source, plan, lanes, result_parameter), tabulated_(tabulated), lanes_(lanes) {
        const LLVMTypeRef array = LLVMPointerType(number_, 0);
        std::array<LLVMTypeRef, 8> types{array, array, number_, array, array, array, array, count_};
        begin(module, name, LLVMVoidTypeInContext(context_), types);
        loop_ = LLVMAppendBasicBlockInContext(context_, function_, "loop");
        room_ = LLVMBuildArrayAlloca(builder_, vector_, whole(2), "");
        step_ = whole(lanes_);
        last_ = LLVMBuildSub(builder_, LLVMGetParam(function_, count_parameter), step_, "");
        time_ = everywhere(LLVMGetParam(function_, time_parameter));
        LLVMBuildBr(builder_, loop_);
        LLVMPositionBuilderAtEnd(builder_, loop_);
        phase_ = LLVMBuildPhi(builder_, count_, "");
        LLVMValueRef first = whole(0);
        LLVMAddIncoming(phase_, &first, &entry_, 1);
    }

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
                keep(node, operation(entry));
            } else if (!values_.contains(node)) {
                const auto both = instructions_.sine_and_cosine(value(entry.a), room_);
                keep(*pair.sine, both.sine);
                keep(*pair.cosine, both.cosine);
            }
        }
    }

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
    static constexpr unsigned count_parameter = 7;

    /// The sine and the cosine of the same.
    struct Pair {
        std::optional<Node> sine{}, cosine{};
    };

    /// A number in all lanes.
    LLVMValueRef everywhere(LLVMValueRef number) {
        if (lanes_ == 1) {
            return number;
        }
        LLVMValueRef vector = LLVMGetUndef(vector_);
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            vector = LLVMBuildInsertElement(builder_, vector, number, whole(lane), "");
        }
        return vector;
    }

    /// A node that is fixed, computed once before the loop.
    LLVMValueRef before_loop(Node node) {
        LLVMPositionBuilderBefore(builder_, LLVMGetBasicBlockTerminator(entry_));
        LLVMValueRef made = nullptr;
        for (const Node part : source_.graph.parts(std::span(&node, 1))) {
            const auto& entry = source_.graph[part];
            if (values_.contains(part)) {
                continue;
            }
            if (entry.op == Op::constant) {
                made = instructions_.constant(entry.value);
            } else if (entry.op == Op::symbol) {
                const LLVMValueRef input = offset(input_parameter, whole(source_.places[entry.symbol].index));
                made = everywhere(LLVMBuildLoad2(builder_, number_, input, ""));
            } else {
                made = operation(entry);
            }
            values_.emplace(part, made);
        }
        LLVMPositionBuilderAtEnd(builder_, loop_);
        return made;
    }

    /// Fixed, tabulated, a symbol, or made by an earlier piece.
    LLVMValueRef given(Node node) override {
        const auto& entry = source_.graph[node];
        if (entry.fixed) {
            return before_loop(node);
        }
        if (const auto row = tabulated_.find(node); row != tabulated_.end()) {
            return load(table_parameter, row->second);
        }
        if (entry.op != Op::symbol) {
            return carried(node);
        }
        const Place& place = source_.places[entry.symbol];
        return place.array == Place::Array::time ? time_ : load(static_cast<unsigned>(place.array), place.index);
    }

    /// Of a row of m numbers, from the current phase.
    LLVMValueRef element(unsigned parameter, std::size_t row) override {
        const LLVMValueRef start = LLVMBuildMul(builder_, LLVMGetParam(function_, count_parameter), whole(row), "");
        const LLVMValueRef first = offset(parameter, LLVMBuildAdd(builder_, start, phase_, ""));
        return LLVMBuildBitCast(builder_, first, LLVMPointerType(vector_, 0), "");
    }

    const Rows& tabulated_;
    std::size_t lanes_;
    LLVMBasicBlockRef loop_ = nullptr;
    LLVMValueRef phase_ = nullptr, step_ = nullptr, last_ = nullptr, time_ = nullptr;
    LLVMValueRef room_ = nullptr;  // for a sine and a cosine
};

}  // namespace lento::model
