/// Numbers from text and to text.
#pragma once

#include <string>
#include <string_view>

namespace lento {

/// The number that the whole of `text` spells. Throws Misuse, naming `what`, for anything else.
double number_from(std::string_view text, std::string_view what);

/// The shortest text that reads back as the same number.
std::string text_of(double value);

}  // namespace lento
