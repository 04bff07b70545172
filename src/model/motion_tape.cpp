#include "model/motion_tape.hpp"

#include <algorithm>
#include <numbers>

namespace lento::model {

std::optional<MotionTape> MotionTape::of(const FunctionGraph& function) {
    MotionTape tape;
    for (const Node node : function.graph.parts(function.results)) {
        if (!tape.add(function, node)) {
            return std::nullopt;
        }
    }
    for (const Node node : function.results) {
        tape.results_.push_back(tape.of_.at(node));
    }
    return tape;
}

std::size_t MotionTape::operations() const {
    return static_cast<std::size_t>(std::ranges::count_if(steps_, [](const Step& step) {
        return step.rule != Rule::fixed && step.rule != Rule::clock && step.rule != Rule::state;
    }));
}

bool MotionTape::add(const FunctionGraph& function, Node node) {
    const auto& entry = function.graph[node];
    if (entry.op == Op::constant) {
        of_.emplace(node, number(entry.value));
    } else if (entry.op == Op::symbol) {
        const Place& place = function.places[entry.symbol];
        const Rule rule = place.array == Place::Array::input                                        ? Rule::fixed
                          : place.array == Place::Array::time || place.array == Place::Array::phase ? Rule::clock
                                                                                                    : Rule::state;
        of_.emplace(node, push({.rule = rule, .op = Op::symbol, .place = place}));
    } else {
        return add_operation(node, entry.op, of_.at(entry.a), of_.at(entry.b));
    }
    return true;
}

bool MotionTape::add_operation(Node node, Op op, Quantity a, Quantity b) {
    const auto made = [&](Quantity quantity) {
        of_.emplace(node, quantity);
        return true;
    };
    if (is(a, Rule::fixed) && is(b, Rule::fixed)) {
        return made(push({.op = op, .left = a, .right = b}));
    }
    switch (op) {
        case Op::add:
        case Op::subtract:
        case Op::negate:
            return made(linear(op, a, b));
        case Op::multiply:
            return made(product(a, b));
        case Op::divide:
            return made(quotient(a, b));
        case Op::power:
            if (!is(b, Rule::fixed)) {
                const Quantity logarithm =
                    is(a, Rule::fixed) ? push({.op = Op::log, .left = a, .right = a}) : primitive(Op::log, a, a, a, a);
                return made(following(Op::exp, product(b, logarithm)));
            }
            return made(power(op, a, b, b));
        case Op::cbrt:
            return made(power(op, a, number(1.0 / 3), a));
        case Op::sqrt:
            return made(root(a));
        case Op::hypot:
            return made(root(linear(Op::add, product(a, a), product(b, b))));
        case Op::sin:
            return made(pair(Op::sin, Op::cos, -1, a).first);
        case Op::cos:
            return made(pair(Op::sin, Op::cos, -1, a).second);
        case Op::sinh:
            return made(pair(Op::sinh, Op::cosh, 1, a).first);
        case Op::cosh:
            return made(pair(Op::sinh, Op::cosh, 1, a).second);
        case Op::tan:
        case Op::tanh:
            return made(with_square_slope(op, a));
        case Op::exp:
            return made(following(op, a));
        case Op::log:
            return made(primitive(op, a, a, a, a));
        case Op::log10:
            return made(product(number(1 / std::numbers::ln10), primitive(Op::log, a, a, a, a)));
        case Op::atan:
            return made(primitive(op, a, a, a, linear(Op::add, number(1), product(a, a))));
        case Op::asin:
        case Op::acos: {
            const Quantity slope = root(linear(Op::subtract, number(1), product(a, a)));
            return made(primitive(op, a, a, op == Op::asin ? a : linear(Op::negate, a, a), slope));
        }
        case Op::atan2:
            return made(angle(a, b));
        default:
            return false;  // abs, sign, floor, min, max
    }
}

MotionTape::Quantity MotionTape::linear(Op op, Quantity a, Quantity b) {
    const auto either = [this](Quantity q) { return is(q, Rule::fixed) || is(q, Rule::clock); };
    const Rule rule = is(a, Rule::fixed) && is(b, Rule::fixed) ? Rule::fixed
                      : either(a) && either(b)                 ? Rule::clock
                                                               : Rule::linear;
    return push({.rule = rule, .op = op, .left = a, .right = b, .a = a, .b = b});
}

MotionTape::Quantity MotionTape::product(Quantity a, Quantity b) {
    if (is(a, Rule::fixed) || is(b, Rule::fixed)) {
        return is(a, Rule::fixed) ? linear(Op::multiply, a, b) : linear(Op::multiply, b, a);
    }
    return push({.rule = Rule::product,
                 .op = Op::multiply,
                 .left = a,
                 .right = b,
                 .a = a,
                 .b = b,
                 .s = lane({std::min(a, b)}, {std::max(a, b)})});
}

MotionTape::Quantity MotionTape::quotient(Quantity a, Quantity b) {
    if (is(b, Rule::fixed)) {
        return linear(Op::divide, a, b);
    }
    const Quantity y = push({.rule = Rule::quotient, .op = Op::divide, .left = a, .right = b, .a = a, .b = b});
    steps_[y].s = lane({b}, {y});
    return y;
}

MotionTape::Quantity MotionTape::root(Quantity a) {
    const Quantity y = push({.rule = Rule::root, .op = Op::sqrt, .left = a, .right = a, .a = a, .b = a});
    steps_[y].s = lane({y}, {y});
    return y;
}

MotionTape::Quantity MotionTape::following(Op op, Quantity a) {
    const Rule rule = is(a, Rule::clock) ? Rule::with_clock : Rule::following;
    const Quantity y = push({.rule = rule, .op = op, .left = a, .right = a, .a = a, .b = steps_.size()});
    if (rule == Rule::following) {
        steps_[y].s = lane({a, true}, {y});
    }
    return y;
}

/// Of which each is the derivative of the other by a: sines and cosines, of which the second has a sign.
std::pair<MotionTape::Quantity, MotionTape::Quantity> MotionTape::pair(Op first, Op second, int sign, Quantity a) {
    const auto [known, is_new] = pairs_.try_emplace({first, a});
    if (is_new) {
        const Rule rule = is(a, Rule::clock) ? Rule::with_clock : Rule::following;
        const Quantity sine = steps_.size(), cosine = sine + 1;
        push({.rule = rule, .op = first, .left = a, .right = a, .a = a, .b = cosine});
        push({.rule = rule, .op = second, .left = a, .right = a, .a = a, .b = sine, .sign = sign});
        if (rule == Rule::following) {
            steps_[sine].s = lane({a, true}, {cosine});
            steps_[cosine].s = lane({a, true}, {sine});
        }
        known->second = {sine, cosine};
    }
    return known->second;
}

/// y' = (1 + y^2) a' of tan, (1 - y^2) a' of tanh
MotionTape::Quantity MotionTape::with_square_slope(Op op, Quantity a) {
    const Rule rule = is(a, Rule::clock) ? Rule::with_clock : Rule::following;
    const Quantity y = push({.rule = rule, .op = op, .left = a, .right = a, .a = a});
    const Quantity square = product(y, y);
    const Quantity slope = linear(op == Op::tan ? Op::add : Op::subtract, number(1), square);
    steps_[y].b = slope;
    if (rule == Rule::following) {
        steps_[y].s = lane({a, true}, {slope});
    }
    return y;
}

MotionTape::Quantity MotionTape::power(Op op, Quantity base, Quantity exponent, Quantity right) {
    const Quantity y = push({.rule = Rule::power, .op = op, .left = base, .right = right, .a = base, .b = exponent});
    steps_[y].s = lane({base, true}, {y});
    steps_[y].t = lane({base}, {y});
    return y;
}

MotionTape::Quantity MotionTape::primitive(Op op, Quantity left, Quantity right, Quantity n, Quantity g) {
    const Quantity y = push({.rule = Rule::primitive, .op = op, .left = left, .right = right, .a = n, .b = g});
    steps_[y].s = lane({y, true}, {g});
    return y;
}

/// (x^2 + y^2) angle' = x y' - y x'
MotionTape::Quantity MotionTape::angle(Quantity y, Quantity x) {
    const Quantity turned = push({.rule = Rule::turned, .op = Op::constant, .a = y, .b = x});
    steps_[turned].s = lane({y, true}, {x});
    steps_[turned].t = lane({x, true}, {y});
    return primitive(Op::atan2, y, x, turned, linear(Op::add, product(x, x), product(y, y)));
}

std::size_t MotionTape::lane(Side a, Side b) {
    const auto [known, is_new] = known_lanes_.try_emplace({a, b}, lanes_.size());
    if (is_new) {
        lanes_.emplace_back(a, b);
    }
    return known->second;
}

}  // namespace lento::model
