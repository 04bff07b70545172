#include "model/compile.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "model/jit.hpp"

namespace lento::model {
namespace {

/// How a function takes its arguments: arrays to read and to fill; with one more array, for a piece of a function; or
/// numbers and a number returned.
enum class Form { arrays, piece, numbers };

/// Writes one function into a module.
class FunctionWriter {
public:
    FunctionWriter(Form form, LLVMModuleRef module, const std::string& name, const Graph& graph,
                   std::span<const Place> places, const jit::Cut& plan)
        : form_(form),
          context_(LLVMGetModuleContext(module)),
          graph_(graph),
          places_(places),
          plan_(plan),
          number_(LLVMDoubleTypeInContext(context_)),
          builder_(LLVMCreateBuilderInContext(context_)),
          instructions_(module, builder_, number_, jit::scalar_library()) {
        const LLVMTypeRef array = LLVMPointerType(number_, 0);
        const LLVMTypeRef self = LLVMPointerType(LLVMInt8TypeInContext(context_), 0);
        if (form == Form::numbers) {
            std::array<LLVMTypeRef, 6> types{self, number_, number_, number_, number_, array};
            function_ = LLVMAddFunction(module, name.c_str(), LLVMFunctionType(number_, types.data(), types.size(), 0));
        } else {
            std::array<LLVMTypeRef, 8> types{self, array, array, number_, array, array, array, array};
            const unsigned count = form == Form::piece ? types.size() : types.size() - 1;
            function_ = LLVMAddFunction(module, name.c_str(),
                                        LLVMFunctionType(LLVMVoidTypeInContext(context_), types.data(), count, 0));
            jit::add_attribute(function_, 1 + result_parameter, "noalias");
            if (form == Form::piece) {
                jit::add_attribute(function_, 1 + carried_parameter, "noalias");
            }
        }
        jit::add_attribute(function_, LLVMAttributeFunctionIndex, "nounwind");
        LLVMPositionBuilderAtEnd(builder_, LLVMAppendBasicBlockInContext(context_, function_, "entry"));
    }
    ~FunctionWriter() { LLVMDisposeBuilder(builder_); }
    FunctionWriter(const FunctionWriter&) = delete;
    FunctionWriter& operator=(const FunctionWriter&) = delete;

    /// Computes the nodes of one piece; stores what later pieces need.
    void compute(std::span<const Node> nodes) {
        for (const Node node : nodes) {
            const auto& entry = graph_[node];
            const LLVMValueRef a = value(entry.a);
            const LLVMValueRef made = instructions_.operation(entry.op, a, value(entry.b));
            values_.emplace(node, made);
            if (const auto place = plan_.carried.find(node); place != plan_.carried.end()) {
                LLVMBuildStore(builder_, made, element(carried_parameter, place->second));
            }
        }
    }
    void store_result(Node node, std::size_t index) {
        LLVMBuildStore(builder_, value(node), element(result_parameter, index));
    }
    void finish() { LLVMBuildRetVoid(builder_); }
    void give_back(Node node) { LLVMBuildRet(builder_, value(node)); }

private:
    static constexpr unsigned result_parameter = 6;
    static constexpr unsigned carried_parameter = 7;

    /// The value of a node: a constant, a symbol, made here, or made by an earlier piece.
    LLVMValueRef value(Node node) {
        if (const auto known = values_.find(node); known != values_.end()) {
            return known->second;
        }
        const auto& entry = graph_[node];
        LLVMValueRef found = nullptr;
        if (entry.op == Op::constant) {
            found = instructions_.constant(entry.value);
        } else if (entry.op == Op::symbol) {
            found = load(places_[entry.symbol]);
        } else {
            found = LLVMBuildLoad2(builder_, number_, element(carried_parameter, plan_.carried.at(node)), "");
        }
        values_.emplace(node, found);
        return found;
    }

    LLVMValueRef element(unsigned parameter, std::size_t index) {
        LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context_), index, 0);
        return LLVMBuildGEP2(builder_, number_, LLVMGetParam(function_, parameter), &offset, 1, "");
    }

    LLVMValueRef load(const Place& place) {
        // NOTE: behind the first parameter, which is not used, they are in the order of Place::Array.
        const unsigned parameter = 1 + static_cast<unsigned>(place.array);
        const bool is_number =
            place.array == Place::Array::time || (form_ == Form::numbers && place.array != Place::Array::input);
        return is_number ? LLVMGetParam(function_, parameter)
                         : LLVMBuildLoad2(builder_, number_, element(parameter, place.index), "");
    }

    Form form_;
    LLVMContextRef context_;
    const Graph& graph_;
    std::span<const Place> places_;
    const jit::Cut& plan_;
    std::unordered_map<Node, LLVMValueRef> values_;
    LLVMTypeRef number_;
    LLVMBuilderRef builder_;
    jit::Instructions instructions_;
    LLVMValueRef function_ = nullptr;
};

/// One result, of one coordinate and at most one phase.
bool fits_in_numbers(const Graph& graph, std::span<const Node> results, std::span<const Place> places) {
    if (results.size() != 1) {
        return false;
    }
    const auto parts = graph.parts(results);
    return parts.size() <= jit::chunk_length && std::all_of(parts.begin(), parts.end(), [&](Node node) {
               const auto& entry = graph[node];
               return entry.op != Op::symbol || places[entry.symbol].array == Place::Array::input ||
                      places[entry.symbol].index == 0;
           });
}

}  // namespace

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

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Node> results, std::span<const Place> places) {
    std::vector<Node> operations = graph.parts(results);
    std::erase_if(operations, [&](Node node) { return is_leaf(graph[node].op); });
    operations_ = operations.size();
    const jit::Cut plan = jit::cut(graph, operations);
    const Form form = plan.pieces.size() == 1 ? Form::arrays : Form::piece;
    machine_ = std::make_unique<jit::Machine>(jit::effort_for(operations_));

    const auto name = [](std::size_t piece) { return fmt::format("lento_part_{}", piece); };
    jit::write_pieces(plan, results, [&](std::size_t piece) {
        return FunctionWriter(form, machine_->module(), name(piece), graph, places, plan);
    });
    const bool is_scalar = fits_in_numbers(graph, results, places);
    if (is_scalar) {
        FunctionWriter writer(Form::numbers, machine_->module(), "lento_scalar", graph, places, plan);
        writer.compute(plan.pieces.front());
        writer.give_back(results[0]);
    }

    machine_->finish();
    if (form == Form::arrays) {
        entry_ = reinterpret_cast<Entry>(machine_->address(name(0)));
    } else {
        Chunks chunks{.carried = plan.carried.size()};
        for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
            chunks.pieces.push_back(reinterpret_cast<Chunks::Piece>(machine_->address(name(piece))));
        }
        chunks_ = std::make_unique<const Chunks>(std::move(chunks));
        entry_ = Chunks::run;
    }
    if (is_scalar) {
        scalar_ = reinterpret_cast<Scalar>(machine_->address("lento_scalar"));
    }
}

CompiledFunction::~CompiledFunction() = default;
CompiledFunction::CompiledFunction(CompiledFunction&&) noexcept = default;
CompiledFunction& CompiledFunction::operator=(CompiledFunction&&) noexcept = default;

}  // namespace lento::model
