/// Evaluates a `PhaseProgram` without a compiler, eight lanes at a time and to the bit as compiled code does
/// (`phase_code.hpp`), in about twice the time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/library.hpp"
#include "model/phase_program.hpp"

namespace lento::model {

/// Immutable: any thread may call it. Nothing is allocated but a buffer a thread, which grows once.
class PhaseInterpreter {
public:
    explicit PhaseInterpreter(const PhaseProgram& program);

    /// Fills the table of what depends on phases and inputs alone.
    void tabulate(const PhaseArrays& arrays) const { table_.run(arrays, lanes_); }
    /// The results, from the table in place of the phases.
    void at_table(const PhaseArrays& arrays) const { main_.run(arrays, lanes_); }

private:
    using Slot = std::uint32_t;  // a register of eight numbers
    using Rows = std::unordered_map<Node, std::uint32_t>;
    struct Constant {
        Slot to;
        double value;
    };
    /// A row of an array of m numbers; or an input, which is the same in all lanes.
    struct Load {
        Slot to;
        Place from;
    };
    /// An operation by itself on each lane, a call of a vector function, or a call that puts a sine where `to` says and
    /// a cosine where `b` says.
    enum class Form : std::uint8_t { by_lane, call, sine_and_cosine };
    struct Step {
        Form form;
        Op op;
        Slot to, a, b;
        void* function = nullptr;
    };
    struct Store {
        Slot from;
        std::size_t row;
    };

    /// A straight line of steps.
    class Part {
    public:
        /// Computes `results` by `operations` from symbols, and from what stands in rows of the table.
        Part(const PhaseProgram& program, const std::vector<Node>& operations, const std::vector<Node>& results,
             const Rows& tabulated, std::size_t lanes);
        void run(const PhaseArrays& arrays, std::size_t lanes) const;

    private:
        class Allocation;

        void add_givens(const FunctionGraph& source, const std::vector<Node>& operations,
                        const std::vector<Node>& results, const Rows& tabulated, const Library& library,
                        Allocation& at);
        void add_steps(const PhaseProgram& program, const std::vector<Node>& operations,
                       const std::vector<Node>& results, const Library& library, Allocation& at);
        static Step step(const Graph::Entry& entry, const Library& library, const Allocation& at);

        std::vector<Constant> constants_;  // and inputs and steps that are the same for all lanes, once a call
        std::vector<Load> inputs_, loads_;
        std::vector<Step> fixed_, steps_;
        std::vector<Store> stores_;
        Slot slots_ = 0;
    };

    static Rows rows_of(const std::vector<Node>& table);
    /// Takes steps, with the instructions that a machine has whose widest vectors are these; and so written for each.
    static void perform(const std::vector<Step>& steps, std::size_t lanes, Octet* values);
    static void perform_any(const std::vector<Step>& steps, std::size_t lanes, Octet* values);
    static void perform_by_eight(const std::vector<Step>& steps, Octet* values);
    static void perform_by_four(const std::vector<Step>& steps, Octet* values);

    std::size_t lanes_;  // of the vector library
    Part table_, main_;
};

}  // namespace lento::model
