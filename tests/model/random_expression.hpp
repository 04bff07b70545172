/// Expressions that nobody would write, for properties that all of them have.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace lento::model {

/// A random expression: of functions that are smooth and bounded near where they are evaluated, or of all there are.
inline std::string random_expression(std::mt19937_64& random, int depth, bool smooth) {
    const auto pick = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
    if (depth == 0 || pick(6) == 0) {
        const std::vector<std::string> leaves{"x", "y", "v", "theta", "t", "2", "0.3", "-1.7", "pi", "1", "0"};
        return leaves[static_cast<std::size_t>(pick(static_cast<int>(leaves.size())))];
    }
    const auto inner = [&] { return random_expression(random, depth - 1, smooth); };
    const std::string a = inner();
    const std::string b = inner();
    const std::vector<std::string> tame{"(" + a + " + " + b + ")",
                                        "(" + a + " - " + b + ")",
                                        "(" + a + " * " + b + ")",
                                        "sin(" + a + ")",
                                        "cos(" + a + ")",
                                        "tanh(" + a + ")",
                                        "atan(" + a + ")",
                                        "exp(-(" + a + ")^2)",
                                        "sqrt(1 + (" + a + ")^2)",
                                        "(-" + a + ")",
                                        "(" + a + ")^3",
                                        "hypot(" + a + ", 2 + (" + b + ")^2)",
                                        "atan2(" + a + ", 3 + cos(" + b + "))",
                                        a + "/(2 + sin(" + b + "))",
                                        "log(2 + (" + a + ")^2)",
                                        "(1.5 + tanh(" + a + "))^2.5",
                                        "cbrt(2 + sin(" + a + "))",
                                        "sinh(sin(" + a + "))",
                                        "asin(0.5*cos(" + a + "))",
                                        "acos(0.5*sin(" + a + "))",
                                        "tan(0.3*sin(" + a + "))",
                                        "(2 + sin(" + a + "))^tanh(" + b + ")",
                                        "log10(3 + cos(" + a + "))",
                                        "cosh(cos(" + a + "))"};
    const std::vector<std::string> wild{a + "/" + b,
                                        "abs(" + a + ")",
                                        "sign(" + a + ")",
                                        "floor(" + a + ")",
                                        "min(" + a + ", " + b + ")",
                                        "max(" + a + ", " + b + ")",
                                        "pow(" + a + ", " + b + ")",
                                        "log(" + a + ")",
                                        "sqrt(" + a + ")",
                                        "(" + a + ")^-2",
                                        "exp(" + a + ")",
                                        "asin(" + a + ")",
                                        "(" + a + ")^0.5",
                                        "tan(" + a + ")",
                                        "atan2(" + a + ", " + b + ")"};
    const int choices = static_cast<int>(tame.size() + (smooth ? 0 : wild.size()));
    const auto choice = static_cast<std::size_t>(pick(choices));
    return choice < tame.size() ? tame[choice] : wild[choice - tame.size()];
}

}  // namespace lento::model
