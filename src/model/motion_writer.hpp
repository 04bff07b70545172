/// Writes the function of a `MotionTape` that `MotionCode` calls, in LLVM's instructions:
///
///     values and what is divided by, once;  Y_1
///     for (k = 1; k < order; ++k) {
///         S_l = sum_{j=1}^{k-1} A_j[l] B_{k-j}[l] for all lanes;  coefficients of order k;  Y_{k+1};  A_k, B_k
///     }
///
/// Work space is two arrays of rows, A and then B, one row an order and one column a lane. Rows of B before the first
/// are zero, so that sums can be taken several orders at a time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/jit.hpp"
#include "model/motion_code.hpp"
#include "model/motion_tape.hpp"
#include "problem/motion_series.hpp"

namespace lento::model {

/// Where the coefficients of lanes stand.
struct LaneLayout {
    static constexpr std::size_t vector = 4;  // lanes of an instruction
    std::size_t blocks;                       // vectors of a row
    std::size_t together;                     // terms of a sum that are taken together

    explicit LaneLayout(std::size_t lanes)
        : blocks((lanes + vector - 1) / vector),
          together(blocks <= 1   ? 4
                   : blocks <= 3 ? 2
                                 : 1) {}
    std::size_t row() const { return blocks * vector; }
    /// Of A, with as many rows more as a sum may read beyond its end.
    std::size_t rows(std::size_t orders) const { return orders + together + 1; }
    std::size_t numbers(std::size_t orders) const { return 2 * rows(orders) * row(); }
};

class MotionWriter {
public:
    /// Of forces the states are positions and then velocities, whose rates are the results times inverse masses.
    MotionWriter(LLVMModuleRef module, const std::string& name, const MotionTape& tape, MotionCode::Kind kind);
    ~MotionWriter();
    MotionWriter(const MotionWriter&) = delete;
    MotionWriter& operator=(const MotionWriter&) = delete;

    void write();

private:
    using Value = LLVMValueRef;
    using Quantity = MotionTape::Quantity;
    using Step = MotionTape::Step;
    using Rule = MotionTape::Rule;
    enum Parameter : unsigned { order, length, time, theta, turns, inputs, inverse_masses, motion, space };

    // Once, before the loop.
    Value value_of(const Step& step);
    Value divisor_of(Quantity quantity);
    Value rate_of_clock(const Step& step);
    // In it.
    void begin_loop();
    void sum_lanes();
    void sum_blocks(std::size_t first, std::size_t count);
    Value coefficient_of(Quantity quantity);
    Value of_linear(const Step& step);
    void store_lanes();
    Value packed(std::span<const MotionTape::Lane> lanes, MotionTape::Side MotionTape::Lane::*side);
    void end_loop();
    /// Y_{k+1} = h r_k/(k + 1)
    void advance(Value k, Value next, Value factor, std::span<const Value> coefficients);

    /// Row i of M^-1 f.
    Value acceleration(std::size_t i, std::span<const Value> coefficients);

    // Numbers; null is zero.
    Value plus(Value a, Value b);
    Value minus(Value a, Value b);
    Value times(Value a, Value b);
    Value times_plus(Value a, Value b, Value c);
    Value fused(Value a, Value b, Value c, LLVMTypeRef type);
    Value number(double value) const { return jit::llvm().ConstReal(number_, value); }
    Value whole(std::size_t value) const { return jit::llvm().ConstInt(count_, value, 0); }
    Value parameter(Parameter which) const { return jit::llvm().GetParam(function_, which); }
    Value place(Parameter array, Value index);
    Value load(Parameter array, Value index);
    Value row_of(std::size_t array, Value index, std::size_t block);
    std::size_t state_of(const Step& step) const;

    LLVMContextRef context_;
    LLVMModuleRef module_;
    const MotionTape& tape_;
    MotionCode::Kind kind_;
    LaneLayout layout_;
    std::size_t count_of_states_;
    bool has_fused_;
    LLVMTypeRef number_, count_, vector_;
    LLVMBuilderRef builder_;
    jit::Instructions instructions_;
    LLVMValueRef function_ = nullptr;
    LLVMBasicBlockRef entry_ = nullptr, loop_ = nullptr;
    Value k_ = nullptr, inverse_k_ = nullptr, weight_ = nullptr;  // of the order, in the loop
    std::vector<Value> values_, divisors_, clock_rates_;          // by quantity
    std::vector<Value> coefficients_, before_;                    // of this order, and of the one before where needed
    std::vector<Value> sums_;                                     // by lane
};

}  // namespace lento::model
