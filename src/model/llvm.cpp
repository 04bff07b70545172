#include "model/llvm.hpp"

#include <dlfcn.h>

#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace lento::model::jit {
namespace {

void* opened(const char* name) {
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr) {
        throw std::runtime_error(
            fmt::format("models are compiled by LLVM, and {} cannot be loaded: {}", name, dlerror()));
    }
    return library;
}

}  // namespace

Llvm::Llvm() : library_(opened(LENTO_LLVM_LIBRARY)) {
    for (const char* part : {"TargetInfo", "Target", "TargetMC", "AsmPrinter"}) {
        const std::string name = fmt::format("LLVMInitialize{}{}", LENTO_LLVM_ARCHITECTURE, part);
        void (*initialise)() = function(name.c_str());
        initialise();
    }
}

Loaded Llvm::function(const char* name) const {
    void* address = dlsym(library_, name);
    if (address == nullptr) {
        throw std::runtime_error(fmt::format("{} has no {}", LENTO_LLVM_LIBRARY, name));
    }
    return Loaded(address);
}

const Llvm& llvm() {
    static const Llvm loaded;
    return loaded;
}

}  // namespace lento::model::jit
