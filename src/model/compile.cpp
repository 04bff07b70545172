#include "lento/model/compile.hpp"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "lento/base/jet.hpp"

namespace lento::model {
namespace {

// NOTE: measured on chains of pendulums: full optimisation costs 0.1 ms an operation and more the longer a function is, the
// second level 0.05 ms, the last 0.007 ms; the code of the last takes about twice as long to run.
/// Graphs of up to this many operations are compiled in one piece, fully optimised.
constexpr std::size_t longest_whole = 2000;
/// Longer ones are cut into functions of this length; beyond `longest_optimised` they are compiled in the quickest way.
constexpr std::size_t chunk_length = 1000;
constexpr std::size_t longest_optimised = 20'000;

struct Effort {
    LLVMCodeGenOptLevel level;
    const char* passes;
};
Effort effort_for(std::size_t operations) {
    if (operations <= longest_whole) {
        return {LLVMCodeGenLevelAggressive, "default<O3>"};
    }
    if (operations <= longest_optimised) {
        return {LLVMCodeGenLevelLess, "default<O1>"};
    }
    return {LLVMCodeGenLevelNone, "default<O0>"};
}

void require(LLVMErrorRef error) {
    if (error != nullptr) {
        char* text = LLVMGetErrorMessage(error);
        const std::string message = fmt::format("LLVM: {}", text);
        LLVMDisposeErrorMessage(text);
        throw std::runtime_error(message);
    }
}

/// The elementary functions that compiled code calls, by the names it calls them by.
struct LibraryFunction {
    Op op;
    const char* name;
    void* address;
};

template <double (*Function)(double)>
void* address_of() {
    return reinterpret_cast<void*>(Function);
}
template <double (*Function)(double, double)>
void* address_of() {
    return reinterpret_cast<void*>(Function);
}

const std::vector<LibraryFunction>& library() {
    static const std::vector<LibraryFunction> functions{
        {Op::sin, "lento_sin", address_of<std::sin>()},       {Op::cos, "lento_cos", address_of<std::cos>()},
        {Op::tan, "lento_tan", address_of<std::tan>()},       {Op::asin, "lento_asin", address_of<std::asin>()},
        {Op::acos, "lento_acos", address_of<std::acos>()},    {Op::atan, "lento_atan", address_of<std::atan>()},
        {Op::sinh, "lento_sinh", address_of<std::sinh>()},    {Op::cosh, "lento_cosh", address_of<std::cosh>()},
        {Op::tanh, "lento_tanh", address_of<std::tanh>()},    {Op::exp, "lento_exp", address_of<std::exp>()},
        {Op::log, "lento_log", address_of<std::log>()},       {Op::log10, "lento_log10", address_of<std::log10>()},
        {Op::cbrt, "lento_cbrt", address_of<std::cbrt>()},    {Op::floor, "lento_floor", address_of<std::floor>()},
        {Op::power, "lento_pow", address_of<std::pow>()},     {Op::atan2, "lento_atan2", address_of<std::atan2>()},
        {Op::hypot, "lento_hypot", address_of<std::hypot>()}, {Op::expm1, "lento_expm1", address_of<std::expm1>()},
        {Op::log1p, "lento_log1p", address_of<std::log1p>()},
    };
    return functions;
}

void initialise_native_target() {
    static const bool once = [] {
        return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0;
    }();
    if (!once) {
        throw std::runtime_error("LLVM does not know this machine");
    }
}

LLVMTargetMachineRef host_machine(LLVMCodeGenOptLevel level) {
    char* triple = LLVMGetDefaultTargetTriple();
    char* cpu = LLVMGetHostCPUName();
    char* features = LLVMGetHostCPUFeatures();
    LLVMTargetRef target = nullptr;
    char* problem = nullptr;
    LLVMTargetMachineRef machine = nullptr;
    if (LLVMGetTargetFromTriple(triple, &target, &problem) == 0) {
        machine = LLVMCreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelJITDefault);
    }
    LLVMDisposeMessage(features);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(triple);
    if (machine == nullptr) {
        throw std::runtime_error("LLVM has no target for this machine");
    }
    return machine;
}

/// How a long graph is cut: which nodes each function computes, and which values pass from one to another.
struct Cut {
    std::vector<std::vector<Node>> pieces;                   // without constants and symbols
    std::unordered_map<std::uint32_t, std::size_t> carried;  // the place of a value that a later piece needs
};

Cut cut(const Graph& graph, std::span<const Node> results) {
    Cut plan;
    std::vector<Node> operations;
    for (const Node node : graph.parts(results)) {
        if (!is_leaf(graph[node].op)) {
            operations.push_back(node);
        }
    }
    const std::size_t length = operations.size() <= longest_whole ? longest_whole : chunk_length;
    std::unordered_map<std::uint32_t, std::size_t> piece_of;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::size_t piece = i / length;
        if (plan.pieces.size() <= piece) {
            plan.pieces.emplace_back();
        }
        plan.pieces[piece].push_back(operations[i]);
        piece_of.emplace(static_cast<std::uint32_t>(operations[i]), piece);
        const auto& entry = graph[operations[i]];
        for (const std::uint32_t operand : {entry.a, is_binary(entry.op) ? entry.b : entry.a}) {
            const auto made = piece_of.find(operand);
            if (made != piece_of.end() && made->second != piece) {
                plan.carried.emplace(operand, plan.carried.size());
            }
        }
    }
    if (plan.pieces.empty()) {
        plan.pieces.emplace_back();  // nothing but constants and symbols
    }
    return plan;
}

