/// Systems that are mechanical in disguise: variables that are positions and momenta,
///
///     q' = B p + c,     p' = g(q, t, theta),     B and c constant
///
/// A Verlet step takes one evaluation of such a system. The parts are found by which rate depends on which variable.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "lento/problem/problem.hpp"

namespace lento {

struct Partition {
    struct Entry {
        std::size_t position, momentum;
        double factor;
    };
    std::vector<std::size_t> positions, momenta;
    std::vector<Entry> coupling;  ///< B
};

/// The rates at y, at the time and phases of a probe: 0 is the start, others are elsewhere.
using ProbedRate = std::function<void(std::span<const double> y, int probe, std::span<double> rate)>;

/// None if the system has no such parts. Takes three evaluations a variable, and three, as far from the start as it
/// or the scales of the variables are large; none: 1.
std::optional<Partition> partition_of(const ProbedRate& rate, std::span<const double> start,
                                      std::span<const double> scales = {});
/// Which unknowns of a problem are positions and which momenta; of coordinates these are their velocities.
std::optional<Partition> partition_of(const Problem& problem, double t_start, In start);

}  // namespace lento
