/// Pieces of pages.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "output/run_view.hpp"

namespace lento::page {

/// Text as it may stand in a page.
std::string escaped(std::string_view text);

/// Data as it may stand in a script element of a page; what is not finite is null, numbers are as short as a picture needs.
std::string data_text(const nlohmann::ordered_json& json);

nlohmann::ordered_json chart_json(const Chart& chart);

/// A value with few digits, as a picture needs it.
nlohmann::ordered_json rounded(double value, int digits = 7);

/// A whole document: style and scripts inside, `body` as it is, `data` for the script, nothing from elsewhere.
std::string document(std::string_view title, std::string_view body, const nlohmann::ordered_json& data);
/// One without charts.
std::string document(std::string_view title, std::string_view body);

}  // namespace lento::page
