/// Lists and assignments written as text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lento {

/// What stands between commas outside parentheses, in brackets or not, without spaces around.
std::vector<std::string> list_items(std::string_view text);

/// "NAME=VALUE", as the flag of the command line takes it. Throws Misuse for anything else.
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag);

}  // namespace lento
