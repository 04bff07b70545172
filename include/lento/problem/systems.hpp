/// Problems from C++ functions. Forces, constraints, elongations and slow variables are templates on the scalar type
/// (double, truncated series, jets): generic lambdas that read spans and fill a span. They are compiled here, in the
/// program that writes them; methods are not.
///
///     vibrated_system(n, omega, f)         M x'' = f(x, x', t, theta), theta = omega t      f(x, v, t, theta, force)
///     oscillating_system(n, period, f)     M x'' = f(x, x', t), with a known fast period    f(x, v, t, force)
///     plain_system(n, f)                   M x'' = f(x, x', t)                              f(x, v, t, force)
///     first_order_system(n, r)             y' = r(y, t)                                     r(y, t, rate)
///     first_order_system(n, phases, r)     y' = r(y, t, theta)                              r(y, t, theta, rate)
///     constrained(system, count, g)        ... - g'(x, t)^T lambda, g(x, t) = 0             g(x, t, values)
///     stiff_system(n, f, frequencies, g)   ... - sum_j omega_j^2 g_j g_j'^T                 g(x, t, elongations)
///     split(system, flow)                  a part of whose rates is solved exactly          `problem/exact_flow.hpp`
///     slow_system(system, names, xi)       with slow variables                              xi(x, result)
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lento/problem/exact_part.hpp"
#include "lento/problem/problem.hpp"

namespace [[gnu::visibility("default")]] lento {

/// What all of them begin with; throws Misuse for no coordinates, or frequencies that are not positive.
Problem coordinates_problem(std::size_t dimension, std::vector<Phase> phases, Forces forces);
Problem variables_problem(std::size_t dimension, std::vector<Phase> phases, Forces rates);
/// "theta1", "theta2", ...
std::vector<Phase> phases_of(const std::vector<double>& frequencies);

// What users write is given to `Forces::of` in the form that it takes. NOTE: whether it takes series is what the user's
// function says: an adapter that takes anything would promise too much.

/// One phase theta = frequency * t: `force(x, v, t, theta, f)`.
template <class F>
Problem vibrated_system(std::size_t dimension, double frequency, F force) {
    auto given = [force = std::move(force)](auto x, auto v, const auto& t, auto theta,
                                            auto f) -> decltype(std::declval<const F&>()(x, v, t, theta[0], f)) {
        return force(x, v, t, theta[0], f);
    };
    return coordinates_problem(dimension, {{.frequency = frequency}}, Forces::of(dimension, 1, std::move(given)));
}

/// Several phases theta[j] = frequencies[j] * t: `force(x, v, t, theta, f)` with a span theta.
template <class F>
Problem vibrated_system(std::size_t dimension, const std::vector<double>& frequencies, F force) {
    return coordinates_problem(dimension, phases_of(frequencies),
                               Forces::of(dimension, frequencies.size(), std::move(force)));
}

/// No phase: `force(x, v, t, f)`.
template <class F>
Problem plain_system(std::size_t dimension, F force) {
    auto given = [force = std::move(force)](auto x, auto v, const auto& t, auto,
                                            auto f) -> decltype(std::declval<const F&>()(x, v, t, f)) {
        return force(x, v, t, f);
    };
    return coordinates_problem(dimension, {}, Forces::of(dimension, 0, std::move(given)));
}

/// The same where solutions oscillate with a known fast period.
template <class F>
Problem oscillating_system(std::size_t dimension, double period, F force) {
    return plain_system(dimension, std::move(force)).with_period(period);
}

/// y' = r(y, t): `rate(y, t, r)`.
template <class F>
Problem first_order_system(std::size_t dimension, F rate) {
    auto given = [rate = std::move(rate)](auto y, auto, const auto& t, auto,
                                          auto r) -> decltype(std::declval<const F&>()(y, t, r)) {
        return rate(y, t, r);
    };
    return variables_problem(dimension, {}, Forces::of(dimension, 0, std::move(given)));
}

/// y' = r(y, t, theta), with phases: `rate(y, t, theta, r)` with a span theta.
template <class F>
Problem first_order_system(std::size_t dimension, std::vector<Phase> phases, F rate) {
    const std::size_t count = phases.size();
    auto given = [rate = std::move(rate)](auto y, auto, const auto& t, auto theta,
                                          auto r) -> decltype(std::declval<const F&>()(y, t, theta, r)) {
        return rate(y, t, theta, r);
    };
    return variables_problem(dimension, std::move(phases), Forces::of(dimension, count, std::move(given)));
}

/// With these constraints. Throws Misuse where they leave nothing to move.
Problem constrained(Problem free, std::shared_ptr<const Constraints> constraints);
/// `count` constraints written as one template `g(x, t, values)`.
template <class F>
Problem constrained(const Problem& free, std::size_t count, F function) {
    return constrained(free, std::make_shared<ConstraintFunctions<F>>(free.dimension(), count, std::move(function)));
}

/// With a part of the rates that is solved exactly; the rates given are those of the whole.
Problem split(Problem whole, std::shared_ptr<const ExactPart> exact);
template <FlowFunction Flow>
Problem split(Problem whole, Flow flow) {
    return split(std::move(whole), exact_part(std::move(flow)));
}

/// Springs of the given frequencies and elongations beside the forces of a system. Throws Misuse for none, for
/// frequencies that are not positive, and unless there are as many frequencies as elongations.
Problem with_springs(Problem slow, const std::vector<double>& frequencies,
                     std::shared_ptr<const Constraints> elongations);
/// Springs with elongations `g(x, t, values)` beside a slow force `force(x, v, t, f)`.
template <class F, class G>
Problem stiff_system(std::size_t dimension, F force, const std::vector<double>& frequencies, G elongations) {
    return with_springs(plain_system(dimension, std::move(force)), frequencies,
                        frequencies.empty() ? nullptr
                                            : std::make_shared<ConstraintFunctions<G>>(dimension, frequencies.size(),
                                                                                       std::move(elongations)));
}

/// `xi(x, result)`, or `xi(x, t, theta, result)` for functions of the time and the phases.
template <class F>
Problem slow_system(Problem system, std::vector<SlowName> names, F function) {
    auto canonical = [function = std::move(function)](auto x, auto t, auto theta, auto xi) {
        if constexpr (requires { function(x, t, theta, xi); }) {
            function(x, t, theta, xi);
        } else {
            function(x, xi);
        }
    };
    system.slow = std::make_shared<SlowFunction<decltype(canonical)>>(std::move(names), std::move(canonical));
    return system;
}

/// Forces from other languages: `parameters` are those of the problem, `user` is handed back as it is. It takes double
/// alone, and has to bear calls from several threads where several runs are asked for at once.
using CForce = void (*)(const double* x, const double* v, double t, const double* theta, const double* parameters,
                        double* f, void* user);
Forces forces_of(CForce function, void* user);

}  // namespace lento
