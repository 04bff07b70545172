#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

namespace lento::app {

Terminal::Terminal(std::FILE* stream) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* kind = std::getenv("TERM");
    colours_ = isatty(fileno(stream)) == 1 && (no_colour == nullptr || *no_colour == '\0') &&
               (kind == nullptr || std::string_view(kind) != "dumb");
}

std::string Terminal::painted(std::string_view text, std::string_view code) const {
    return colours_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

}  // namespace lento::app
