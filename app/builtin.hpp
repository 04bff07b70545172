/// Problems written in C++ that the program can run by name.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lento/method/request.hpp"
#include "lento/solution/solution.hpp"

namespace lento::app {

using Values = std::map<std::string, double, std::less<>>;

struct Parameter {
    std::string name;
    double value;
    std::string meaning;
};

struct Builtin {
    std::string name, title, look_at;
    std::vector<Parameter> parameters;
    std::vector<std::string> coordinates;
    std::vector<std::string> observed;
    /// Fills in start, velocity and whatever the user left open, and solves.
    std::function<Solution(const Values&, Request)> solve;
    /// The observed quantities at a state (x, v).
    std::function<std::vector<double>(const Values&, std::span<const double> x, std::span<const double> v)> observe;
    /// The period of the vibration, for output that resolves it.
    std::function<double(const Values&)> period;
    double t_end = 1;
};

const std::vector<Builtin>& builtins();

}  // namespace lento::app
