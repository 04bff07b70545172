/// The items of a list written as text: what stands between commas outside parentheses, in brackets or not, without spaces around.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lento {

std::vector<std::string> list_items(std::string_view text);

}  // namespace lento
