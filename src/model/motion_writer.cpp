#include "model/motion_writer.hpp"

#include <algorithm>
#include <array>

namespace lento::model {

using jit::llvm;

MotionWriter::MotionWriter(LLVMModuleRef module, const std::string& name, const MotionTape& tape, MotionCode::Kind kind)
    : context_(llvm().GetModuleContext(module)),
      module_(module),
      tape_(tape),
      kind_(kind),
      layout_(tape.lanes().size()),
      count_of_states_(tape.results().size() * (kind == MotionCode::Kind::rates ? 1 : 2)),
      has_fused_(has_fused_products()),
      number_(llvm().DoubleTypeInContext(context_)),
      count_(llvm().Int64TypeInContext(context_)),
      vector_(llvm().VectorType(number_, LaneLayout::vector)),
      builder_(llvm().CreateBuilderInContext(context_)),
      instructions_(module, builder_, number_, scalar_library()),
      values_(tape.steps().size()),
      divisors_(tape.steps().size()),
      clock_rates_(tape.steps().size()),
      before_(tape.steps().size()) {
    LLVMTypeRef array = llvm().PointerType(number_, 0);
    std::array<LLVMTypeRef, 9> types{count_, number_, number_, array, array, array, array, array, array};
    function_ = llvm().AddFunction(
        module, name.c_str(), llvm().FunctionType(llvm().VoidTypeInContext(context_), types.data(), types.size(), 0));
    for (const Parameter written : {motion, space}) {
        jit::add_attribute(function_, 1 + written, "noalias");
    }
    jit::add_attribute(function_, LLVMAttributeFunctionIndex, "nounwind");
    entry_ = llvm().AppendBasicBlockInContext(context_, function_, "entry");
    llvm().PositionBuilderAtEnd(builder_, entry_);
}

MotionWriter::~MotionWriter() {
    llvm().DisposeBuilder(builder_);
}

void MotionWriter::write() {
    const auto& steps = tape_.steps();
    for (Quantity q = 0; q < steps.size(); ++q) {
        values_[q] = value_of(steps[q]);
    }
    for (Quantity q = 0; q < steps.size(); ++q) {
        divisors_[q] = divisor_of(q);
        clock_rates_[q] = steps[q].rule == Rule::clock ? rate_of_clock(steps[q]) : nullptr;
    }
    advance(whole(0), whole(1), parameter(length), values_);
    begin_loop();
    sum_lanes();
    coefficients_.assign(steps.size(), nullptr);
    for (Quantity q = 0; q < steps.size(); ++q) {
        coefficients_[q] = coefficient_of(q);
    }
    store_lanes();
    end_loop();
}

// --- values ----------------------------------------------------------------------------------------------------------

LLVMValueRef MotionWriter::value_of(const Step& step) {
    if (step.op == Op::constant) {
        return number(step.value);
    }
    if (step.op != Op::symbol) {
        return instructions_.operation(step.op, values_[step.left], values_[step.right]);
    }
    switch (step.place.array) {
        case Place::Array::time:
            return parameter(time);
        case Place::Array::phase:
            return load(theta, whole(step.place.index));
        case Place::Array::input:
            return load(inputs, whole(step.place.index));
        default:
            return load(motion, whole(state_of(step)));
    }
}

/// One over what coefficients are divided by.
LLVMValueRef MotionWriter::divisor_of(Quantity quantity) {
    const auto& step = tape_.steps()[quantity];
    const auto one_over = [&](Value value) { return llvm().BuildFDiv(builder_, number(1), value, ""); };
    switch (step.rule) {
        case Rule::quotient:
        case Rule::primitive:
            return one_over(values_[step.b]);
        case Rule::power:
            return one_over(values_[step.a]);
        case Rule::root:
            return one_over(times(number(2), values_[quantity]));
        case Rule::linear:
            return step.op == Op::divide ? one_over(values_[step.b]) : nullptr;
        default:
            return nullptr;
    }
}

/// The second coefficient of what is linear in time and phases.
LLVMValueRef MotionWriter::rate_of_clock(const Step& step) {
    if (step.op == Op::symbol) {
        return step.place.array == Place::Array::time ? parameter(length) : load(turns, whole(step.place.index));
    }
    const Value a = clock_rates_[step.a], b = clock_rates_[step.b];  // null where it is fixed
    switch (step.op) {
        case Op::add:
            return plus(a, b);
        case Op::subtract:
            return minus(a, b);
        case Op::negate:
            return minus(nullptr, a);
        case Op::multiply:
            return times(values_[step.a], b);
        default:
            return llvm().BuildFDiv(builder_, a, values_[step.b], "");
    }
}

// --- the loop --------------------------------------------------------------------------------------------------------

void MotionWriter::begin_loop() {
    LLVMBasicBlockRef end = llvm().AppendBasicBlockInContext(context_, function_, "end");
    loop_ = llvm().AppendBasicBlockInContext(context_, function_, "orders");
    const Value any = llvm().BuildICmp(builder_, LLVMIntUGT, parameter(order), whole(1), "");
    llvm().BuildCondBr(builder_, any, loop_, end);
    llvm().PositionBuilderAtEnd(builder_, end);
    llvm().BuildRetVoid(builder_);
    llvm().PositionBuilderAtEnd(builder_, loop_);
    const auto carried = [&](LLVMTypeRef type, Value first) {
        const Value phi = llvm().BuildPhi(builder_, type, "");
        llvm().AddIncoming(phi, &first, &entry_, 1);
        return phi;
    };
    k_ = carried(count_, whole(1));
    for (const auto& step : tape_.steps()) {
        if (step.rule == Rule::with_clock && before_[step.b] == nullptr) {
            before_[step.b] = carried(number_, values_[step.b]);
        }
    }
    weight_ = llvm().BuildUIToFP(builder_, k_, number_, "");
    inverse_k_ = llvm().BuildFDiv(builder_, number(1), weight_, "");
}

void MotionWriter::end_loop() {
    const Value next = llvm().BuildAdd(builder_, k_, whole(1), "");
    const Value factor =
        llvm().BuildFDiv(builder_, parameter(length), llvm().BuildUIToFP(builder_, next, number_, ""), "");
    advance(k_, next, factor, coefficients_);
    LLVMBasicBlockRef here = llvm().GetInsertBlock(builder_);
    LLVMBasicBlockRef end = llvm().GetNextBasicBlock(entry_);
    llvm().BuildCondBr(builder_, llvm().BuildICmp(builder_, LLVMIntULT, next, parameter(order), ""), loop_, end);
    Value following = next;
    llvm().AddIncoming(k_, &following, &here, 1);
    for (Quantity q = 0; q < before_.size(); ++q) {
        if (before_[q] != nullptr) {
            Value last = coefficients_[q];
            llvm().AddIncoming(before_[q], &last, &here, 1);
        }
    }
}

void MotionWriter::advance(Value k, Value next, Value factor, std::span<const Value> coefficients) {
    const std::size_t results = tape_.results().size();
    const Value from = llvm().BuildMul(builder_, k, whole(count_of_states_), "");
    const Value to = llvm().BuildMul(builder_, next, whole(count_of_states_), "");
    const auto put = [&](std::size_t i, Value rate) {
        const Value made = rate == nullptr ? number(0) : times(factor, rate);
        llvm().BuildStore(builder_, made, place(motion, llvm().BuildAdd(builder_, to, whole(i), "")));
    };
    for (std::size_t i = 0; i < results; ++i) {
        if (kind_ == MotionCode::Kind::rates) {
            put(i, coefficients[tape_.results()[i]]);
        } else {
            put(i, load(motion, llvm().BuildAdd(builder_, from, whole(results + i), "")));
            put(results + i, acceleration(i, coefficients));
        }
    }
}

LLVMValueRef MotionWriter::acceleration(std::size_t i, std::span<const Value> coefficients) {
    const auto& results = tape_.results();
    if (kind_ == MotionCode::Kind::forces) {
        const Value force = coefficients[results[i]];
        return force == nullptr ? nullptr : times(load(inverse_masses, whole(i)), force);
    }
    Value sum = nullptr;
    for (std::size_t j = 0; j < results.size(); ++j) {
        if (const Value force = coefficients[results[j]]; force != nullptr) {
            sum = times_plus(load(inverse_masses, whole(i * results.size() + j)), force, sum);
        }
    }
    return sum;
}

void MotionWriter::sum_lanes() {
    sums_.clear();
    const std::size_t most = std::max<std::size_t>(1, 8 / layout_.together);  // vectors at a time, in registers
    for (std::size_t first = 0; first < layout_.blocks; first += most) {
        sum_blocks(first, std::min(most, layout_.blocks - first));
    }
}

/// sum_{j=1}^{k-1} A_j B_{k-j} of some blocks.
void MotionWriter::sum_blocks(std::size_t first, std::size_t count) {
    LLVMBasicBlockRef before = llvm().GetInsertBlock(builder_);
    const auto block = [&] { return llvm().AppendBasicBlockInContext(context_, function_, ""); };
    LLVMBasicBlockRef test = block(), body = block(), after = block();
    llvm().BuildBr(builder_, test);
    llvm().PositionBuilderAtEnd(builder_, test);
    const Value j = llvm().BuildPhi(builder_, count_, "");
    Value one = whole(1), zero = llvm().ConstNull(vector_);
    llvm().AddIncoming(j, &one, &before, 1);
    std::vector<Value> sums(count * layout_.together);
    for (auto& sum : sums) {
        sum = llvm().BuildPhi(builder_, vector_, "");
        llvm().AddIncoming(sum, &zero, &before, 1);
    }
    llvm().BuildCondBr(builder_, llvm().BuildICmp(builder_, LLVMIntULT, j, k_, ""), body, after);

    llvm().PositionBuilderAtEnd(builder_, body);
    const auto row = [&](std::size_t array, Value index, std::size_t of) {
        const Value loaded = llvm().BuildLoad2(builder_, vector_, row_of(array, index, of), "");
        llvm().SetAlignment(loaded, MotionSeries::alignment);
        return loaded;
    };
    const Value opposite = llvm().BuildSub(builder_, k_, j, "");
    for (std::size_t u = 0; u < layout_.together; ++u) {
        const Value up = llvm().BuildAdd(builder_, j, whole(u), "");
        const Value down = llvm().BuildSub(builder_, opposite, whole(u), "");
        for (std::size_t b = 0; b < count; ++b) {
            const Value sum = sums[u * count + b];
            Value more = fused(row(0, up, first + b), row(1, down, first + b), sum, vector_);
            llvm().AddIncoming(sum, &more, &body, 1);
        }
    }
    Value next = llvm().BuildAdd(builder_, j, whole(layout_.together), "");
    llvm().AddIncoming(j, &next, &body, 1);
    llvm().BuildBr(builder_, test);

    llvm().PositionBuilderAtEnd(builder_, after);
    for (std::size_t b = 0; b < count; ++b) {
        Value total = sums[b];
        for (std::size_t u = 1; u < layout_.together; ++u) {
            total = llvm().BuildFAdd(builder_, total, sums[u * count + b], "");
        }
        for (std::size_t lane = 0; lane < LaneLayout::vector; ++lane) {
            sums_.push_back(llvm().BuildExtractElement(builder_, total, whole(lane), ""));
        }
    }
}

LLVMValueRef MotionWriter::coefficient_of(Quantity quantity) {
    const auto& step = tape_.steps()[quantity];
    const auto coefficient = [&](Quantity of) { return coefficients_[of]; };
    const auto mean = [&](Value sum) { return times(inverse_k_, sum); };
    const Value divisor = divisors_[quantity];
    switch (step.rule) {
        case Rule::fixed:
            return nullptr;
        case Rule::clock: {
            const Value second = llvm().BuildICmp(builder_, LLVMIntEQ, k_, whole(1), "");
            return llvm().BuildSelect(builder_, second, clock_rates_[quantity], number(0), "");
        }
        case Rule::state: {
            const Value from = llvm().BuildMul(builder_, k_, whole(count_of_states_), "");
            return load(motion, llvm().BuildAdd(builder_, from, whole(state_of(step)), ""));
        }
        case Rule::linear:
            return step.op == Op::divide ? times(coefficient(step.a), divisor) : of_linear(step);
        case Rule::product:
            return times_plus(values_[step.a], coefficient(step.b),
                              times_plus(coefficient(step.a), values_[step.b], sums_[step.s]));
        case Rule::quotient: {
            const Value known = times_plus(coefficient(step.b), values_[quantity], sums_[step.s]);
            return times(minus(coefficient(step.a), known), divisor);
        }
        case Rule::root:
            return times(minus(coefficient(step.a), sums_[step.s]), divisor);
        case Rule::following: {
            const Value made = times_plus(coefficient(step.a), values_[step.b], mean(sums_[step.s]));
            return step.sign < 0 ? minus(nullptr, made) : made;
        }
        case Rule::with_clock: {
            const Value made = times(times(inverse_k_, clock_rates_[step.a]), before_[step.b]);
            return step.sign < 0 ? minus(nullptr, made) : made;
        }
        case Rule::power: {
            const Value exponent = values_[step.b];
            const Value lower = minus(times(plus(exponent, number(1)), mean(sums_[step.s])), sums_[step.t]);
            return times(times_plus(times(exponent, coefficient(step.a)), values_[quantity], lower), divisor);
        }
        case Rule::primitive:
            return times(minus(coefficient(step.a), mean(sums_[step.s])), divisor);
        case Rule::turned: {
            const Value ends =
                minus(times(coefficient(step.a), values_[step.b]), times(coefficient(step.b), values_[step.a]));
            return plus(mean(minus(sums_[step.s], sums_[step.t])), ends);
        }
    }
    return nullptr;
}

LLVMValueRef MotionWriter::of_linear(const Step& step) {
    const Value a = coefficients_[step.a], b = coefficients_[step.b];
    switch (step.op) {
        case Op::add:
            return plus(a, b);
        case Op::subtract:
            return minus(a, b);
        case Op::negate:
            return minus(nullptr, a);
        default:
            return times(values_[step.a], b);  // what is fixed stands first
    }
}

void MotionWriter::store_lanes() {
    const std::span lanes(tape_.lanes());
    for (std::size_t block = 0; block < layout_.blocks; ++block) {
        const std::size_t first = block * LaneLayout::vector;
        const auto some = lanes.subspan(first, std::min(LaneLayout::vector, lanes.size() - first));
        const auto put = [&](std::size_t array, MotionTape::Side MotionTape::Lane::*side) {
            const Value stored = llvm().BuildStore(builder_, packed(some, side), row_of(array, k_, block));
            llvm().SetAlignment(stored, MotionSeries::alignment);
        };
        put(0, &MotionTape::Lane::first);
        put(1, &MotionTape::Lane::second);
    }
}

LLVMValueRef MotionWriter::packed(std::span<const MotionTape::Lane> lanes, MotionTape::Side MotionTape::Lane::*side) {
    Value vector = llvm().ConstNull(vector_);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const auto& from = lanes[lane].*side;
        Value made = coefficients_[from.quantity];
        if (made == nullptr) {
            continue;
        }
        if (from.weighted) {
            made = times(weight_, made);
        }
        vector = llvm().BuildInsertElement(builder_, vector, made, whole(lane), "");
    }
    return vector;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

LLVMValueRef MotionWriter::plus(Value a, Value b) {
    return a == nullptr ? b : b == nullptr ? a : llvm().BuildFAdd(builder_, a, b, "");
}
LLVMValueRef MotionWriter::minus(Value a, Value b) {
    return b == nullptr ? a : a == nullptr ? llvm().BuildFNeg(builder_, b, "") : llvm().BuildFSub(builder_, a, b, "");
}
LLVMValueRef MotionWriter::times(Value a, Value b) {
    return a == nullptr || b == nullptr ? nullptr : llvm().BuildFMul(builder_, a, b, "");
}
LLVMValueRef MotionWriter::times_plus(Value a, Value b, Value c) {
    if (a == nullptr || b == nullptr) {
        return c;
    }
    return c == nullptr ? times(a, b) : fused(a, b, c, number_);
}
LLVMValueRef MotionWriter::fused(Value a, Value b, Value c, LLVMTypeRef type) {
    if (!has_fused_) {
        return llvm().BuildFAdd(builder_, llvm().BuildFMul(builder_, a, b, ""), c, "");
    }
    constexpr std::string_view name = "llvm.fma";
    const unsigned id = llvm().LookupIntrinsicID(name.data(), name.size());
    LLVMValueRef function = llvm().GetIntrinsicDeclaration(module_, id, &type, 1);
    std::array<Value, 3> arguments{a, b, c};
    return llvm().BuildCall2(builder_, llvm().IntrinsicGetType(context_, id, &type, 1), function, arguments.data(), 3,
                             "");
}

LLVMValueRef MotionWriter::place(Parameter array, Value index) {
    return llvm().BuildGEP2(builder_, number_, parameter(array), &index, 1, "");
}
LLVMValueRef MotionWriter::load(Parameter array, Value index) {
    return llvm().BuildLoad2(builder_, number_, place(array, index), "");
}

/// A vector of the first array (A) or the second (B), by the order.
LLVMValueRef MotionWriter::row_of(std::size_t array, Value index, std::size_t block) {
    Value row = index;
    if (array == 1) {
        const Value rows = llvm().BuildAdd(builder_, parameter(order), whole(layout_.rows(0)), "");
        row = llvm().BuildAdd(builder_, llvm().BuildAdd(builder_, index, rows, ""), whole(layout_.together), "");
    }
    const Value first = llvm().BuildMul(builder_, row, whole(layout_.row()), "");
    const Value at = place(space, llvm().BuildAdd(builder_, first, whole(block * LaneLayout::vector), ""));
    return llvm().BuildBitCast(builder_, at, llvm().PointerType(vector_, 0), "");
}

std::size_t MotionWriter::state_of(const Step& step) const {
    return step.place.index + (step.place.array == Place::Array::velocity ? tape_.results().size() : 0);
}

}  // namespace lento::model
