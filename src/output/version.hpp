#pragma once

#include <string_view>

namespace lento {

inline constexpr std::string_view version = LENTO_VERSION;

}  // namespace lento
