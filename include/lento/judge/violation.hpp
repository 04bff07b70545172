/// What a method relies on and does not hold: how the run ends, and a sentence with its numbers.
#pragma once

#include <string>

#include "lento/base/outcome.hpp"

namespace [[gnu::visibility("default")]] lento {

/// What is left to do. Judges do not know methods: a run names the one that resolves every vibration.
enum class Remedy { in_the_sentence, resolve };

struct Violation {
    Outcome outcome = Outcome::refused;
    std::string sentence;
    Remedy remedy = Remedy::in_the_sentence;
};

}  // namespace lento