/// How a function takes its arguments: arrays to read and to fill, or numbers and a number returned.
enum class Form { arrays, numbers };

/// Writes one function into a module.
class FunctionWriter {
public:
    FunctionWriter(Form form, LLVMModuleRef module, const std::string& name, const Graph& graph,
                   std::span<const Place> places, const Cut& plan)
        : form_(form),
          module_(module),
          context_(LLVMGetModuleContext(module)),
          graph_(graph),
          places_(places),
          plan_(plan) {
        number_ = LLVMDoubleTypeInContext(context_);
        if (form == Form::numbers) {
            std::array<LLVMTypeRef, 4> types{number_, number_, number_, number_};
            function_ = LLVMAddFunction(module, name.c_str(), LLVMFunctionType(number_, types.data(), types.size(), 0));
        } else {
            const LLVMTypeRef pointer = LLVMPointerType(number_, 0);
            std::array<LLVMTypeRef, 6> types{pointer, pointer, pointer, number_, pointer, pointer};
            function_ = LLVMAddFunction(
                module, name.c_str(), LLVMFunctionType(LLVMVoidTypeInContext(context_), types.data(), types.size(), 0));
            add_attribute(function_, 1 + result_parameter, "noalias");
            add_attribute(function_, 1 + carried_parameter, "noalias");
        }
        add_attribute(function_, LLVMAttributeFunctionIndex, "nounwind");
        builder_ = LLVMCreateBuilderInContext(context_);
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
            const LLVMValueRef made = operation(entry.op, a, is_binary(entry.op) ? value(entry.b) : nullptr);
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
            found = LLVMConstReal(number_, entry.value);
        } else if (entry.op == Op::symbol) {
            found = load(places_[entry.a]);
        } else {
            found = LLVMBuildLoad2(builder_, number_,
                                   element(LLVMGetParam(function_, carried_parameter), plan_.carried.at(node)), "");
        }
        values_.emplace(node, found);
        return found;
    }

    void add_attribute(LLVMValueRef function, LLVMAttributeIndex where, std::string_view name) const {
        const unsigned kind = LLVMGetEnumAttributeKindForName(name.data(), name.size());
        LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(context_, kind, 0));
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

    LLVMValueRef operation(Op op, LLVMValueRef a, LLVMValueRef b) {
        switch (op) {
            case Op::add:
                return LLVMBuildFAdd(builder_, a, b, "");
            case Op::subtract:
                return LLVMBuildFSub(builder_, a, b, "");
            case Op::multiply:
                return LLVMBuildFMul(builder_, a, b, "");
            case Op::divide:
                return LLVMBuildFDiv(builder_, a, b, "");
            case Op::negate:
                return LLVMBuildFNeg(builder_, a, "");
            case Op::sqrt:
                return intrinsic("llvm.sqrt", a);
            case Op::abs:
                return intrinsic("llvm.fabs", a);
            case Op::min:
                return select(LLVMRealOLT, a, b, a, select(LLVMRealOLE, b, a, b, LLVMBuildFAdd(builder_, a, b, "")));
            case Op::max:
                return select(LLVMRealOLT, b, a, a, select(LLVMRealOLE, a, b, b, LLVMBuildFAdd(builder_, a, b, "")));
            case Op::sign: {
                const LLVMValueRef zero = LLVMConstReal(number_, 0);
                return select(LLVMRealOLT, zero, a, LLVMConstReal(number_, 1),
                              select(LLVMRealOLT, a, zero, LLVMConstReal(number_, -1), a));
            }
            default:
                return call(op, a, b);
        }
    }

    LLVMValueRef select(LLVMRealPredicate test, LLVMValueRef left, LLVMValueRef right, LLVMValueRef yes,
                        LLVMValueRef no) {
        return LLVMBuildSelect(builder_, LLVMBuildFCmp(builder_, test, left, right, ""), yes, no, "");
    }

    LLVMValueRef intrinsic(std::string_view name, LLVMValueRef a) {
        const unsigned id = LLVMLookupIntrinsicID(name.data(), name.size());
        LLVMValueRef function = LLVMGetIntrinsicDeclaration(module_, id, &number_, 1);
        LLVMTypeRef type = LLVMIntrinsicGetType(context_, id, &number_, 1);
        return LLVMBuildCall2(builder_, type, function, &a, 1, "");
    }

    LLVMValueRef call(Op op, LLVMValueRef a, LLVMValueRef b) {
        const auto found =
            std::find_if(library().begin(), library().end(), [op](const auto& entry) { return entry.op == op; });
        std::array<LLVMTypeRef, 2> types{number_, number_};
        const unsigned count = is_binary(op) ? 2 : 1;
        const LLVMTypeRef type = LLVMFunctionType(number_, types.data(), count, 0);
        LLVMValueRef function = LLVMGetNamedFunction(module_, found->name);
        if (function == nullptr) {
            function = LLVMAddFunction(module_, found->name, type);
            // NOTE: equal calls may be merged; errno is of no interest.
            add_attribute(function, LLVMAttributeFunctionIndex, "readnone");
            add_attribute(function, LLVMAttributeFunctionIndex, "nounwind");
            add_attribute(function, LLVMAttributeFunctionIndex, "willreturn");
        }
        std::array<LLVMValueRef, 2> arguments{a, b};
        return LLVMBuildCall2(builder_, type, function, arguments.data(), count, "");
    }

    Form form_;
    LLVMModuleRef module_;
    LLVMContextRef context_;
    const Graph& graph_;
    std::span<const Place> places_;
    const Cut& plan_;
    std::unordered_map<std::uint32_t, LLVMValueRef> values_;
    LLVMTypeRef number_ = nullptr;
    LLVMValueRef function_ = nullptr;
    LLVMBuilderRef builder_ = nullptr;
};

