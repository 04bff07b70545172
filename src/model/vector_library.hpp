/// Elementary functions of several numbers at once: SLEEF's, right to 1.0 units in the last place.
#pragma once

#include <cstddef>

#include "model/jit.hpp"

namespace lento::model::jit {

/// Functions of vectors of `lanes` numbers; none where this machine has no such vectors.
Library vector_library(std::size_t lanes);

}  // namespace lento::model::jit
