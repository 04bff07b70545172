#pragma once

#include <cstddef>

namespace lento {

extern std::size_t allocations;

}  // namespace lento