/// One result, of one coordinate and at most one phase.
bool fits_in_numbers(const Graph& graph, std::span<const Node> results, std::span<const Place> places) {
    if (results.size() != 1) {
        return false;
    }
    const auto parts = graph.parts(results);
    return parts.size() <= chunk_length && std::all_of(parts.begin(), parts.end(), [&](Node node) {
               const auto& entry = graph[node];
               return entry.op != Op::symbol || places[entry.a].index == 0;
           });
}

}  // namespace

struct CompiledFunction::Machine {
    LLVMOrcLLJITRef jit = nullptr;

    explicit Machine(LLVMCodeGenOptLevel level) {
        initialise_native_target();
        LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
        LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
            builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine(level)));
        require(LLVMOrcCreateLLJIT(&jit, builder));
        std::vector<LLVMJITCSymbolMapPair> symbols;
        for (const auto& entry : library()) {
            symbols.push_back(
                {LLVMOrcLLJITMangleAndIntern(jit, entry.name),
                 {reinterpret_cast<LLVMOrcExecutorAddress>(entry.address), {LLVMJITSymbolGenericFlagsCallable, 0}}});
        }
        // NOTE: LLVM makes calls of these from long runs of equal results, such as zeros.
        const std::pair<const char*, void*> memory[]{{"memset", reinterpret_cast<void*>(std::memset)},
                                                     {"memcpy", reinterpret_cast<void*>(std::memcpy)},
                                                     {"memmove", reinterpret_cast<void*>(std::memmove)}};
        for (const auto& [name, address] : memory) {
            symbols.push_back(
                {LLVMOrcLLJITMangleAndIntern(jit, name),
                 {reinterpret_cast<LLVMOrcExecutorAddress>(address), {LLVMJITSymbolGenericFlagsCallable, 0}}});
        }
        require(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit),
                                      LLVMOrcAbsoluteSymbols(symbols.data(), symbols.size())));
    }
    ~Machine() {
        if (jit != nullptr) {
            LLVMConsumeError(LLVMOrcDisposeLLJIT(jit));
        }
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
};

