/// Windows along the motion of a problem with slow variables (`average/slow_rate.hpp`), with the micro-stepper of a name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "average/slow_rate.hpp"
#include "lento/problem/problem.hpp"
#include "problem/partition.hpp"

namespace lento {

std::vector<std::string> slow_micro_steppers();

/// Phases start as they stand at t_start. Misuse if there is no stepper of that name, or if it does not fit the system.
std::unique_ptr<SlowAverage> slow_average(const Problem& problem, std::string_view micro, double t_start, In start);

/// Which unknowns are positions and which momenta, if the system is of that kind.
std::optional<Partition> partition_of(const Problem& problem, double t_start, In start);

}  // namespace lento
