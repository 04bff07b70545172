#include "lento/model/compile.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "jit.hpp"

namespace lento::model {
namespace {

/// How a function takes its arguments: arrays to read and to fill, or numbers and a number returned.
enum class Form { arrays, numbers };

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
        if (form == Form::numbers) {
            std::array<LLVMTypeRef, 4> types{number_, number_, number_, number_};
            function_ = LLVMAddFunction(module, name.c_str(), LLVMFunctionType(number_, types.data(), types.size(), 0));
        } else {
            const LLVMTypeRef pointer = LLVMPointerType(number_, 0);
            std::array<LLVMTypeRef, 6> types{pointer, pointer, pointer, number_, pointer, pointer};
            function_ = LLVMAddFunction(
                module, name.c_str(), LLVMFunctionType(LLVMVoidTypeInContext(context_), types.data(), types.size(), 0));
            jit::add_attribute(function_, 1 + result_parameter, "noalias");
            jit::add_attribute(function_, 1 + carried_parameter, "noalias");
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
            const LLVMValueRef b = is_binary(entry.op) ? value(entry.b) : nullptr;
            const LLVMValueRef made = instructions_.operation(entry.op, a, b);
            const auto id = static_cast<std::uint32_t>(node);
            values_.emplace(id, made);
            if (const auto place = plan_.carried.find(id); place != plan_.carried.end()) {
                LLVMBuildStore(builder_, made, element(LLVMGetParam(function_, carried_parameter), place->second));
            }
        }
    }
    void store_result(Node node, std::size_t index) {
        LLVMBuildStore(builder_, value(static_cast<std::uint32_t>(node)),
                       element(LLVMGetParam(function_, result_parameter), index));
    }
    void finish() { LLVMBuildRetVoid(builder_); }
    void give_back(Node node) { LLVMBuildRet(builder_, value(static_cast<std::uint32_t>(node))); }

private:
    // NOTE: the first four parameters are in the order of Place::Array.
    static constexpr unsigned result_parameter = 4;
    static constexpr unsigned carried_parameter = 5;

    /// The value of a node: a constant, a symbol, made here, or made by an earlier piece.
    LLVMValueRef value(std::uint32_t node) {
        if (const auto known = values_.find(node); known != values_.end()) {
            return known->second;
        }
        const auto& entry = graph_[static_cast<Node>(node)];
        LLVMValueRef found = nullptr;
        if (entry.op == Op::constant) {
            found = instructions_.constant(entry.value);
        } else if (entry.op == Op::symbol) {
            found = load(places_[entry.a]);
        } else {
            found = LLVMBuildLoad2(builder_, number_,
                                   element(LLVMGetParam(function_, carried_parameter), plan_.carried.at(node)), "");
        }
        values_.emplace(node, found);
        return found;
    }

    LLVMValueRef element(LLVMValueRef array, std::size_t index) {
        LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(context_), index, 0);
        return LLVMBuildGEP2(builder_, number_, array, &offset, 1, "");
    }

    LLVMValueRef load(const Place& place) {
        if (place.array == Place::Array::time || form_ == Form::numbers) {
            return LLVMGetParam(function_, static_cast<unsigned>(place.array));
        }
        return LLVMBuildLoad2(builder_, number_,
                              element(LLVMGetParam(function_, static_cast<unsigned>(place.array)), place.index), "");
    }

    Form form_;
    LLVMContextRef context_;
    const Graph& graph_;
    std::span<const Place> places_;
    const jit::Cut& plan_;
    std::unordered_map<std::uint32_t, LLVMValueRef> values_;
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
               return entry.op != Op::symbol || places[entry.a].index == 0;
           });
}

}  // namespace

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Node> results, std::span<const Place> places) {
    std::vector<Node> operations = graph.parts(results);
    std::erase_if(operations, [&](Node node) { return is_leaf(graph[node].op); });
    operations_ = operations.size();
    const jit::Cut plan = jit::cut(graph, operations);
    carried_ = plan.carried.size();
    machine_ = std::make_unique<jit::Machine>(jit::effort_for(operations_));

    std::unordered_multimap<std::uint32_t, std::size_t> result_of;  // results by node
    for (std::size_t i = 0; i < results.size(); ++i) {
        result_of.emplace(static_cast<std::uint32_t>(results[i]), i);
    }
    const auto name = [](std::size_t piece) { return fmt::format("lento_part_{}", piece); };
    for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
        FunctionWriter writer(Form::arrays, machine_->module(), name(piece), graph, places, plan);
        writer.compute(plan.pieces[piece]);
        for (const Node node : plan.pieces[piece]) {
            const auto [first, last] = result_of.equal_range(static_cast<std::uint32_t>(node));
            std::for_each(first, last, [&](const auto& entry) { writer.store_result(node, entry.second); });
        }
        for (std::size_t i = 0; piece == 0 && i < results.size(); ++i) {
            if (is_leaf(graph[results[i]].op)) {
                writer.store_result(results[i], i);
            }
        }
        writer.finish();
    }

    const bool is_scalar = fits_in_numbers(graph, results, places);
    if (is_scalar) {
        FunctionWriter writer(Form::numbers, machine_->module(), "lento_scalar", graph, places, plan);
        writer.compute(plan.pieces.front());
        writer.give_back(results[0]);
    }

    machine_->finish();
    for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
        chunks_.push_back(reinterpret_cast<Entry>(machine_->address(name(piece))));
    }
    if (is_scalar) {
        scalar_ = reinterpret_cast<Scalar>(machine_->address("lento_scalar"));
    }
    if (chunks_.size() == 1) {
        whole_ = chunks_.front();
        chunks_.clear();
    }
}

void CompiledFunction::in_chunks(const double* position, const double* velocity, const double* phase, double time,
                                 double* result) const {
    // NOTE: one buffer a thread, which grows once: the function stays free of allocation and of shared state.
    thread_local std::vector<double> carried;
    if (carried.size() < carried_) {
        carried.resize(carried_);
    }
    for (const Entry chunk : chunks_) {
        chunk(position, velocity, phase, time, result, carried.data());
    }
}

CompiledFunction::~CompiledFunction() = default;
CompiledFunction::CompiledFunction(CompiledFunction&&) noexcept = default;
CompiledFunction& CompiledFunction::operator=(CompiledFunction&&) noexcept = default;

}  // namespace lento::model
