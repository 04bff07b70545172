/// What the rates of a motion are made of, as recurrences for Taylor coefficients along it
/// (`problem/motion_series.hpp`).
///
/// Each quantity has a coefficient of order k, made of coefficients of order 0 and k of others and of sums over what
/// lies between, which only lower orders enter:
///
///     S_l = sum_{j=1}^{k-1} A_j B_{k-j}     lane l, of two quantities or of j times their coefficients
///
/// so that all lanes of one order can be summed at once, in vectors, before anything else of that order is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/compile.hpp"

namespace lento::model {

class MotionTape {
public:
    using Quantity = std::size_t;
    enum class Rule : std::uint8_t {
        fixed,       // made of parameters: no coefficients but the first
        clock,       // time, phases and what is linear in them: no coefficients beyond the second
        state,       // of the motion
        linear,      // sums and differences, products with what is fixed
        product,     // y = a b:         y_k = S + a_0 b_k + a_k b_0
        quotient,    // b y = a:         y_k = (a_k - S - b_k y_0)/b_0               S of (b, y)
        root,        // y^2 = a:         y_k = (a_k - S)/(2 y_0)                     S of (y, y)
        following,   // y' = +-g a':     y_k = +-(S/k + a_k g_0)                     S of (j a, g)
        with_clock,  // the same where a_k = 0 from k = 2 on:  y_k = +-a_1 g_{k-1}/k
        power,       // a y' = b y a':   y_k = ((b_0 + 1) S/k - T + b_0 a_k y_0)/a_0   S of (j a, y), T of (a, y)
        primitive,   // b y' = a':       y_k = (a_k - S/k)/b_0                       S of (j y, b)
        turned,      // y' = b a' - a b':  y_k = (S - T)/k + a_k b_0 - b_k a_0       S of (j a, b), T of (j b, a)
    };
    struct Step {
        Rule rule = Rule::fixed;
        Op op = Op::constant;  // of the value, on `left` and `right`; of `linear` that of coefficients too
        Quantity left = 0, right = 0;
        Quantity a = 0, b = 0;  // what coefficients are made of; b is g of those that follow
        int sign = 1;
        std::size_t s = 0, t = 0;  // lanes
        double value = 0;          // of a constant
        Place place{};             // of a symbol
    };
    /// One side of a lane.
    struct Side {
        Quantity quantity = 0;
        bool weighted = false;  // j times the coefficient
        auto operator<=>(const Side&) const = default;
    };
    using Lane = std::pair<Side, Side>;

    /// Of the results of a function; none where one of them has kinks (abs, sign, floor, min, max).
    static std::optional<MotionTape> of(const FunctionGraph& function);

    const std::vector<Step>& steps() const { return steps_; }  ///< in an order in which they can be computed
    const std::vector<Lane>& lanes() const { return lanes_; }
    const std::vector<Quantity>& results() const { return results_; }
    /// Steps that orders beyond the second have to compute.
    std::size_t operations() const;

private:
    MotionTape() = default;
    bool add(const FunctionGraph& function, Node node);
    bool add_operation(Node node, Op op, Quantity a, Quantity b);

    Quantity push(const Step& step) {
        steps_.push_back(step);
        return steps_.size() - 1;
    }
    Quantity number(double value) { return push({.op = Op::constant, .value = value}); }
    Quantity linear(Op op, Quantity a, Quantity b);
    Quantity product(Quantity a, Quantity b);
    Quantity quotient(Quantity a, Quantity b);
    Quantity root(Quantity a);
    Quantity following(Op op, Quantity a);
    std::pair<Quantity, Quantity> pair(Op first, Op second, int sign, Quantity a);
    Quantity with_square_slope(Op op, Quantity a);
    Quantity power(Op op, Quantity base, Quantity exponent, Quantity right);
    Quantity primitive(Op op, Quantity left, Quantity right, Quantity n, Quantity g);
    Quantity angle(Quantity y, Quantity x);
    std::size_t lane(Side a, Side b);

    bool is(Quantity quantity, Rule rule) const { return steps_[quantity].rule == rule; }

    std::vector<Step> steps_;
    std::vector<Lane> lanes_;
    std::vector<Quantity> results_;
    std::map<Lane, std::size_t> known_lanes_;
    std::map<std::pair<Op, Quantity>, std::pair<Quantity, Quantity>> pairs_;
    std::unordered_map<Node, Quantity> of_;
};

}  // namespace lento::model