CompiledFunction::CompiledFunction(const Graph& graph, std::span<const Node> results, std::span<const Place> places) {
    const Cut plan = cut(graph, results);
    for (const auto& piece : plan.pieces) {
        operations_ += piece.size();
    }
    carried_ = plan.carried.size();
    const Effort effort = effort_for(operations_);
    machine_ = std::make_unique<Machine>(effort.level);

    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContext();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("model", LLVMOrcThreadSafeContextGetContext(context));
    std::unordered_multimap<std::uint32_t, std::size_t> result_of;  // results by node
    for (std::size_t i = 0; i < results.size(); ++i) {
        result_of.emplace(static_cast<std::uint32_t>(results[i]), i);
    }
    const auto name = [](std::size_t piece) { return fmt::format("lento_part_{}", piece); };
    for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
        FunctionWriter writer(Form::arrays, module, name(piece), graph, places, plan);
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
        FunctionWriter writer(Form::numbers, module, "lento_scalar", graph, places, plan);
        writer.compute(plan.pieces.front());
        writer.give_back(results[0]);
    }

    LLVMTargetMachineRef target = host_machine(effort.level);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(module, effort.passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetMachine(target);

    LLVMOrcThreadSafeModuleRef owned = LLVMOrcCreateNewThreadSafeModule(module, context);
    LLVMOrcDisposeThreadSafeContext(context);
    if (failed != nullptr) {
        LLVMOrcDisposeThreadSafeModule(owned);
        require(failed);
    }
    require(LLVMOrcLLJITAddLLVMIRModule(machine_->jit, LLVMOrcLLJITGetMainJITDylib(machine_->jit), owned));
    const auto address_of_symbol = [&](const std::string& symbol) {
        LLVMOrcExecutorAddress address = 0;
        require(LLVMOrcLLJITLookup(machine_->jit, &address, symbol.c_str()));
        return address;
    };
    for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
        chunks_.push_back(reinterpret_cast<Entry>(address_of_symbol(name(piece))));
    }
    if (is_scalar) {
        scalar_ = reinterpret_cast<Scalar>(address_of_symbol("lento_scalar"));
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
