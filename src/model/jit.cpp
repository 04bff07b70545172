#include "model/jit.hpp"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>

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

namespace jit {
namespace {

void require(LLVMErrorRef error) {
    if (error != nullptr) {
        char* text = LLVMGetErrorMessage(error);
        const std::string message = fmt::format("LLVM: {}", text);
        LLVMDisposeErrorMessage(text);
        throw std::runtime_error(message);
    }
}

void* address_of(double (*function)(double)) {
    return reinterpret_cast<void*>(function);
}
void* address_of(double (*function)(double, double)) {
    return reinterpret_cast<void*>(function);
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

}  // namespace

const Library& scalar_library() {
    static const Library library{{
        {Op::sin, "lento_sin", address_of(std::sin)},       {Op::cos, "lento_cos", address_of(std::cos)},
        {Op::tan, "lento_tan", address_of(std::tan)},       {Op::asin, "lento_asin", address_of(std::asin)},
        {Op::acos, "lento_acos", address_of(std::acos)},    {Op::atan, "lento_atan", address_of(std::atan)},
        {Op::sinh, "lento_sinh", address_of(std::sinh)},    {Op::cosh, "lento_cosh", address_of(std::cosh)},
        {Op::tanh, "lento_tanh", address_of(std::tanh)},    {Op::exp, "lento_exp", address_of(std::exp)},
        {Op::log, "lento_log", address_of(std::log)},       {Op::log10, "lento_log10", address_of(std::log10)},
        {Op::cbrt, "lento_cbrt", address_of(std::cbrt)},    {Op::floor, "lento_floor", address_of(std::floor)},
        {Op::power, "lento_pow", address_of(std::pow)},     {Op::atan2, "lento_atan2", address_of(std::atan2)},
        {Op::hypot, "lento_hypot", address_of(std::hypot)}, {Op::expm1, "lento_expm1", address_of(std::expm1)},
        {Op::log1p, "lento_log1p", address_of(std::log1p)},
    }};
    return library;
}

bool host_has(std::string_view feature) {
    static const std::string features = [] {
        char* text = LLVMGetHostCPUFeatures();
        const std::string all = fmt::format(",{},", text);  // such as ",+sse2,-avx512f,"
        LLVMDisposeMessage(text);
        return all;
    }();
    return features.find(fmt::format(",+{},", feature)) != std::string::npos;
}

Effort effort_for(std::size_t operations) {
    if (operations <= longest_whole) {
        return {LLVMCodeGenLevelAggressive, "default<O3>"};
    }
    if (operations <= longest_optimised) {
        return {LLVMCodeGenLevelLess, "default<O1>"};
    }
    return {LLVMCodeGenLevelNone, "default<O0>"};
}

Cut cut(const Graph& graph, std::span<const Node> operations) {
    const std::size_t length = operations.size() <= longest_whole ? longest_whole : chunk_length;
    Cut plan;
    plan.pieces.emplace_back();
    for (const Node node : operations) {
        if (plan.pieces.back().size() == length) {
            plan.pieces.emplace_back();
        }
        const std::size_t piece = plan.pieces.size() - 1;
        plan.pieces.back().push_back(node);
        plan.piece_of.emplace(node, piece);
        for (const Node operand : {graph[node].a, graph[node].b}) {
            const auto made = plan.piece_of.find(operand);
            if (made != plan.piece_of.end() && made->second != piece) {
                plan.carried.emplace(operand, plan.carried.size());
            }
        }
    }
    return plan;
}

Machine::Machine(Effort effort, const Library& more) : effort_(effort) {
    static const bool known = LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0;
    if (!known) {
        throw std::runtime_error("LLVM does not know this machine");
    }
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(host_machine(effort.level)));
    require(LLVMOrcCreateLLJIT(&jit_, builder));
    context_ = LLVMOrcCreateNewThreadSafeContext();
    module_ = LLVMModuleCreateWithNameInContext("model", LLVMOrcThreadSafeContextGetContext(context_));
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
        LLVMDisposeModule(module_);
    }
    if (context_ != nullptr) {
        LLVMOrcDisposeThreadSafeContext(context_);
    }
    LLVMConsumeError(LLVMOrcDisposeLLJIT(jit_));
}

void Machine::define(std::span<const LibraryFunction> functions) {
    if (functions.empty()) {
        return;
    }
    auto symbols = mapped(functions, [this](const LibraryFunction& entry) {
        return LLVMJITCSymbolMapPair{
            LLVMOrcLLJITMangleAndIntern(jit_, entry.name),
            {reinterpret_cast<LLVMOrcExecutorAddress>(entry.address), {LLVMJITSymbolGenericFlagsCallable, 0}}};
    });
    require(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit_),
                                  LLVMOrcAbsoluteSymbols(symbols.data(), symbols.size())));
}

