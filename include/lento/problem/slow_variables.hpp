/// Slow variables of a system: functions xi(x) whose rates of change stay bounded as the fast motion becomes faster (reversible (2.1)).
///
///     x' = f(x)/eps + g(x),     |d xi(x(t)) / dt| <= C        x = (q, v) for systems with coordinates
///
/// A variable may have an alternative, a second function that can stand for it where the gradient of the first depends on those of the
/// others: a second chart. `outputs` are all variables, each followed by its alternative if it has one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/jet.hpp"
#include "lento/base/misuse.hpp"

namespace lento {

struct SlowName {
    std::string name;
    std::string alternative{};  ///< the name of the second chart, empty if there is none
};

inline std::size_t outputs_of(const std::vector<SlowName>& names) {
    std::size_t outputs = 0;
    for (const auto& name : names) {
        outputs += name.alternative.empty() ? 1 : 2;
    }
    return outputs;
}

/// An entry of the Hessian of an output; both triangles are listed.
struct HessianEntry {
    std::size_t output, row, column;
    double value;
};

/// Slow variables written in C++: `xi(x, t, theta, result)` with spans, a template on the scalar type. Derivatives are by jets. One object
/// is for one thread: it has work space.
template <class Function>
class SlowFunction {
public:
    SlowFunction(std::vector<SlowName> names, Function function)
        : names_(std::move(names)), outputs_(outputs_of(names_)), function_(std::move(function)) {
        if (names_.empty()) {
            throw Misuse("a system needs at least one slow variable");
        }
    }

    const std::vector<SlowName>& names() const { return names_; }

    void values(std::span<const double> x, double t, std::span<const double> theta, std::span<double> xi) {
        function_(x, t, theta, xi);
    }

    /// d xi/dt where x, t and the phases change at these rates.
    void rates(std::span<const double> x, std::span<const double> x_rate, double t, double t_rate,
               std::span<const double> theta, std::span<const double> theta_rate, std::span<double> result) {
        along(first_, x, x_rate, t, t_rate, theta, theta_rate);
        for (std::size_t k = 0; k < outputs_; ++k) {
            result[k] = first_.xi[k][1];
        }
    }

    /// By x, row by row.
    void gradients(std::span<const double> x, double t, std::span<const double> theta, std::span<double> result) {
        std::vector<double> direction(x.size(), 0.0);
        for (std::size_t i = 0; i < x.size(); ++i) {
            direction[i] = 1;
            along(first_, x, direction, t, 0, theta, {});
            direction[i] = 0;
            for (std::size_t k = 0; k < outputs_; ++k) {
                result[k * x.size() + i] = first_.xi[k][1];
            }
        }
    }

    /// By polarisation: 2 e_i A e_j = (e_i + e_j) A (e_i + e_j) - e_i A e_i - e_j A e_j.
    std::vector<HessianEntry> hessians(std::span<const double> x, double t, std::span<const double> theta) {
        const std::size_t d = x.size();
        std::vector<double> direction(d, 0.0);
        std::vector<double> diagonal(d * outputs_);
        std::vector<HessianEntry> entries;
        const auto add = [&](std::size_t k, std::size_t i, std::size_t j, double value) {
            if (value != 0) {
                entries.push_back({k, i, j, value});
            }
        };
        for (std::size_t i = 0; i < d; ++i) {
            direction[i] = 1;
            along(second_, x, direction, t, 0, theta, {});
            for (std::size_t k = 0; k < outputs_; ++k) {
                diagonal[k * d + i] = second_.xi[k][2];
                add(k, i, i, 2 * second_.xi[k][2]);
            }
            for (std::size_t j = 0; j < i; ++j) {
                direction[j] = 1;
                along(second_, x, direction, t, 0, theta, {});
                direction[j] = 0;
                for (std::size_t k = 0; k < outputs_; ++k) {
                    const double mixed = second_.xi[k][2] - diagonal[k * d + i] - diagonal[k * d + j];
                    add(k, i, j, mixed);
                    add(k, j, i, mixed);
                }
            }
            direction[i] = 0;
        }
        return entries;
    }

private:
    template <int Degree>
    struct Space {
        std::vector<Jet<double, Degree>> x{}, theta{}, xi{};
    };

    template <int Degree>
    void along(Space<Degree>& space, std::span<const double> x, std::span<const double> x_rate, double t, double t_rate,
               std::span<const double> theta, std::span<const double> theta_rate) {
        using J = Jet<double, Degree>;
        space.x.resize(x.size());
        space.theta.resize(theta.size());
        space.xi.resize(outputs_);
        for (std::size_t i = 0; i < x.size(); ++i) {
            space.x[i][0] = x[i];
            space.x[i][1] = x_rate[i];
        }
        for (std::size_t j = 0; j < theta.size(); ++j) {
            space.theta[j][0] = theta[j];
            space.theta[j][1] = theta_rate.empty() ? 0.0 : theta_rate[j];
        }
        J time(t);
        time[1] = t_rate;
        function_(std::span<const J>(space.x), time, std::span<const J>(space.theta), std::span<J>(space.xi));
    }

    std::vector<SlowName> names_;
    std::size_t outputs_;
    Function function_;
    Space<1> first_;
    Space<2> second_;
};

/// A system, with or without coordinates, and its slow variables.
template <class System, class Slow>
struct SlowSystem {
    System system;
    Slow slow;
};

/// `xi(x, result)`, or `xi(x, t, theta, result)` for functions of the time and the phases.
template <class System, class Function>
auto slow_system(System system, std::vector<SlowName> names, Function function) {
    auto canonical = [function = std::move(function)](auto x, auto t, auto theta, auto xi) {
        if constexpr (requires { function(x, t, theta, xi); }) {
            function(x, t, theta, xi);
        } else {
            function(x, xi);
        }
    };
    using Slow = SlowFunction<decltype(canonical)>;
    return SlowSystem<System, Slow>{std::move(system), Slow(std::move(names), std::move(canonical))};
}

}  // namespace lento
