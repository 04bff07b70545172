#include "model/phase_interpreter.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <unordered_set>

#include "model/evaluate.hpp"
#include "model/mapped.hpp"
#include "model/node_map.hpp"

namespace lento::model {
namespace {

/// One operation on eight numbers, each by itself. NOTE: inlined, so that it is compiled for the vectors of its caller.
[[gnu::always_inline]] inline void lane_by_lane(Op op, const Octet& a, const Octet& b, Octet& y) {
    using Lanes [[gnu::vector_size(sizeof(Octet))]] = double;
    Lanes left, right;
    std::memcpy(&left, &a, sizeof a);
    std::memcpy(&right, &b, sizeof b);
    switch (op) {
        case Op::add:
            left = left + right;
            break;
        case Op::subtract:
            left = left - right;
            break;
        case Op::multiply:
            left = left * right;
            break;
        case Op::divide:
            left = left / right;
            break;
        case Op::negate:
            left = -left;
            break;
        default:
            for (std::size_t k = 0; k < a.size(); ++k) {
                left[k] = apply(op, a[k], b[k]);
            }
    }
    std::memcpy(&y, &left, sizeof y);
}

/// The function of a library for an operation; null where it is not called.
void* function_of(const Library& library, Op op) {
    const auto* function = found(library.functions, op, &LibraryFunction::op);
    return function == nullptr ? nullptr : function->address;
}

/// Operations in another order in which each comes after its operands: equal ones that do not need each other stand
/// together, so that the processor can tell what comes next.
std::vector<Node> gathered(const Graph& graph, std::vector<Node> operations) {
    NodeMap<std::size_t> levels(operations.size());  // one above those of the operands
    const auto level = [&](Node node) {
        const auto* known = levels.find(node);
        return known == nullptr ? 0 : *known;
    };
    for (const Node node : operations) {
        levels.try_emplace(node, 1 + std::max(level(graph[node].a), level(graph[node].b)));
    }
    std::ranges::stable_sort(operations, {}, [&](Node node) { return std::pair(levels.at(node), graph[node].op); });
    return operations;
}

}  // namespace

/// Which slot each value has; those of values that nothing needs any more serve again.
class PhaseInterpreter::Part::Allocation {
public:
    Slot take(Node node) {
        Slot slot = next_;
        if (free_.empty()) {
            ++next_;
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        slots_.emplace(node, slot);
        return slot;
    }
    bool has(Node node) const { return slots_.contains(node); }
    Slot of(Node node) const { return slots_.at(node); }

    void use(Node node) { ++uses_[node]; }
    /// One use less; after the last one the slot is free.
    void release(Node node) {
        if (const auto left = uses_.find(node); left != uses_.end() && --left->second == 0) {
            free_.push_back(of(node));
        }
    }
    Slot slots() const { return next_; }

private:
    std::unordered_map<Node, Slot> slots_;
    std::unordered_map<Node, std::uint32_t> uses_;  // of values that do not stay
    std::vector<Slot> free_;
    Slot next_ = 0;
};

PhaseInterpreter::Part::Part(const PhaseProgram& program, const std::vector<Node>& unordered,
                             const std::vector<Node>& results, const Rows& tabulated, std::size_t lanes) {
    const std::vector<Node> operations = gathered(program.source.graph, unordered);
    Allocation at;
    add_givens(program.source, operations, results, tabulated, vector_library(lanes), at);
    add_steps(program, operations, results, vector_library(lanes), at);
    for (std::size_t row = 0; row < results.size(); ++row) {
        stores_.push_back({at.of(results[row]), row});
    }
    slots_ = at.slots();
}

/// What operations and results are made from: fixed nodes, with all that those are made from, and leaves.
void PhaseInterpreter::Part::add_givens(const FunctionGraph& source, const std::vector<Node>& operations,
                                        const std::vector<Node>& results, const Rows& tabulated, const Library& library,
                                        Allocation& at) {
    const Graph& graph = source.graph;
    std::vector<Node> fixed, leaves;
    std::unordered_set<Node> met(operations.begin(), operations.end());
    const auto need = [&](Node node) {
        if (met.insert(node).second) {
            (graph.is_fixed(node) ? fixed : leaves).push_back(node);
        }
    };
    for (const Node node : operations) {
        need(graph[node].a);
        need(graph[node].b);
    }
    std::ranges::for_each(results, need);
    for (const Node node : graph.parts(fixed)) {
        const auto& entry = graph[node];
        if (entry.op == Op::constant) {
            constants_.push_back({at.take(node), entry.value});
        } else if (entry.op == Op::symbol) {
            inputs_.push_back({at.take(node), source.places[entry.symbol]});
        } else {
            fixed_.push_back(step(entry, library, at));
            fixed_.back().to = at.take(node);
        }
    }
    for (const Node node : leaves) {
        const auto row = tabulated.find(node);
        loads_.push_back({at.take(node), row != tabulated.end() ? Place{Place::Array::phase, row->second}
                                                                : source.places[graph[node].symbol]});
    }
}

PhaseInterpreter::Step PhaseInterpreter::Part::step(const Graph::Entry& entry, const Library& library,
                                                    const Allocation& at) {
    void* const function = function_of(library, entry.op);
    return {function == nullptr ? Form::by_lane : Form::call, entry.op, 0, at.of(entry.a), at.of(entry.b), function};
}

void PhaseInterpreter::Part::add_steps(const PhaseProgram& program, const std::vector<Node>& operations,
                                       const std::vector<Node>& results, const Library& library, Allocation& at) {
    const Graph& graph = program.source.graph;
    const auto each_operand = [&](Node node, auto&& use) {
        for (const Node operand : {graph[node].a, graph[node].b}) {
            if (!graph.is_fixed(operand)) {  // those stay
                use(operand);
            }
        }
    };
    const auto use = [&](Node node) { at.use(node); };
    const auto release = [&](Node node) { at.release(node); };
    for (const Node node : operations) {
        each_operand(node, use);
    }
    std::ranges::for_each(results, use);  // never released
    for (const Node node : operations) {
        if (at.has(node)) {
            continue;  // made with its partner
        }
        // NOTE: the slot of an operand may become that of the result, which every step writes last.
        Step made = step(graph[node], library, at);
        each_operand(node, release);
        made.to = at.take(node);
        const auto partner = program.partners.find(node);
        if (partner != program.partners.end() && library.sine_and_cosine) {
            each_operand(partner->second, release);
            made.b = at.take(partner->second);
            if (graph[node].op == Op::cos) {
                std::swap(made.to, made.b);
            }
            made.form = Form::sine_and_cosine;
            made.function = library.sine_and_cosine->address;
        }
        steps_.push_back(made);
    }
}

[[gnu::always_inline]] inline void PhaseInterpreter::perform_any(const std::vector<Step>& steps, std::size_t lanes,
                                                                 Octet* values) {
    for (const auto& [form, op, to, a, b, function] : steps) {
        if (form == Form::by_lane) {
            lane_by_lane(op, values[a], values[b], values[to]);
        } else if (form == Form::sine_and_cosine) {
            call_sine_and_cosine(lanes, function, values[a], values[to], values[b]);
        } else if (is_binary(op)) {
            call_on(lanes, function, values[a], values[b], values[to]);
        } else {
            call_on(lanes, function, values[a], values[to]);
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void PhaseInterpreter::perform_by_eight(const std::vector<Step>& steps, Octet* values) {
    perform_any(steps, 8, values);
}
[[gnu::target("avx2")]] void PhaseInterpreter::perform_by_four(const std::vector<Step>& steps, Octet* values) {
    perform_any(steps, 4, values);
}
#else
void PhaseInterpreter::perform_by_eight(const std::vector<Step>&, Octet*) {}
void PhaseInterpreter::perform_by_four(const std::vector<Step>&, Octet*) {}
#endif

void PhaseInterpreter::perform(const std::vector<Step>& steps, std::size_t lanes, Octet* values) {
    lanes == 8   ? perform_by_eight(steps, values)
    : lanes == 4 ? perform_by_four(steps, values)
                 : perform_any(steps, lanes, values);
}

void PhaseInterpreter::Part::run(const PhaseArrays& arrays, std::size_t lanes) const {
    constexpr std::size_t width = std::tuple_size_v<Octet>;
    thread_local std::vector<Octet> registers;
    registers.resize(std::max<std::size_t>(registers.size(), slots_));
    Octet* const values = registers.data();
    for (const auto& [to, value] : constants_) {
        values[to].fill(value);
    }
    for (const auto& [to, from] : inputs_) {
        values[to].fill(arrays.inputs[from.index]);
    }
    perform(fixed_, lanes, values);
    const std::array<const double*, 4> rows{arrays.x, arrays.v, arrays.t, arrays.phases};  // as Place::Array
    const std::size_t m = arrays.m;
    for (std::size_t first = 0; first < m; first += width) {
        const std::size_t count = std::min(width, m - first);
        for (const auto& [to, from] : loads_) {
            const double* const row = rows[static_cast<std::size_t>(from.array)] + from.index * m + first;
            // NOTE: the last lane stands in for those that are missing.
            std::fill(std::copy_n(row, count, values[to].begin()), values[to].end(), row[count - 1]);
        }
        perform(steps_, lanes, values);
        for (const auto& [from, row] : stores_) {
            std::copy_n(values[from].begin(), count, arrays.result + row * m + first);
        }
    }
}

PhaseInterpreter::Rows PhaseInterpreter::rows_of(const std::vector<Node>& table) {
    Rows rows;
    for (std::uint32_t row = 0; row < table.size(); ++row) {
        rows.emplace(table[row], row);
    }
    return rows;
}

PhaseInterpreter::PhaseInterpreter(const PhaseProgram& program)
    : lanes_(widest_vectors()),
      table_(program, program.inside, program.table, {}, lanes_),
      main_(program, program.rest, program.source.results, rows_of(program.table), lanes_) {}

}  // namespace lento::model
