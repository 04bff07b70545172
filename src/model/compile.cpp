#include "model/compile.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/jit.hpp"

namespace lento::model {
namespace {

using jit::llvm;

/// How a function takes its arguments: arrays to read and to fill; with one more array, for a piece of a function; or
/// numbers and a number returned.
enum class Form { arrays, piece, numbers };

class FunctionWriter final : public jit::Writer {
public:
    FunctionWriter(Form form, LLVMModuleRef module, const std::string& name, const FunctionGraph& source,
                   const jit::Cut& plan)
        : Writer(module, source, plan, 1, result_parameter), form_(form) {
        const LLVMTypeRef array = llvm().PointerType(number_, 0);
        const LLVMTypeRef self = llvm().PointerType(llvm().Int8TypeInContext(context_), 0);
        if (form == Form::numbers) {
            std::array<LLVMTypeRef, 6> types{self, number_, number_, number_, number_, array};
            begin(module, name, number_, types);
        } else {
            std::array<LLVMTypeRef, 8> types{self, array, array, number_, array, array, array, array};
            begin(module, name, llvm().VoidTypeInContext(context_),
                  std::span(types).first(form == Form::piece ? types.size() : types.size() - 1));
        }
    }

    /// Computes the nodes of one piece; stores what later pieces need.
    void compute(std::span<const Node> nodes) {
        for (const Node node : nodes) {
            keep(node, operation(source_.graph[node]));
        }
    }
    void finish() { llvm().BuildRetVoid(builder_); }
    void give_back(Node node) { llvm().BuildRet(builder_, value(node)); }

private:
    static constexpr unsigned result_parameter = 6;

    LLVMValueRef given(Node node) override {
        const auto& entry = source_.graph[node];
        return entry.op == Op::constant ? instructions_.constant(entry.value)
               : entry.op == Op::symbol ? argument(source_.places[entry.symbol])
                                        : carried(node);
    }
    LLVMValueRef element(unsigned parameter, std::size_t index) override { return offset(parameter, whole(index)); }

    LLVMValueRef argument(const Place& place) {
        // NOTE: behind the first parameter, which is not used, they are in the order of Place::Array.
        const unsigned parameter = 1 + static_cast<unsigned>(place.array);
        const bool is_number =
            place.array == Place::Array::time || (form_ == Form::numbers && place.array != Place::Array::input);
        return is_number ? llvm().GetParam(function_, parameter) : load(parameter, place.index);
    }

    Form form_;
};

}  // namespace

bool fits_in_numbers(const FunctionGraph& source) {
    const auto parts = source.graph.parts(source.results);
    const auto fits = [&](Node node) {
        const auto& entry = source.graph[node];
        return entry.op != Op::symbol || source.places[entry.symbol].array == Place::Array::input ||
               source.places[entry.symbol].index == 0;
    };
    return source.results.size() == 1 && parts.size() < jit::longest_whole && std::ranges::all_of(parts, fits);
}

/// The pieces of a long function, one after the other.
struct CompiledFunction::Chunks {
    using Piece = void (*)(const void* self, const double*, const double*, double, const double*, const double*,
                           double* result, double* carried);
    std::vector<Piece> pieces{};
    std::size_t carried = 0;  ///< numbers that pass from piece to piece

    static void run(const void* self, const double* x, const double* v, double t, const double* theta,
                    const double* inputs, double* result) {
        const auto& chunks = *static_cast<const Chunks*>(self);
        // NOTE: one buffer a thread, which grows once: the function stays free of allocation and of shared state.
        thread_local std::vector<double> carried;
        if (carried.size() < chunks.carried) {
            carried.resize(chunks.carried);
        }
        for (const Piece piece : chunks.pieces) {
            piece(self, x, v, t, theta, inputs, result, carried.data());
        }
    }
};

CompiledFunction::CompiledFunction(const FunctionGraph& source) {
    std::vector<Node> operations = source.graph.parts(source.results);
    std::erase_if(operations, [&](Node node) { return is_leaf(source.graph[node].op); });
    const jit::Cut plan = jit::cut(source.graph, operations, source.results);
    const Form form = plan.pieces.size() == 1 ? Form::arrays : Form::piece;
    const auto machine = std::make_shared<jit::Machine>(jit::effort_for(operations.size() + source.results.size()));
    machine_ = machine;

    const auto name = [](std::size_t piece) { return fmt::format("lento_part_{}", piece); };
    jit::write_pieces(plan, source.results, [&](std::size_t piece) {
        return FunctionWriter(form, machine->module(), name(piece), source, plan);
    });
    const bool is_scalar = fits_in_numbers(source);
    if (is_scalar) {
        FunctionWriter writer(Form::numbers, machine->module(), "lento_scalar", source, plan);
        writer.compute(plan.pieces.front().operations);
        writer.give_back(source.results[0]);
    }

    machine->finish();
    if (form == Form::arrays) {
        entry_ = machine->function<Entry>(name(0));
    } else {
        Chunks chunks{.carried = plan.carried.size()};
        for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
            chunks.pieces.push_back(machine->function<Chunks::Piece>(name(piece)));
        }
        chunks_ = std::make_shared<const Chunks>(std::move(chunks));
        entry_ = Chunks::run;
    }
    scalar_ = is_scalar ? machine->function<Scalar>("lento_scalar") : nullptr;
}

}  // namespace lento::model
