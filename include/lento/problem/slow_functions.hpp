/// Slow variables of a system: functions xi(x) whose rates of change stay bounded as the fast motion becomes faster
/// (reversible (2.1)).
///
///     x' = f(x)/eps + g(x),     |d xi(x(t)) / dt| <= C        x = (q, v) for systems with coordinates
///
/// A variable may have an alternative, a second function that can stand for it where the gradient of the first depends
/// on those of the others: a second chart. `outputs` are all variables, each followed by its alternative if it has one.
/// They are immutable, and any thread may call them. In C++ they are one template `xi(x, t, theta, result)` with spans.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/base/scratch.hpp"
#include "lento/problem/forces.hpp"

namespace [[gnu::visibility("default")]] lento {

struct SlowName {
    std::string name;
    std::string alternative{};  ///< the name of the second chart, empty if there is none
};

std::size_t outputs_of(const std::vector<SlowName>& names);

/// An entry of the Hessian of an output; both triangles are listed.
struct HessianEntry {
    std::size_t output, row, column;
    double value;
};

class SlowFunctions {
public:
    virtual ~SlowFunctions() = default;

    const std::vector<SlowName>& names() const { return names_; }
    std::size_t outputs() const { return outputs_; }

    virtual void values(In x, double t, In theta, Out xi) const = 0;
    /// d xi/dt where x, t and the phases change at these rates.
    virtual void rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const = 0;
    /// By x, row by row.
    virtual void gradients(In x, double t, In theta, Out result) const = 0;
    virtual std::vector<HessianEntry> hessians(In x, double t, In theta) const = 0;

protected:
    /// Throws Misuse where there are none.
    explicit SlowFunctions(std::vector<SlowName> names);

private:
    std::vector<SlowName> names_;
    std::size_t outputs_;
};

/// Slow variables written in C++. Derivatives are by jets.
template <class Function>
class SlowFunction final : public SlowFunctions {
public:
    SlowFunction(std::vector<SlowName> names, Function function)
        : SlowFunctions(std::move(names)), function_(std::move(function)) {}

    void values(In x, double t, In theta, Out xi) const override { function_(x, t, theta, xi); }

    void rates(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const override {
        along<1>(x, x_rate, t, t_rate, theta, theta_rate, result);
    }

    void gradients(In x, double t, In theta, Out result) const override {
        std::vector<double> direction(x.size(), 0.0), column(outputs());
        for (std::size_t i = 0; i < x.size(); ++i) {
            direction[i] = 1;
            along<1>(x, direction, t, 0, theta, {}, column);
            direction[i] = 0;
            for (std::size_t k = 0; k < outputs(); ++k) {
                result[k * x.size() + i] = column[k];
            }
        }
    }

    /// By polarisation: 2 e_i A e_j = (e_i + e_j) A (e_i + e_j) - e_i A e_i - e_j A e_j.
    std::vector<HessianEntry> hessians(In x, double t, In theta) const override {
        const std::size_t d = x.size();
        std::vector<double> direction(d, 0.0), second(outputs());
        std::vector<double> diagonal(d * outputs());
        std::vector<HessianEntry> entries;
        const auto add = [&](std::size_t k, std::size_t i, std::size_t j, double value) {
            if (value != 0) {
                entries.push_back({k, i, j, value});
            }
        };
        for (std::size_t i = 0; i < d; ++i) {
            direction[i] = 1;
            along<2>(x, direction, t, 0, theta, {}, second);
            for (std::size_t k = 0; k < outputs(); ++k) {
                diagonal[k * d + i] = second[k];
                add(k, i, i, 2 * second[k]);
            }
            for (std::size_t j = 0; j < i; ++j) {
                direction[j] = 1;
                along<2>(x, direction, t, 0, theta, {}, second);
                direction[j] = 0;
                for (std::size_t k = 0; k < outputs(); ++k) {
                    const double mixed = second[k] - diagonal[k * d + i] - diagonal[k * d + j];
                    add(k, i, j, mixed);
                    add(k, j, i, mixed);
                }
            }
            direction[i] = 0;
        }
        return entries;
    }

private:
    /// The coefficient `Order` of all outputs along a line.
    template <int Order>
    void along(In x, In x_rate, double t, double t_rate, In theta, In theta_rate, Out result) const {
        using J = Jet<double, Order>;
        Scratch<J> line(x.size()), image(outputs());
        Scratch<J, 4> phases(theta.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            line[i][0] = x[i];
            line[i][1] = x_rate[i];
        }
        for (std::size_t j = 0; j < theta.size(); ++j) {
            phases[j][0] = theta[j];
            phases[j][1] = theta_rate.empty() ? 0.0 : theta_rate[j];
        }
        J time(t);
        time[1] = t_rate;
        function_(std::span<const J>(line.span()), time, std::span<const J>(phases.span()), image.span());
        for (std::size_t k = 0; k < outputs(); ++k) {
            result[k] = image[k][Order];
        }
    }

    Function function_;
};

}  // namespace lento
