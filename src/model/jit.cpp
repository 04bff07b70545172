#include "model/jit.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "model/compile.hpp"

namespace lento::model {
namespace {

// NOTE: a statistic of the process, which nothing but tests reads.
std::atomic<std::size_t> made = 0;

}  // namespace

std::size_t compilations() {
    return made;
}

std::size_t evaluations_before_code(std::size_t operations, double nanoseconds) {
    constexpr double to_begin = 18e6;  // of it 12 to load LLVM, once a process
    constexpr double an_operation = 4e4;
    return static_cast<std::size_t>((to_begin + an_operation * static_cast<double>(operations)) / nanoseconds);
}

namespace jit {
namespace {

void require(LLVMErrorRef error) {
    if (error != nullptr) {
        char* text = llvm().GetErrorMessage(error);
        const std::string message = fmt::format("LLVM: {}", text);
        llvm().DisposeErrorMessage(text);
        throw std::runtime_error(message);
    }
}

LLVMTargetMachineRef host_machine(LLVMCodeGenOptLevel level) {
    char* triple = llvm().GetDefaultTargetTriple();
    char* cpu = llvm().GetHostCPUName();
    char* features = llvm().GetHostCPUFeatures();
    LLVMTargetRef target = nullptr;
    char* problem = nullptr;
    LLVMTargetMachineRef machine = nullptr;
    if (llvm().GetTargetFromTriple(triple, &target, &problem) == 0) {
        machine =
            llvm().CreateTargetMachine(target, triple, cpu, features, level, LLVMRelocPIC, LLVMCodeModelJITDefault);
    }
    llvm().DisposeMessage(features);
    llvm().DisposeMessage(cpu);
    llvm().DisposeMessage(triple);
    if (machine == nullptr) {
        throw std::runtime_error("LLVM has no target for this machine");
    }
    return machine;
}

}  // namespace

Effort effort_for(std::size_t operations) {
    return operations <= longest_whole ? Effort{LLVMCodeGenLevelAggressive, "default<O3>"}
                                       : Effort{LLVMCodeGenLevelLess, "default<O1>"};
}

Cut cut(const Graph& graph, std::span<const Node> operations, std::span<const Node> results) {
    const std::size_t total = operations.size() + results.size();
    const std::size_t length = total <= longest_whole ? longest_whole : chunk_length;
    std::unordered_map<Node, std::vector<std::size_t>> rows_of;
    for (std::size_t row = 0; row < results.size(); ++row) {
        rows_of[results[row]].push_back(row);
    }
    Cut plan;
    const auto piece_with_room = [&]() -> Cut::Piece& {
        const auto& [made, stored] = plan.pieces.back();
        return made.size() + stored.size() < length ? plan.pieces.back() : plan.pieces.emplace_back();
    };
    const auto need = [&](Node node) {
        const auto made = plan.piece_of.find(node);
        if (made != plan.piece_of.end() && made->second != plan.pieces.size() - 1) {
            plan.carried.emplace(node, plan.carried.size());
        }
    };
    const auto store = [&](Node node) {
        const auto rows = rows_of.extract(node);
        if (rows.empty()) {
            return;
        }
        for (const std::size_t row : rows.mapped()) {
            piece_with_room().rows.push_back(row);
            need(node);
        }
    };
    for (const Node node : operations) {
        piece_with_room().operations.push_back(node);
        plan.piece_of.emplace(node, plan.pieces.size() - 1);
        need(graph[node].a);
        need(graph[node].b);
        store(node);
    }
    std::ranges::for_each(results, store);  // leaves
    return plan;
}

Machine::Machine(Effort effort, const Library& more) : effort_(effort) {
    LLVMOrcLLJITBuilderRef builder = llvm().OrcCreateLLJITBuilder();
    llvm().OrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, llvm().OrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine(effort.level)));
    require(llvm().OrcCreateLLJIT(&jit_, builder));
    context_ = llvm().OrcCreateNewThreadSafeContext();
    module_ = llvm().ModuleCreateWithNameInContext("model", llvm().OrcThreadSafeContextGetContext(context_));
    // NOTE: LLVM makes calls of these from long runs of equal results, such as zeros.
    const LibraryFunction memory[]{{Op::constant, "memset", reinterpret_cast<void*>(std::memset)},
                                   {Op::constant, "memcpy", reinterpret_cast<void*>(std::memcpy)},
                                   {Op::constant, "memmove", reinterpret_cast<void*>(std::memmove)}};
    define(memory);
    define(scalar_library().functions);
    define(more.functions);
    if (more.sine_and_cosine) {
        define(std::span(&*more.sine_and_cosine, 1));
    }
}

