#include "model/phase_code.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "model/jit.hpp"
#include "model/phase_loop.hpp"

namespace lento::model {
namespace {

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
