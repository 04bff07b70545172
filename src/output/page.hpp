/// Pieces of pages.
#pragma once

#include <string>
#include <string_view>

#include "output/run_output.hpp"

namespace lento::page {

/// Text as it may stand in a page.
std::string escaped(std::string_view text);

/// What the charts of a report show; page/page.js says what is in it.
Json report_data(const RunOutput& output);

/// A whole document with style, scripts, `body` as it is, `data` for charts if there are any; nothing from elsewhere.
std::string document(std::string_view title, std::string_view body, const Json& data = nullptr);

}  // namespace lento::page