void Machine::finish() {
    ++made;
    LLVMTargetMachineRef target = host_machine(effort_.level);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef failed = LLVMRunPasses(module_, effort_.passes, target, options);
    LLVMDisposePassBuilderOptions(options);
    LLVMDisposeTargetMachine(target);
    require(failed);
    LLVMOrcThreadSafeModuleRef owned = LLVMOrcCreateNewThreadSafeModule(module_, context_);
    module_ = nullptr;
    LLVMOrcDisposeThreadSafeContext(context_);  // the module keeps it while it needs it
    context_ = nullptr;
    require(LLVMOrcLLJITAddLLVMIRModule(jit_, LLVMOrcLLJITGetMainJITDylib(jit_), owned));
}

std::uintptr_t Machine::address(const std::string& function) const {
    LLVMOrcExecutorAddress address = 0;
    require(LLVMOrcLLJITLookup(jit_, &address, function.c_str()));
    return address;
}

void add_attribute(LLVMValueRef function, LLVMAttributeIndex where, std::string_view name) {
    const unsigned kind = LLVMGetEnumAttributeKindForName(name.data(), name.size());
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMAddAttributeAtIndex(function, where, LLVMCreateEnumAttribute(context, kind, 0));
}

Instructions::Instructions(LLVMModuleRef module, LLVMBuilderRef builder, LLVMTypeRef type, const Library& library)
    : module_(module), builder_(builder), type_(type), library_(library) {}

LLVMValueRef Instructions::operation(Op op, LLVMValueRef a, LLVMValueRef b) {
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
    return LLVMBuildSelect(builder_, LLVMBuildFCmp(builder_, test, left, right, ""), yes, no, "");
}

LLVMValueRef Instructions::intrinsic(std::string_view name, LLVMValueRef a) {
    const unsigned id = LLVMLookupIntrinsicID(name.data(), name.size());
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module_, id, &type_, 1);
    LLVMTypeRef type = LLVMIntrinsicGetType(LLVMGetModuleContext(module_), id, &type_, 1);
    return LLVMBuildCall2(builder_, type, function, &a, 1, "");
}

LLVMValueRef Instructions::lane_by_lane(Op op, LLVMValueRef a, LLVMValueRef b) {
    const LibraryFunction& function = *found(scalar_library().functions, op, &LibraryFunction::op);
    const LLVMTypeRef number = LLVMGetElementType(type_);
    LLVMValueRef result = LLVMGetUndef(type_);
    for (unsigned lane = 0; lane < LLVMGetVectorSize(type_); ++lane) {
        const LLVMValueRef at = LLVMConstInt(LLVMInt32TypeInContext(LLVMGetModuleContext(module_)), lane, 0);
        const LLVMValueRef made = call(function, number, LLVMBuildExtractElement(builder_, a, at, ""),
                                       is_binary(op) ? LLVMBuildExtractElement(builder_, b, at, "") : nullptr);
        result = LLVMBuildInsertElement(builder_, result, made, at, "");
    }
    return result;
}

LLVMValueRef Instructions::call(const LibraryFunction& function, LLVMTypeRef number, LLVMValueRef a, LLVMValueRef b) {
    std::array<LLVMTypeRef, 2> types{number, number};
    std::array<LLVMValueRef, 2> arguments{a, b};
    const unsigned count = is_binary(function.op) ? 2 : 1;
    const LLVMTypeRef type = LLVMFunctionType(number, types.data(), count, 0);
    const LLVMValueRef callee = declared(function.name, type);
    // NOTE: equal calls may be merged; errno is of no interest.
    add_attribute(callee, LLVMAttributeFunctionIndex, "readnone");
    return LLVMBuildCall2(builder_, type, callee, arguments.data(), count, "");
}

Instructions::SineAndCosine Instructions::sine_and_cosine(LLVMValueRef a, LLVMValueRef room) {
    if (!library_.sine_and_cosine) {
        return {operation(Op::sin, a, nullptr), operation(Op::cos, a, nullptr)};
    }
    // NOTE: a structure of two vectors is returned in memory, whose address is the first argument.
    LLVMContextRef context = LLVMGetModuleContext(module_);
    std::array<LLVMTypeRef, 2> types{LLVMTypeOf(room), type_};
    std::array<LLVMValueRef, 2> arguments{room, a};
    const LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), types.data(), types.size(), 0);
    const LLVMValueRef callee = declared(library_.sine_and_cosine->name, type);
    add_attribute(callee, LLVMAttributeFunctionIndex, "argmemonly");
    LLVMBuildCall2(builder_, type, callee, arguments.data(), arguments.size(), "");
    LLVMValueRef second = LLVMConstInt(LLVMInt64TypeInContext(context), 1, 0);
    return {LLVMBuildLoad2(builder_, type_, room, ""),
            LLVMBuildLoad2(builder_, type_, LLVMBuildGEP2(builder_, type_, room, &second, 1, ""), "")};
}

LLVMValueRef Instructions::declared(const char* name, LLVMTypeRef type) {
    if (LLVMValueRef known = LLVMGetNamedFunction(module_, name)) {
        return known;
    }
    const LLVMValueRef made = LLVMAddFunction(module_, name, type);
    add_attribute(made, LLVMAttributeFunctionIndex, "nounwind");
    add_attribute(made, LLVMAttributeFunctionIndex, "willreturn");
    return made;
}

}  // namespace jit
}  // namespace lento::model
