/// Numbers from text.
#pragma once

#include <string_view>

namespace lento {

/// The number that the whole of `text` spells. Throws Misuse, naming `what`, for anything else.
double number_from(std::string_view text, std::string_view what);

}  // namespace lento
