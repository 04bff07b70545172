/// What compiling a graph takes, whatever the form of the function: LLVM's set-up, how long graphs are cut, and the
/// instructions of one operation on numbers or on vectors of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/compile.hpp"
#include "model/library.hpp"
#include "model/llvm.hpp"
#include "model/mapped.hpp"

namespace lento::model::jit {

// NOTE: measured on ropes. An operation costs 0.02 to 0.04 ms, more in long functions: 4,000 results, 6,000 operations
// take 0.8 s in functions of 1,000 and 0.4 s in those of 300, with code as fast. A result counts as an operation.
/// Functions of up to this many operations are compiled in one piece, fully optimised.
constexpr std::size_t longest_whole = 2000;
/// Longer ones are cut into functions of this length.
constexpr std::size_t chunk_length = 300;

struct Effort {
    LLVMCodeGenOptLevel level;
    const char* passes;
};
Effort effort_for(std::size_t operations);

/// How a long function is cut: what each piece computes and stores, and which values pass from one to another.
struct Cut {
    struct Piece {
        std::vector<Node> operations{};
        std::vector<std::size_t> rows{};  // the numbers of the results that it stores
    };
    std::vector<Piece> pieces{1};
    std::unordered_map<Node, std::size_t> piece_of{};  // which of them computes a node
    std::unordered_map<Node, std::size_t> carried{};   // the place of a value that a later piece needs
};
/// `operations` in ascending order; of the results each is one of them or a leaf. A result counts as an operation.
Cut cut(const Graph& graph, std::span<const Node> operations, std::span<const Node> results);

/// Writes all pieces of a function that computes `results`, each by its own `writer_of(piece)`.
template <class WriterOf>
void write_pieces(const Cut& plan, std::span<const Node> results, WriterOf&& writer_of) {
    for (std::size_t piece = 0; piece < plan.pieces.size(); ++piece) {
        auto writer = writer_of(piece);
        writer.compute(plan.pieces[piece].operations);
        for (const std::size_t row : plan.pieces[piece].rows) {
            writer.store_result(results[row], row);
        }
        writer.finish();
    }
}

/// A module to write functions into, and then their machine code.
class Machine {
public:
    /// Compiled code may call the scalar library and `more`.
    explicit Machine(Effort effort, const Library& more = {});
    ~Machine();
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    LLVMModuleRef module() const { return module_; }
    /// Optimises and compiles; the module is no more. Throws std::runtime_error if LLVM refuses.
    void finish();
    template <class Function>
    Function function(const std::string& name) const {
        return reinterpret_cast<Function>(address(name));
    }

private:
    void define(std::span<const LibraryFunction> functions);
    std::uintptr_t address(const std::string& function) const;

    Effort effort_;
    LLVMOrcLLJITRef jit_ = nullptr;
    LLVMOrcThreadSafeContextRef context_ = nullptr;
    LLVMModuleRef module_ = nullptr;
};

/// An attribute without a value, such as "nounwind", of a function or of a parameter.
void add_attribute(LLVMValueRef function, LLVMAttributeIndex where, std::string_view name);

/// Operations as instructions. IEEE semantics are kept.
class Instructions {
public:
    /// On numbers of `type`, double or a vector of doubles. Elementary functions are those of `library`, which takes
    /// numbers of that type; what it does not have is called lane by lane from the scalar library.
    Instructions(LLVMModuleRef module, LLVMBuilderRef builder, LLVMTypeRef type, const Library& library);

    /// `b` is of no meaning for operations of one operand.
    LLVMValueRef operation(Op op, LLVMValueRef a, LLVMValueRef b);
    LLVMValueRef constant(double value) const { return llvm().ConstReal(type_, value); }

    struct SineAndCosine {
        LLVMValueRef sine, cosine;
    };
    /// By one call into `room`, a pointer to two numbers, where the library has such a function.
    SineAndCosine sine_and_cosine(LLVMValueRef a, LLVMValueRef room);

private:
    LLVMValueRef select(LLVMRealPredicate test, LLVMValueRef left, LLVMValueRef right, LLVMValueRef yes,
                        LLVMValueRef no);
    LLVMValueRef intrinsic(std::string_view name, LLVMValueRef a);
    LLVMValueRef lane_by_lane(Op op, LLVMValueRef a, LLVMValueRef b);
    LLVMValueRef call(const LibraryFunction& function, LLVMTypeRef number, LLVMValueRef a, LLVMValueRef b);
    LLVMValueRef declared(const char* name, LLVMTypeRef type);

