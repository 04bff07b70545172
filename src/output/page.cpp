#include "output/page.hpp"

#include <fmt/format.h>

namespace lento::page {

// Files of page/ and of uPlot, put into the program when it is built (cmake/embed.cmake).
extern const std::string_view style, mechanism_script, script, chart_style, chart_script;

namespace {

/// Data as it may stand in a script element of a page; what is not finite is null.
std::string data_text(const Json& json) {
    auto text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    // NOTE: "</script>" inside a string would end the element.
    for (std::size_t at = 0; (at = text.find("</", at)) != std::string::npos; at += 3) {
        text.replace(at, 2, "<\\/");
    }
    return text;
}

}  // namespace

std::string escaped(std::string_view text) {
    constexpr std::string_view special = "&<>\"";
    constexpr std::string_view names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    std::string safe;
    for (const char c : text) {
        const auto found = special.find(c);
        safe += found == std::string_view::npos ? std::string_view(&c, 1) : names[found];
    }
    return safe;
}

std::string document(std::string_view title, std::string_view body, const Json& data) {
    const std::string scripts =
        data.is_null() ? std::string()
                       : fmt::format(
                             "<script type=\"application/json\" id=\"data\">{}</script>\n<script>{}</script>\n"
                             "<script>{}\n{}</script>\n",
                             data_text(data), chart_script, mechanism_script, script);
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n"
        "<style>{}\n{}</style>\n</head>\n<body>\n{}<p class=\"soft\">Lento {}</p>\n{}</body>\n</html>\n",
        escaped(title), data.is_null() ? "" : chart_style, style, body, version, scripts);
}

}  // namespace lento::page
