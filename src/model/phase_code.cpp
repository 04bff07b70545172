#include "model/phase_code.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "model/jit.hpp"

namespace lento::model {
namespace {

using jit::llvm;

/// Which row a value stands in, by node.
using Rows = std::unordered_map<Node, std::size_t>;

/// One function that goes through m phases, some `lanes` at once, in LLVM's instructions:
///
///     for (k = 0;; k = min(k + lanes, m - lanes)) { ...; if (k == m - lanes) return; }
///
/// The last vector overlaps the one before rather than reach beyond the end; m is at least `lanes`. Its parameters are
/// arrays of rows of m numbers, and inputs, one number each for all phases: positions, velocities, times, phases (or
/// what was tabulated of them), inputs, results, values carried, m. What depends on inputs alone is computed before the
/// loop.
class PhaseLoop final : public jit::Writer {
public:
    /// Values of `tabulated` nodes stand in the rows of phases; the rest of the phases is then not read.
    PhaseLoop(LLVMModuleRef module, const std::string& name, std::size_t lanes, const PhaseProgram& program,
              const Rows& tabulated, const jit::Cut& plan)
        : Writer(module, program.source, plan, lanes, result_parameter),
          program_(program),
          tabulated_(tabulated),
          lanes_(lanes) {
        const LLVMTypeRef array = llvm().PointerType(number_, 0);
        std::array<LLVMTypeRef, 8> types{array, array, array, array, array, array, array, count_};
        begin(module, name, llvm().VoidTypeInContext(context_), types);
        loop_ = llvm().AppendBasicBlockInContext(context_, function_, "loop");
        room_ = llvm().BuildArrayAlloca(builder_, vector_, whole(2), "");
        step_ = whole(lanes_);
        last_ = llvm().BuildSub(builder_, llvm().GetParam(function_, count_parameter), step_, "");
        llvm().BuildBr(builder_, loop_);
        llvm().PositionBuilderAtEnd(builder_, loop_);
        phase_ = llvm().BuildPhi(builder_, count_, "");
        LLVMValueRef first = whole(0);
        llvm().AddIncoming(phase_, &first, &entry_, 1);
    }

    /// Computes the nodes of one piece; stores what later pieces need.
    void compute(std::span<const Node> nodes) {
        for (const Node node : nodes) {
            const auto& entry = source_.graph[node];
            const auto partner = program_.partners.find(node);
            if (partner == program_.partners.end()) {
                keep(node, operation(entry));
            } else if (!values_.contains(node)) {
                const auto both = instructions_.sine_and_cosine(value(entry.a), room_);
                const bool is_sine = entry.op == Op::sin;
                keep(node, is_sine ? both.sine : both.cosine);
                if (plan_.piece_of.at(partner->second) == plan_.piece_of.at(node)) {
                    keep(partner->second, is_sine ? both.cosine : both.sine);
                }
            }
        }
    }

    void finish() {
        const LLVMValueRef next = llvm().BuildAdd(builder_, phase_, step_, "");
        const LLVMValueRef beyond = llvm().BuildICmp(builder_, LLVMIntUGT, next, last_, "");
        LLVMValueRef following = llvm().BuildSelect(builder_, beyond, last_, next, "");
        const LLVMValueRef done = llvm().BuildICmp(builder_, LLVMIntEQ, phase_, last_, "");
        LLVMBasicBlockRef end = llvm().AppendBasicBlockInContext(context_, function_, "end");
        llvm().BuildCondBr(builder_, done, end, loop_);
        llvm().AddIncoming(phase_, &following, &loop_, 1);
        llvm().PositionBuilderAtEnd(builder_, end);
        llvm().BuildRetVoid(builder_);
    }

private:
    // NOTE: the first parameters are in the order of Place::Array.
    static constexpr unsigned table_parameter = static_cast<unsigned>(Place::Array::phase);
    static constexpr unsigned input_parameter = static_cast<unsigned>(Place::Array::input);
    static constexpr unsigned result_parameter = 5;
    static constexpr unsigned count_parameter = 7;

    /// A number in all lanes.
    LLVMValueRef everywhere(LLVMValueRef number) {
        if (lanes_ == 1) {
            return number;
        }
        LLVMValueRef vector = llvm().GetUndef(vector_);
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
            vector = llvm().BuildInsertElement(builder_, vector, number, whole(lane), "");
        }
        return vector;
    }