Machine::~Machine() {
    if (module_ != nullptr) {
        llvm().DisposeModule(module_);
    }
    if (context_ != nullptr) {
        llvm().OrcDisposeThreadSafeContext(context_);
    }
    llvm().ConsumeError(llvm().OrcDisposeLLJIT(jit_));
}

void Machine::define(std::span<const LibraryFunction> functions) {
    if (functions.empty()) {
        return;
    }
    auto symbols = mapped(functions, [this](const LibraryFunction& entry) {
        return LLVMJITCSymbolMapPair{
            llvm().OrcLLJITMangleAndIntern(jit_, entry.name),
            {reinterpret_cast<LLVMOrcExecutorAddress>(entry.address), {LLVMJITSymbolGenericFlagsCallable, 0}}};
    });
    require(llvm().OrcJITDylibDefine(llvm().OrcLLJITGetMainJITDylib(jit_),
                                     llvm().OrcAbsoluteSymbols(symbols.data(), symbols.size())));
}

void Machine::finish() {
    ++made;
    LLVMTargetMachineRef target = host_machine(effort_.level);
    LLVMPassBuilderOptionsRef options = llvm().CreatePassBuilderOptions();
    LLVMErrorRef failed = llvm().RunPasses(module_, effort_.passes, target, options);
    llvm().DisposePassBuilderOptions(options);
    llvm().DisposeTargetMachine(target);
    require(failed);
    LLVMOrcThreadSafeModuleRef owned = llvm().OrcCreateNewThreadSafeModule(module_, context_);
    module_ = nullptr;
    llvm().OrcDisposeThreadSafeContext(context_);  // the module keeps it while it needs it
    context_ = nullptr;
    require(llvm().OrcLLJITAddLLVMIRModule(jit_, llvm().OrcLLJITGetMainJITDylib(jit_), owned));
}

std::uintptr_t Machine::address(const std::string& function) const {
    LLVMOrcExecutorAddress address = 0;
    require(llvm().OrcLLJITLookup(jit_, &address, function.c_str()));
    return address;
}

void add_attribute(LLVMValueRef function, LLVMAttributeIndex where, std::string_view name) {
    const unsigned kind = llvm().GetEnumAttributeKindForName(name.data(), name.size());
    LLVMContextRef context = llvm().GetTypeContext(llvm().TypeOf(function));
    llvm().AddAttributeAtIndex(function, where, llvm().CreateEnumAttribute(context, kind, 0));
}

Instructions::Instructions(LLVMModuleRef module, LLVMBuilderRef builder, LLVMTypeRef type, const Library& library)
    : module_(module), builder_(builder), type_(type), library_(library) {}

LLVMValueRef Instructions::operation(Op op, LLVMValueRef a, LLVMValueRef b) {
    switch (op) {
        case Op::add:
            return llvm().BuildFAdd(builder_, a, b, "");
        case Op::subtract:
            return llvm().BuildFSub(builder_, a, b, "");
        case Op::multiply:
            return llvm().BuildFMul(builder_, a, b, "");
        case Op::divide:
            return llvm().BuildFDiv(builder_, a, b, "");
        case Op::negate:
            return llvm().BuildFNeg(builder_, a, "");
        case Op::sqrt:
            return intrinsic("llvm.sqrt", a);
        case Op::abs:
            return intrinsic("llvm.fabs", a);
        case Op::min:
            return select(LLVMRealOLT, a, b, a, select(LLVMRealOLE, b, a, b, llvm().BuildFAdd(builder_, a, b, "")));
        case Op::max:
            return select(LLVMRealOLT, b, a, a, select(LLVMRealOLE, a, b, b, llvm().BuildFAdd(builder_, a, b, "")));
        case Op::sign:
            return select(LLVMRealOLT, constant(0), a, constant(1),
                          select(LLVMRealOLT, a, constant(0), constant(-1), a));
        default:
            break;
    }
    if (const auto* function = found(library_.functions, op, &LibraryFunction::op)) {
        return call(*function, type_, a, b);
    }
    if (op == Op::floor && !library_.functions.empty()) {
        return intrinsic("llvm.floor", a);  // one instruction on every machine that has vector functions
    }
    return lane_by_lane(op, a, b);
}

