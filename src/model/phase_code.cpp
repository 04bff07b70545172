#include "model/phase_code.hpp"

#include <algorithm>
#include <array>
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
    std::vector<Node> inside{};  // in ascending order; what is fixed is neither here nor there
    std::vector<Node> table{};
    std::vector<Node> rest{};  // operations that depend on more
};

PhasePart phase_part(const TaylorGraph& source) {
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
            part.inside.push_back(node);
        } else if (!is_leaf(entry.op)) {
            part.rest.push_back(node);
            need(entry.a);
            need(entry.b);
        }
    }
    std::ranges::for_each(source.results, need);
    return part;
}

/// The rows of each array that a function reads, by what it computes with; of inputs how many.
struct RowsRead {
    std::array<std::size_t, 5> of{};  // by Place::Array

    RowsRead(const TaylorGraph& source, std::span<const Node> nodes) {
        for (const Node node : nodes) {
            const auto& entry = source.graph[node];
            if (entry.op == Op::symbol) {
                const Place& place = source.places[entry.symbol];
                auto& count = of[static_cast<std::size_t>(place.array)];
                count = std::max<std::size_t>(count, place.index + 1);
            }
        }
    }
    std::size_t operator[](Place::Array array) const { return of[static_cast<std::size_t>(array)]; }
};

/// One buffer a thread, which grows once.
double* buffer(std::size_t size) {
    thread_local std::vector<double> numbers;
    if (numbers.size() < size) {
        numbers.resize(size);
    }
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

struct PhaseCode::Compiler {
    jit::Machine& machine;
    std::size_t lanes;
    const TaylorGraph& source;

    static std::string piece_name(std::string_view name, std::size_t piece) {
        return fmt::format("{}_{}", name, piece);
    }

    /// Writes the pieces of a function that computes `results` by `operations` from what is tabulated and from symbols.
    Function write(std::string_view name, std::span<const Node> operations, std::span<const Node> results,
                   const Rows& tabulated) const {
        const jit::Cut plan = jit::cut(source.graph, operations);
        jit::write_pieces(plan, results, [&](std::size_t piece) {
            return PhaseLoop(machine.module(), piece_name(name, piece), lanes, source, tabulated, plan);
        });
        return {.pieces = std::vector<Entry>(plan.pieces.size()),
                .results = results.size(),
                .carried = plan.carried.size()};
    }

    void find(Function& function, std::string_view name) const {
        for (std::size_t piece = 0; piece < function.pieces.size(); ++piece) {
            function.pieces[piece] = reinterpret_cast<Entry>(machine.address(piece_name(name, piece)));
        }
    }
};

PhaseCode::PhaseCode(const Graph& graph, std::span<const Node> results, std::span<const Place> places,
                     std::size_t dimension, int degree, Lanes lanes)
    : lanes_(static_cast<std::size_t>(lanes)) {
    const TaylorGraph source = taylor(graph, results, places, dimension, degree);
    const PhasePart part = phase_part(source);
    operations_ = part.rest.size();
    table_rows_ = part.table.size();
    Rows tabulated;
    for (std::size_t row = 0; row < part.table.size(); ++row) {
        tabulated.emplace(part.table[row], row);
    }
    std::vector<Node> before = part.inside;
    std::erase_if(before, [&](Node node) { return is_leaf(source.graph[node].op); });

    // NOTE: the graph is simplified already: without LLVM's passes compiling takes half the time, and the code runs as fast.
    const jit::Effort effort{jit::effort_for(operations_ + before.size()).level, "default<O0>"};
    machine_ = std::make_unique<jit::Machine>(effort, jit::vector_library(lanes_));
    const Compiler compiler{*machine_, lanes_, source};
    tabulated_ = compiler.write("table", before, part.table, {});
    main_ = compiler.write("main", part.rest, source.results, tabulated);
    machine_->finish();
    compiler.find(tabulated_, "table");
    compiler.find(main_, "main");

    const RowsRead rows(source, source.graph.parts(source.results));
    main_.x = rows[Place::Array::position];
    main_.v = rows[Place::Array::velocity];
    main_.phases = table_rows_;
    tabulated_.phases = rows[Place::Array::phase];
    table_inputs_ = RowsRead(source, source.graph.parts(part.table))[Place::Array::input];
}

void PhaseCode::operator()(std::size_t m, double t, const double* x, const double* v, const double* theta,
                           const double* inputs, double* result) const {
    const std::size_t columns = std::max(m, lanes_);
    const std::size_t spare_rows = std::max(tabulated_.spare_rows(), main_.spare_rows());
    double* const table = buffer((table_rows_ + spare_rows) * columns);
    double* const spare = table + table_rows_ * columns;
    if (table_rows_ > 0) {
        run(tabulated_, m, t, nullptr, nullptr, theta, inputs, table, spare);
    }
    run(main_, m, t, x, v, table, inputs, result, spare);
}

void PhaseCode::tabulate(std::size_t m, const double* theta, const double* inputs, double* table) const {
    if (table_rows_ > 0) {
        run(tabulated_, m, 0, nullptr, nullptr, theta, inputs, table,
            buffer(tabulated_.spare_rows() * std::max(m, lanes_)));
    }
}

void PhaseCode::at_table(std::size_t m, double t, const double* x, const double* v, const double* table,
                         const double* inputs, double* result) const {
    run(main_, m, t, x, v, table, inputs, result, buffer(main_.spare_rows() * std::max(m, lanes_)));
}

void PhaseCode::run(const Function& function, std::size_t m, double t, const double* x, const double* v,
                    const double* phases, const double* inputs, double* result, double* spare) const {
    if (m >= lanes_) [[likely]] {
        for (const Entry piece : function.pieces) {
            piece(x, v, t, phases, inputs, result, spare, m);
        }
        return;
    }
    if (m == 0) {
        return;
    }
    // Fewer phases than lanes: on a copy in which the last phase stands in for those that are missing.
    double* const carried = spare;
    spare += function.carried * lanes_;
    const auto widened = [&](const double* from, std::size_t rows) {
        double* const to = spare;
        for (std::size_t row = 0; row < rows; ++row) {
            for (std::size_t k = 0; k < lanes_; ++k) {
                *spare++ = from[row * m + std::min(k, m - 1)];
            }
        }
        return to;
    };
    const double* const wide_x = widened(x, function.x);
    const double* const wide_v = widened(v, function.v);
    const double* const wide_phases = widened(phases, function.phases);
    for (const Entry piece : function.pieces) {
        piece(wide_x, wide_v, t, wide_phases, inputs, spare, carried, lanes_);
    }
    for (std::size_t row = 0; row < function.results; ++row) {
        std::copy_n(spare + row * lanes_, m, result + row * m);
    }
}

PhaseCode::~PhaseCode() = default;
PhaseCode::PhaseCode(PhaseCode&&) noexcept = default;
PhaseCode& PhaseCode::operator=(PhaseCode&&) noexcept = default;

}  // namespace lento::model