    /// A node that is fixed, computed once before the loop.
    LLVMValueRef before_loop(Node node) {
        llvm().PositionBuilderBefore(builder_, llvm().GetBasicBlockTerminator(entry_));
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
                made = everywhere(llvm().BuildLoad2(builder_, number_, input, ""));
            } else {
                made = operation(entry);
            }
            values_.emplace(part, made);
        }
        llvm().PositionBuilderAtEnd(builder_, loop_);
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
        return load(static_cast<unsigned>(place.array), place.index);
    }

    /// Of a row of m numbers, from the current phase.
    LLVMValueRef element(unsigned parameter, std::size_t row) override {
        const LLVMValueRef start =
            llvm().BuildMul(builder_, llvm().GetParam(function_, count_parameter), whole(row), "");
        const LLVMValueRef first = offset(parameter, llvm().BuildAdd(builder_, start, phase_, ""));
        return llvm().BuildBitCast(builder_, first, llvm().PointerType(vector_, 0), "");
    }

    const PhaseProgram& program_;
    const Rows& tabulated_;
    std::size_t lanes_;
    LLVMBasicBlockRef loop_ = nullptr;
    LLVMValueRef phase_ = nullptr, step_ = nullptr, last_ = nullptr;
    LLVMValueRef room_ = nullptr;  // for a sine and a cosine
};

/// The rows of an array that results are computed from.
std::size_t rows_read(const FunctionGraph& source, Place::Array array) {
    std::size_t count = 0;
    for (const Node node : source.graph.parts(source.results)) {
        const auto& entry = source.graph[node];
        if (entry.op == Op::symbol && source.places[entry.symbol].array == array) {
            count = std::max<std::size_t>(count, source.places[entry.symbol].index + 1);
        }
    }
    return count;
}

/// One buffer a thread, which grows once.
double* buffer(std::size_t size) {
    thread_local std::vector<double> numbers;
    numbers.resize(std::max(numbers.size(), size));
    return numbers.data();
}

}  // namespace

PhaseCode::PhaseCode(const PhaseProgram& program, std::size_t lanes) : lanes_(lanes) {
    const FunctionGraph& source = program.source;
    Rows tabulated;
    for (std::size_t row = 0; row < program.table.size(); ++row) {
        tabulated.emplace(program.table[row], row);
    }

    // NOTE: the graph is simplified already: without LLVM's passes compiling takes half the time, and code is as fast.
    const jit::Effort effort{jit::effort_for(program.operations() + source.results.size()).level, "default<O0>"};
    const auto machine = std::make_shared<jit::Machine>(effort, vector_library(lanes_));
    machine_ = machine;
    const auto piece_name = [](std::string_view name, std::size_t piece) { return fmt::format("{}_{}", name, piece); };
    // Writes the pieces of a function that computes `results` by `operations` from what is tabulated and from symbols.
    const auto write = [&](std::string_view name, std::span<const Node> operations, std::span<const Node> results,
                           const Rows& known) -> Function {
        const jit::Cut plan = jit::cut(source.graph, operations, results);
        jit::write_pieces(plan, results, [&](std::size_t piece) {
            return PhaseLoop(machine->module(), piece_name(name, piece), lanes_, program, known, plan);
        });
        return {.pieces = std::vector<Entry>(plan.pieces.size()),
                .results = results.size(),
                .carried = plan.carried.size()};
    };
    const auto find = [&](Function& made, std::string_view name) {
        for (std::size_t piece = 0; piece < made.pieces.size(); ++piece) {
            made.pieces[piece] = machine->function<Entry>(piece_name(name, piece));
        }
    };
    tabulated_ = write("table", program.inside, program.table, {});
    main_ = write("main", program.rest, source.results, tabulated);
    machine->finish();
    find(tabulated_, "table");
    find(main_, "main");

    main_.x = rows_read(source, Place::Array::position);
    main_.v = rows_read(source, Place::Array::velocity);
    main_.t = rows_read(source, Place::Array::time);
    main_.phases = program.table.size();
    tabulated_.phases = rows_read(source, Place::Array::phase);
}

void PhaseCode::run(const Function& function, const PhaseArrays& arrays) const {
    const auto& [pieces, x_rows, v_rows, t_rows, phase_rows, result_rows, carried_rows] = function;
    const auto& [m, x, v, t, phases, inputs, result] = arrays;
    double* spare = buffer((x_rows + v_rows + t_rows + phase_rows + result_rows + carried_rows) * std::max(m, lanes_));
    if (m >= lanes_) [[likely]] {
        for (const Entry piece : pieces) {
            piece(x, v, t, phases, inputs, result, spare, m);
        }
        return;
    }
    if (m == 0) {
        return;
    }
    // Fewer phases than lanes: on a copy in which the last phase stands in for those that are missing.
    double* const carried = spare;
    spare += carried_rows * lanes_;
    const auto widened = [&](const double* from, std::size_t rows) {
        double* const to = spare;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t k = 0; k < lanes_; ++k) {
                *spare++ = from[row * arrays.m + std::min(k, arrays.m - 1)];
            }
        }
        return to;
    };
    const double* const wide_x = widened(x, x_rows);
    const double* const wide_v = widened(v, v_rows);
    const double* const wide_t = widened(t, t_rows);
    const double* const wide_phases = widened(phases, phase_rows);
    for (const Entry piece : pieces) {
        piece(wide_x, wide_v, wide_t, wide_phases, inputs, spare, carried, lanes_);
    }
    for (std::size_t row = 0; row < result_rows; ++row) {
        std::copy_n(spare + row * lanes_, m, result + row * m);
    }
}

}  // namespace lento::model