LLVMValueRef Instructions::select(LLVMRealPredicate test, LLVMValueRef left, LLVMValueRef right, LLVMValueRef yes,
                                  LLVMValueRef no) {
    return llvm().BuildSelect(builder_, llvm().BuildFCmp(builder_, test, left, right, ""), yes, no, "");
}

LLVMValueRef Instructions::intrinsic(std::string_view name, LLVMValueRef a) {
    const unsigned id = llvm().LookupIntrinsicID(name.data(), name.size());
    LLVMValueRef function = llvm().GetIntrinsicDeclaration(module_, id, &type_, 1);
    LLVMTypeRef type = llvm().IntrinsicGetType(llvm().GetModuleContext(module_), id, &type_, 1);
    return llvm().BuildCall2(builder_, type, function, &a, 1, "");
}

LLVMValueRef Instructions::lane_by_lane(Op op, LLVMValueRef a, LLVMValueRef b) {
    const LibraryFunction& function = *found(scalar_library().functions, op, &LibraryFunction::op);
    const LLVMTypeRef number = llvm().GetElementType(type_);
    LLVMValueRef result = llvm().GetUndef(type_);
    for (unsigned lane = 0; lane < llvm().GetVectorSize(type_); ++lane) {
        const LLVMValueRef at = llvm().ConstInt(llvm().Int32TypeInContext(llvm().GetModuleContext(module_)), lane, 0);
        const LLVMValueRef made = call(function, number, llvm().BuildExtractElement(builder_, a, at, ""),
                                       is_binary(op) ? llvm().BuildExtractElement(builder_, b, at, "") : nullptr);
        result = llvm().BuildInsertElement(builder_, result, made, at, "");
    }
    return result;
}

LLVMValueRef Instructions::call(const LibraryFunction& function, LLVMTypeRef number, LLVMValueRef a, LLVMValueRef b) {
    std::array<LLVMTypeRef, 2> types{number, number};
    std::array<LLVMValueRef, 2> arguments{a, b};
    const unsigned count = is_binary(function.op) ? 2 : 1;
    const LLVMTypeRef type = llvm().FunctionType(number, types.data(), count, 0);
    const LLVMValueRef callee = declared(function.name, type);
    // NOTE: equal calls may be merged; errno is of no interest.
    add_attribute(callee, LLVMAttributeFunctionIndex, "readnone");
    return llvm().BuildCall2(builder_, type, callee, arguments.data(), count, "");
}

Instructions::SineAndCosine Instructions::sine_and_cosine(LLVMValueRef a, LLVMValueRef room) {
    if (!library_.sine_and_cosine) {
        return {operation(Op::sin, a, nullptr), operation(Op::cos, a, nullptr)};
    }
    // NOTE: a structure of two vectors is returned in memory, whose address is the first argument.
    LLVMContextRef context = llvm().GetModuleContext(module_);
    std::array<LLVMTypeRef, 2> types{llvm().TypeOf(room), type_};
    std::array<LLVMValueRef, 2> arguments{room, a};
    const LLVMTypeRef type = llvm().FunctionType(llvm().VoidTypeInContext(context), types.data(), types.size(), 0);
    const LLVMValueRef callee = declared(library_.sine_and_cosine->name, type);
    add_attribute(callee, LLVMAttributeFunctionIndex, "argmemonly");
    llvm().BuildCall2(builder_, type, callee, arguments.data(), arguments.size(), "");
    LLVMValueRef second = llvm().ConstInt(llvm().Int64TypeInContext(context), 1, 0);
    return {llvm().BuildLoad2(builder_, type_, room, ""),
            llvm().BuildLoad2(builder_, type_, llvm().BuildGEP2(builder_, type_, room, &second, 1, ""), "")};
}

LLVMValueRef Instructions::declared(const char* name, LLVMTypeRef type) {
    if (LLVMValueRef known = llvm().GetNamedFunction(module_, name)) {
        return known;
    }
    const LLVMValueRef made = llvm().AddFunction(module_, name, type);
    add_attribute(made, LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(made, LLVMAttributeFunctionIndex, "willreturn");
    return made;
}

}  // namespace jit
}  // namespace lento::model
