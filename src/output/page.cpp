#include "output/page.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "output/assets.hpp"

namespace lento::page {

using Json = nlohmann::ordered_json;

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

std::string data_text(const Json& json) {
    auto text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    // NOTE: "</script>" inside a string would end the element.
    for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) {
        text.replace(at, 2, "<\\/");
    }
    return text;
}

Json rounded(double value, int digits) {
    return std::isfinite(value) ? Json(std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr))
                                : Json(nullptr);
}

Json chart_json(const Chart& chart) {
    Json curves = Json::array();
    for (const auto& curve : chart.curves) {
        Json x = Json::array();
        Json y = Json::array();
        for (std::size_t k = 0; k < curve.x.size(); ++k) {
            x.push_back(rounded(curve.x[k], 9));
            y.push_back(rounded(curve.y[k], 13));  // charts may show changes that are tiny against the values
        }
        curves.push_back({{"label", curve.label}, {"x", std::move(x)}, {"y", std::move(y)}});
    }
    return {{"title", chart.title},
            {"x", chart.x},
            {"y", chart.y},
            {"log_x", chart.x_scale == Chart::Scale::logarithmic},
            {"log_y", chart.y_scale == Chart::Scale::logarithmic},
            {"markers", chart.marks == Chart::Marks::points},
            {"curves", std::move(curves)}};
}

namespace {

std::string with_head(std::string_view title, std::string_view styles, std::string_view body,
                      const std::string& scripts) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n"
        "<style>{}\n{}</style>\n</head>\n<body>\n{}\n{}</body>\n</html>\n",
        escaped(title), styles, style, body, scripts);
}

}  // namespace

std::string document(std::string_view title, std::string_view body) {
    return with_head(title, "", body, "");
}

std::string document(std::string_view title, std::string_view body, const Json& data) {
    return with_head(title, chart_style, body,
                     fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
                                 "<script>{}\n{}</script>\n",
                                 data_text(data), chart_script, mechanism_script, script));
}

}  // namespace lento::page
