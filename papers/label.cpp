#include "label.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace lento::papers {
namespace {

constexpr double index_size = 0.75;
constexpr double index_shift = 0.35;
constexpr double width_of_a_letter = 0.55;

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> letters{{{"eps", "&#949;"},
                                                                                 {"eta", "&#951;"},
                                                                                 {"theta", "&#952;"},
                                                                                 {"lambda", "&#955;"},
                                                                                 {"Lambda", "&#923;"},
                                                                                 {"xi", "&#958;"},
                                                                                 {"pi", "&#960;"},
                                                                                 {"tau", "&#964;"},
                                                                                 {"phi", "&#966;"},
                                                                                 {"psi", "&#968;"},
                                                                                 {"omega", "&#969;"},
                                                                                 {"Delta", "&#916;"}}};

bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
bool is_letter_or_digit(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Text at one height.
struct Piece {
    enum class Height { line, raised, lowered };

    Height height = Height::line;
    std::string svg{};
    std::size_t signs = 0;

    void add(std::string_view set) {
        svg += set;
        ++signs;
    }
};

class Reader {
public:
    explicit Reader(std::string_view label) : label_(label) {}

    std::vector<Piece> pieces() {
        while (at_ < label_.size()) {
            const char c = label_[at_];
            if (c == '^' || c == '_') {
                ++at_;
                pieces_.push_back({c == '^' ? Piece::Height::raised : Piece::Height::lowered});
                index();
                pieces_.push_back({});
            } else {
                add(is_letter(c) ? end_of(is_letter) : at_ + 1);
            }
        }
        return std::move(pieces_);
    }

private:
    /// What follows _ or ^.
    void index() {
        if (next(at_) == '{') {
            ++at_;
            const auto closed = std::min(label_.find('}', at_), label_.size());
            add(closed);
            at_ = closed + 1;
            return;
        }
        if (next(at_) == '-') {
            add(at_ + 1);
        }
        add(end_of(is_letter_or_digit));
    }

    char next(std::size_t at) const { return at < label_.size() ? label_[at] : ' '; }
    template <class Kind>
    std::size_t end_of(Kind kind) const {
        std::size_t end = at_;
        while (end < label_.size() && kind(label_[end])) {
            ++end;
        }
        return end;
    }

    /// Everything up to a position, to the last piece.
    void add(std::size_t end) {
        auto& piece = pieces_.back();
        const auto word = label_.substr(at_, end - at_);
        for (const auto& [name, letter] : letters) {
            if (word == name) {
                piece.add(letter);
                at_ = end;
                return;
            }
        }
        for (; at_ < end; ++at_) {
            piece.add(sign(label_[at_], piece.height));
        }
    }
    std::string sign(char c, Piece::Height height) const {
        switch (c) {
            case '<':
                return "&lt;";
            case '>':
                return "&gt;";
            case '&':
                return "&amp;";
            case '-':
                return height == Piece::Height::line ? "-" : "&#8722;";
            case '\'':
                return at_ > 0 && is_letter_or_digit(label_[at_ - 1]) && !is_letter(next(at_ + 1)) ? "&#8242;" : "'";
            default:
                return {c};
        }
    }

    std::string_view label_;
    std::size_t at_ = 0;
    std::vector<Piece> pieces_ = std::vector<Piece>(1);
};

}  // namespace

std::string set_label(const std::string& label, double size) {
    std::string svg;
    double shift = 0;  // of the text so far
    for (const auto& piece : Reader(label).pieces()) {
        if (piece.signs == 0) {
            continue;
        }
        const bool index = piece.height != Piece::Height::line;
        const double height = !index                                  ? 0
                              : piece.height == Piece::Height::raised ? -index_shift * size
                                                                      : index_shift * size;
        if (height == shift) {
            svg += piece.svg;
            continue;
        }
        svg += fmt::format("<tspan dy=\"{:.1f}\"{}>{}</tspan>", height - shift,
                           index ? fmt::format(" font-size=\"{:.1f}\"", index_size * size) : "", piece.svg);
        shift = height;
    }
    return svg;
}

double label_width(const std::string& label, double size) {
    double width = 0;
    for (const auto& piece : Reader(label).pieces()) {
        const double letter = width_of_a_letter * size * (piece.height == Piece::Height::line ? 1 : index_size);
        width += letter * static_cast<double>(piece.signs);
    }
    return width;
}

}  // namespace lento::papers
