/// What a run would say of the slow variables of a problem before it starts.
#pragma once

#include "lento/run/request.hpp"
#include "method/slow_check.hpp"

namespace lento {

SlowReport judged_slow_variables(const Problem& problem, const Request& request);

}  // namespace lento
