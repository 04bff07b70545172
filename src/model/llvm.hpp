/// LLVM's C interface, loaded when the first machine code is made: its library takes 25 ms to load, more than many
/// runs.
#pragma once

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

namespace lento::model::jit {

/// A function of the library, which becomes a pointer of the type it has.
class Loaded {
public:
    explicit Loaded(void* address) : address_(address) {}
    template <class Function>
    operator Function*() const {  // NOLINT(google-explicit-constructor): the header of LLVM says what it is
        return reinterpret_cast<Function*>(address_);
    }

private:
    void* address_;
};

/// The functions that are called, by their names without the prefix LLVM.
class Llvm {
public:
    /// Loads the library and makes it know this machine. Throws std::runtime_error where it is not installed.
    Llvm();

private:
    Loaded function(const char* name) const;

    void* library_;

public:
    decltype(&LLVMAddAttributeAtIndex) AddAttributeAtIndex = function("LLVMAddAttributeAtIndex");
    decltype(&LLVMAddFunction) AddFunction = function("LLVMAddFunction");
    decltype(&LLVMAddIncoming) AddIncoming = function("LLVMAddIncoming");
    decltype(&LLVMAppendBasicBlockInContext) AppendBasicBlockInContext = function("LLVMAppendBasicBlockInContext");
    decltype(&LLVMBuildAdd) BuildAdd = function("LLVMBuildAdd");
    decltype(&LLVMBuildArrayAlloca) BuildArrayAlloca = function("LLVMBuildArrayAlloca");
    decltype(&LLVMBuildBitCast) BuildBitCast = function("LLVMBuildBitCast");
    decltype(&LLVMBuildBr) BuildBr = function("LLVMBuildBr");
    decltype(&LLVMBuildCall2) BuildCall2 = function("LLVMBuildCall2");
    decltype(&LLVMBuildCondBr) BuildCondBr = function("LLVMBuildCondBr");
    decltype(&LLVMBuildExtractElement) BuildExtractElement = function("LLVMBuildExtractElement");
    decltype(&LLVMBuildFAdd) BuildFAdd = function("LLVMBuildFAdd");
    decltype(&LLVMBuildFCmp) BuildFCmp = function("LLVMBuildFCmp");
    decltype(&LLVMBuildFDiv) BuildFDiv = function("LLVMBuildFDiv");
    decltype(&LLVMBuildFMul) BuildFMul = function("LLVMBuildFMul");
    decltype(&LLVMBuildFNeg) BuildFNeg = function("LLVMBuildFNeg");
    decltype(&LLVMBuildFSub) BuildFSub = function("LLVMBuildFSub");
    decltype(&LLVMBuildGEP2) BuildGEP2 = function("LLVMBuildGEP2");
    decltype(&LLVMBuildICmp) BuildICmp = function("LLVMBuildICmp");
    decltype(&LLVMBuildInsertElement) BuildInsertElement = function("LLVMBuildInsertElement");
    decltype(&LLVMBuildLoad2) BuildLoad2 = function("LLVMBuildLoad2");
    decltype(&LLVMBuildMul) BuildMul = function("LLVMBuildMul");
    decltype(&LLVMBuildPhi) BuildPhi = function("LLVMBuildPhi");
    decltype(&LLVMBuildRet) BuildRet = function("LLVMBuildRet");
    decltype(&LLVMBuildRetVoid) BuildRetVoid = function("LLVMBuildRetVoid");
    decltype(&LLVMBuildSelect) BuildSelect = function("LLVMBuildSelect");
    decltype(&LLVMBuildStore) BuildStore = function("LLVMBuildStore");
    decltype(&LLVMBuildSub) BuildSub = function("LLVMBuildSub");
    decltype(&LLVMBuildUIToFP) BuildUIToFP = function("LLVMBuildUIToFP");
    decltype(&LLVMConstInt) ConstInt = function("LLVMConstInt");
    decltype(&LLVMConstNull) ConstNull = function("LLVMConstNull");
    decltype(&LLVMConstReal) ConstReal = function("LLVMConstReal");
    decltype(&LLVMConsumeError) ConsumeError = function("LLVMConsumeError");
    decltype(&LLVMCreateBuilderInContext) CreateBuilderInContext = function("LLVMCreateBuilderInContext");
    decltype(&LLVMCreateEnumAttribute) CreateEnumAttribute = function("LLVMCreateEnumAttribute");
    decltype(&LLVMCreatePassBuilderOptions) CreatePassBuilderOptions = function("LLVMCreatePassBuilderOptions");
    decltype(&LLVMCreateTargetMachine) CreateTargetMachine = function("LLVMCreateTargetMachine");
    decltype(&LLVMDisposeBuilder) DisposeBuilder = function("LLVMDisposeBuilder");
    decltype(&LLVMDisposeErrorMessage) DisposeErrorMessage = function("LLVMDisposeErrorMessage");
    decltype(&LLVMDisposeMessage) DisposeMessage = function("LLVMDisposeMessage");
    decltype(&LLVMDisposeModule) DisposeModule = function("LLVMDisposeModule");
    decltype(&LLVMDisposePassBuilderOptions) DisposePassBuilderOptions = function("LLVMDisposePassBuilderOptions");
    decltype(&LLVMDisposeTargetMachine) DisposeTargetMachine = function("LLVMDisposeTargetMachine");
    decltype(&LLVMDoubleTypeInContext) DoubleTypeInContext = function("LLVMDoubleTypeInContext");
    decltype(&LLVMFunctionType) FunctionType = function("LLVMFunctionType");
    decltype(&LLVMGetBasicBlockTerminator) GetBasicBlockTerminator = function("LLVMGetBasicBlockTerminator");
    decltype(&LLVMGetDefaultTargetTriple) GetDefaultTargetTriple = function("LLVMGetDefaultTargetTriple");
    decltype(&LLVMGetElementType) GetElementType = function("LLVMGetElementType");
    decltype(&LLVMGetEnumAttributeKindForName) GetEnumAttributeKindForName =
        function("LLVMGetEnumAttributeKindForName");
    decltype(&LLVMGetErrorMessage) GetErrorMessage = function("LLVMGetErrorMessage");
    decltype(&LLVMGetHostCPUFeatures) GetHostCPUFeatures = function("LLVMGetHostCPUFeatures");
    decltype(&LLVMGetHostCPUName) GetHostCPUName = function("LLVMGetHostCPUName");
    decltype(&LLVMGetInsertBlock) GetInsertBlock = function("LLVMGetInsertBlock");
    decltype(&LLVMGetIntrinsicDeclaration) GetIntrinsicDeclaration = function("LLVMGetIntrinsicDeclaration");
    decltype(&LLVMGetModuleContext) GetModuleContext = function("LLVMGetModuleContext");
    decltype(&LLVMGetNamedFunction) GetNamedFunction = function("LLVMGetNamedFunction");
    decltype(&LLVMGetNextBasicBlock) GetNextBasicBlock = function("LLVMGetNextBasicBlock");
    decltype(&LLVMGetParam) GetParam = function("LLVMGetParam");
    decltype(&LLVMGetTargetFromTriple) GetTargetFromTriple = function("LLVMGetTargetFromTriple");
    decltype(&LLVMGetTypeContext) GetTypeContext = function("LLVMGetTypeContext");
    decltype(&LLVMGetUndef) GetUndef = function("LLVMGetUndef");
    decltype(&LLVMGetVectorSize) GetVectorSize = function("LLVMGetVectorSize");
    decltype(&LLVMInt32TypeInContext) Int32TypeInContext = function("LLVMInt32TypeInContext");
    decltype(&LLVMInt64TypeInContext) Int64TypeInContext = function("LLVMInt64TypeInContext");
    decltype(&LLVMInt8TypeInContext) Int8TypeInContext = function("LLVMInt8TypeInContext");
    decltype(&LLVMIntrinsicGetType) IntrinsicGetType = function("LLVMIntrinsicGetType");
    decltype(&LLVMLookupIntrinsicID) LookupIntrinsicID = function("LLVMLookupIntrinsicID");
    decltype(&LLVMModuleCreateWithNameInContext) ModuleCreateWithNameInContext =
        function("LLVMModuleCreateWithNameInContext");
    decltype(&LLVMOrcAbsoluteSymbols) OrcAbsoluteSymbols = function("LLVMOrcAbsoluteSymbols");
    decltype(&LLVMOrcCreateLLJIT) OrcCreateLLJIT = function("LLVMOrcCreateLLJIT");
    decltype(&LLVMOrcCreateLLJITBuilder) OrcCreateLLJITBuilder = function("LLVMOrcCreateLLJITBuilder");
    decltype(&LLVMOrcCreateNewThreadSafeContext) OrcCreateNewThreadSafeContext =
        function("LLVMOrcCreateNewThreadSafeContext");
    decltype(&LLVMOrcCreateNewThreadSafeModule) OrcCreateNewThreadSafeModule =
        function("LLVMOrcCreateNewThreadSafeModule");
    decltype(&LLVMOrcDisposeLLJIT) OrcDisposeLLJIT = function("LLVMOrcDisposeLLJIT");
    decltype(&LLVMOrcDisposeThreadSafeContext) OrcDisposeThreadSafeContext =
        function("LLVMOrcDisposeThreadSafeContext");
    decltype(&LLVMOrcJITDylibDefine) OrcJITDylibDefine = function("LLVMOrcJITDylibDefine");
    decltype(&LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine) OrcJITTargetMachineBuilderCreateFromTargetMachine =
        function("LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine");
    decltype(&LLVMOrcLLJITAddLLVMIRModule) OrcLLJITAddLLVMIRModule = function("LLVMOrcLLJITAddLLVMIRModule");
    decltype(&LLVMOrcLLJITBuilderSetJITTargetMachineBuilder) OrcLLJITBuilderSetJITTargetMachineBuilder =
        function("LLVMOrcLLJITBuilderSetJITTargetMachineBuilder");
    decltype(&LLVMOrcLLJITGetMainJITDylib) OrcLLJITGetMainJITDylib = function("LLVMOrcLLJITGetMainJITDylib");
    decltype(&LLVMOrcLLJITLookup) OrcLLJITLookup = function("LLVMOrcLLJITLookup");
    decltype(&LLVMOrcLLJITMangleAndIntern) OrcLLJITMangleAndIntern = function("LLVMOrcLLJITMangleAndIntern");
    decltype(&LLVMOrcThreadSafeContextGetContext) OrcThreadSafeContextGetContext =
        function("LLVMOrcThreadSafeContextGetContext");
    decltype(&LLVMPointerType) PointerType = function("LLVMPointerType");
    decltype(&LLVMPositionBuilderAtEnd) PositionBuilderAtEnd = function("LLVMPositionBuilderAtEnd");
    decltype(&LLVMPositionBuilderBefore) PositionBuilderBefore = function("LLVMPositionBuilderBefore");
    decltype(&LLVMRunPasses) RunPasses = function("LLVMRunPasses");
    decltype(&LLVMSetAlignment) SetAlignment = function("LLVMSetAlignment");
    decltype(&LLVMTypeOf) TypeOf = function("LLVMTypeOf");
    decltype(&LLVMVectorType) VectorType = function("LLVMVectorType");
    decltype(&LLVMVoidTypeInContext) VoidTypeInContext = function("LLVMVoidTypeInContext");
};

/// Of this process. Any thread may ask for it.
const Llvm& llvm();

}  // namespace lento::model::jit
