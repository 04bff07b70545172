/// The text of a model, and places in it for messages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento::model {

/// A place in a text: line and column, counted in characters from 1. Line 0 is nowhere.
struct Mark {
    std::size_t line = 0;
    std::size_t column = 0;
    std::size_t length = 1;
};

/// Where text is from: a string value of the file, by its opening quote; or elsewhere, in words.
using Origin = std::variant<Mark, std::string>;

/// Misuse with a place: the message shows file, line and column, and the line with a caret.
class ModelError : public Misuse {
public:
    using Misuse::Misuse;
};

/// Copies share the text.
class Source {
public:
    Source(std::string name, std::string text)
        : name_(std::make_shared<const std::string>(std::move(name))),
          text_(std::make_shared<const std::string>(std::move(text))) {}

    /// Reads a file. Throws Misuse for what is not a readable text file of reasonable size.
    static Source file(const std::filesystem::path& path);

    const std::string& name() const { return *name_; }
    const std::string& text() const { return *text_; }
    /// Line `number`, counted from 1, without its end; empty where there is none.
    std::string_view line(std::size_t number) const;

    [[noreturn]] void fail(Mark mark, std::string_view message) const;
    template <class First, class... More>
    [[noreturn]] void fail(Mark mark, fmt::format_string<First, More...> message, First&& first, More&&... more) const {
        fail(mark, fmt::format(message, std::forward<First>(first), std::forward<More>(more)...));
    }

    /// What `make` gives; what it refuses is refused at that place.
    template <class Make>
    auto placed(Mark mark, Make&& make) const {
        try {
            return make();
        } catch (const ModelError&) {
            throw;
        } catch (const Misuse& misuse) {
            fail(mark, misuse.what());
        }
    }

    /// "name:line:column"
    std::string place(Mark mark) const;

    /// Where `length` bytes from `offset` of a string value stand, given the place of its opening quote.
    Mark within(Mark quoted, std::size_t offset, std::size_t length) const;

private:
    std::shared_ptr<const std::string> name_, text_;
};

}  // namespace lento::model
