#include "base/number.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

double number_from(std::string_view text, std::string_view what) {
    double value = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stopped != end || !std::isfinite(value)) {
        throw Misuse(fmt::format("{} = '{}' is not a number; write it like 80, 0.0125 or 1e6", what, text));
    }
    return value;
}

}  // namespace lento
