/// Colours, on terminals that want them: not where output goes into a file, nor where NO_COLOR is set.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace lento::app {

class Terminal {
public:
    explicit Terminal(std::FILE* stream);

    bool colours() const { return colours_; }
    std::string good(std::string_view text) const { return painted(text, "32"); }
    std::string bad(std::string_view text) const { return painted(text, "31;1"); }
    std::string warning(std::string_view text) const { return painted(text, "33"); }
    std::string strong(std::string_view text) const { return painted(text, "1"); }
    std::string soft(std::string_view text) const { return painted(text, "2"); }

private:
    std::string painted(std::string_view text, std::string_view code) const;

    bool colours_;
};

}  // namespace lento::app
