#include "model/phase_code.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "model/jit.hpp"
#include "model/taylor.hpp"

namespace lento::model {
namespace {

/// Which row a value stands in, by node.
using Rows = std::unordered_map<Node, std::size_t>;

/// One function that goes through m phases, some `lanes` at once, in LLVM's instructions:
///
///     for (k = 0;; k = min(k + lanes, m - lanes)) { ...; if (k == m - lanes) return; }
///
/// The last vector overlaps the one before rather than reach beyond the end; m is at least `lanes`. Its parameters are
/// arrays of rows of m numbers, the time, and inputs, one number each for all phases: positions, velocities, time,
/// phases (or what was tabulated of them), inputs, results, values carried, m. What depends on inputs alone is computed
/// before the loop.
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

/// What depends on phases alone, and which of it the rest needs.
struct PhasePart {
    std::vector<Node> inside{};  // operations in ascending order; what is fixed is neither here nor there
    std::vector<Node> table{};
    std::vector<Node> rest{};  // operations that depend on more
};

PhasePart phase_part(const FunctionGraph& source) {
    const Graph& graph = source.graph;
    PhasePart part;
    std::unordered_set<Node> inside, in_table;
    const auto need = [&](Node node) {
        if (inside.contains(node) && in_table.insert(node).second) {
            part.table.push_back(node);
        }
    };
    const auto belongs = [&](Node node) { return inside.contains(node) || graph.is_fixed(node); };
    for (const Node node : graph.parts(source.results)) {
        const auto& entry = graph[node];
        if (entry.fixed) {
            continue;
        }
        if (entry.op == Op::symbol ? source.places[entry.symbol].array == Place::Array::phase
                                   : belongs(entry.a) && belongs(entry.b)) {
            inside.insert(node);
            if (!is_leaf(entry.op)) {
                part.inside.push_back(node);
            }
        } else if (!is_leaf(entry.op)) {
            part.rest.push_back(node);
            need(entry.a);
            need(entry.b);
        }
    }
    std::ranges::for_each(source.results, need);
    return part;
}

/// The rows of an array, or how many inputs, that results are computed from.
std::size_t rows_read(const FunctionGraph& source, std::span<const Node> results, Place::Array array) {
    std::size_t count = 0;
    for (const Node node : source.graph.parts(results)) {
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

Lanes widest_lanes() {
    for (const Lanes lanes : {Lanes::eight, Lanes::four}) {
        if (!jit::vector_library(static_cast<std::size_t>(lanes)).functions.empty()) {
            return lanes;
        }
    }
    return Lanes::two;
}

PhaseCode::PhaseCode(const FunctionGraph& function, std::size_t dimension, int degree, Lanes lanes)
    : lanes_(static_cast<std::size_t>(lanes)) {
    const FunctionGraph source = taylor(function, dimension, degree);
    const PhasePart part = phase_part(source);
    operations_ = part.rest.size();
    table_rows_ = part.table.size();
    Rows tabulated;
    for (std::size_t row = 0; row < part.table.size(); ++row) {
        tabulated.emplace(part.table[row], row);
    }

    // NOTE: the graph is simplified already: without LLVM's passes compiling takes half the time, and code is as fast.
    const jit::Effort effort{jit::effort_for(operations_ + part.inside.size()).level, "default<O0>"};
    const auto machine = std::make_shared<jit::Machine>(effort, jit::vector_library(lanes_));
    machine_ = machine;
    const auto piece_name = [](std::string_view name, std::size_t piece) { return fmt::format("{}_{}", name, piece); };
    // Writes the pieces of a function that computes `results` by `operations` from what is tabulated and from symbols.
    const auto write = [&](std::string_view name, std::span<const Node> operations, std::span<const Node> results,
                           const Rows& known) -> Function {
        const jit::Cut plan = jit::cut(source.graph, operations);
        jit::write_pieces(plan, results, [&](std::size_t piece) {
            return PhaseLoop(machine->module(), piece_name(name, piece), lanes_, source, known, plan);
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
    tabulated_ = write("table", part.inside, part.table, {});
    main_ = write("main", part.rest, source.results, tabulated);
    machine->finish();
    find(tabulated_, "table");
    find(main_, "main");

    main_.x = rows_read(source, source.results, Place::Array::position);
    main_.v = rows_read(source, source.results, Place::Array::velocity);
    main_.phases = table_rows_;
    tabulated_.phases = rows_read(source, source.results, Place::Array::phase);
    table_inputs_ = rows_read(source, part.table, Place::Array::input);
}

void PhaseCode::tabulate(std::size_t m, const double* theta, const double* inputs, double* table) const {
    if (table_rows_ > 0) {
        run(tabulated_, m, 0, nullptr, nullptr, theta, inputs, table);
    }
}

void PhaseCode::at_table(std::size_t m, double t, const double* x, const double* v, const double* table,
                         const double* inputs, double* result) const {
    run(main_, m, t, x, v, table, inputs, result);
}

void PhaseCode::run(const Function& function, std::size_t m, double t, const double* x, const double* v,
                    const double* phases, const double* inputs, double* result) const {
    const auto& [pieces, x_rows, v_rows, phase_rows, result_rows, carried_rows] = function;
    double* spare = buffer((x_rows + v_rows + phase_rows + result_rows + carried_rows) * std::max(m, lanes_));
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
                *spare++ = from[row * m + std::min(k, m - 1)];
            }
        }
        return to;
    };
    const double* const wide_x = widened(x, x_rows);
    const double* const wide_v = widened(v, v_rows);
    const double* const wide_phases = widened(phases, phase_rows);
    for (const Entry piece : pieces) {
        piece(wide_x, wide_v, t, wide_phases, inputs, spare, carried, lanes_);
    }
    for (std::size_t row = 0; row < result_rows; ++row) {
        std::copy_n(spare + row * lanes_, m, result + row * m);
    }
}

}  // namespace lento::model