    LLVMModuleRef module_;
    LLVMBuilderRef builder_;
    LLVMTypeRef type_;
    const Library& library_;
};

/// Writes one function into a module: values of nodes, by a loop or at once.
class Writer {
public:
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void store_result(Node node, std::size_t index) { store(value(node), result_parameter_, index); }

protected:
    /// On `lanes` numbers at once. Results and what passes from piece to piece are arrays, the parameters
    /// `result_parameter` and, of pieces, the one behind it.
    Writer(LLVMModuleRef module, const FunctionGraph& source, const Cut& plan, std::size_t lanes,
           unsigned result_parameter)
        : context_(llvm().GetModuleContext(module)),
          source_(source),
          plan_(plan),
          number_(llvm().DoubleTypeInContext(context_)),
          count_(llvm().Int64TypeInContext(context_)),
          vector_(lanes == 1 ? number_ : llvm().VectorType(number_, static_cast<unsigned>(lanes))),
          builder_(llvm().CreateBuilderInContext(context_)),
          instructions_(module, builder_, vector_, lanes == 1 ? scalar_library() : vector_library(lanes)),
          result_parameter_(result_parameter) {}
    virtual ~Writer() { llvm().DisposeBuilder(builder_); }

    /// Begins the function, which returns a `result`.
    void begin(LLVMModuleRef module, const std::string& name, LLVMTypeRef result, std::span<LLVMTypeRef> parameters) {
        const auto count = static_cast<unsigned>(parameters.size());
        function_ = llvm().AddFunction(module, name.c_str(), llvm().FunctionType(result, parameters.data(), count, 0));
        for (unsigned written = result_parameter_; written < std::min(count, result_parameter_ + 2); ++written) {
            add_attribute(function_, 1 + written, "noalias");
        }
        add_attribute(function_, LLVMAttributeFunctionIndex, "nounwind");
        entry_ = llvm().AppendBasicBlockInContext(context_, function_, "entry");
        llvm().PositionBuilderAtEnd(builder_, entry_);
    }

    /// Where in an array that is a parameter a number, or a row of them, stands.
    virtual LLVMValueRef element(unsigned parameter, std::size_t index) = 0;
    /// The value of a node that was not met before and is no operation of this piece.
    virtual LLVMValueRef given(Node node) = 0;

    LLVMValueRef value(Node node) {
        if (const auto known = values_.find(node); known != values_.end()) {
            return known->second;
        }
        return values_.emplace(node, given(node)).first->second;
    }
    LLVMValueRef operation(const Graph::Entry& entry) {
        const LLVMValueRef a = value(entry.a);
        return instructions_.operation(entry.op, a, value(entry.b));
    }
    /// Of a node that later pieces may need.
    void keep(Node node, LLVMValueRef made) {
        values_.emplace(node, made);
        if (const auto place = plan_.carried.find(node); place != plan_.carried.end()) {
            store(made, carried_parameter(), place->second);
        }
    }
    LLVMValueRef carried(Node node) { return load(carried_parameter(), plan_.carried.at(node)); }
    unsigned carried_parameter() const { return result_parameter_ + 1; }

    LLVMValueRef load(unsigned parameter, std::size_t index) {
        const LLVMValueRef loaded = llvm().BuildLoad2(builder_, vector_, element(parameter, index), "");
        llvm().SetAlignment(loaded, alignof(double));
        return loaded;
    }
    void store(LLVMValueRef value, unsigned parameter, std::size_t index) {
        llvm().SetAlignment(llvm().BuildStore(builder_, value, element(parameter, index)), alignof(double));
    }
    LLVMValueRef offset(unsigned parameter, LLVMValueRef by) {
        return llvm().BuildGEP2(builder_, number_, llvm().GetParam(function_, parameter), &by, 1, "");
    }
    LLVMValueRef whole(std::size_t number) const { return llvm().ConstInt(count_, number, 0); }

    LLVMContextRef context_;
    const FunctionGraph& source_;
    const Cut& plan_;
    LLVMTypeRef number_, count_, vector_;
    LLVMBuilderRef builder_;
    Instructions instructions_;
    unsigned result_parameter_;
    std::unordered_map<Node, LLVMValueRef> values_;
    LLVMValueRef function_ = nullptr;
    LLVMBasicBlockRef entry_ = nullptr;
};

}  // namespace lento::model::jit
