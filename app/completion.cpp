/// `lento completion SHELL`: what a shell needs to complete commands, options, methods and ids.
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/method.hpp"
#include "model/mapped.hpp"
#include "reproduction.hpp"

namespace lento::app {

// Files of texts/, in which NAMES of the methods, OPTIONS, IDS, COMMANDS and ON_MODELS, those that take a model, are
// to be replaced.
namespace text {
extern const std::string_view bash, fish;
}

Exit completion(const std::string& shell, const std::vector<std::string>& commands) {
    const std::string zsh = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";
    const std::string bash(text::bash);
    const std::map<std::string, std::string> scripts{
        {"bash", bash}, {"fish", std::string(text::fish)}, {"zsh", zsh + bash}};
    if (!scripts.contains(shell)) {
        const std::vector<std::string> shells{"bash", "zsh", "fish"};
        throw Misuse(fmt::format("no completion for '{}'{}; there is one for {}", shell, suggestion(shell, shells),
                                 listed(shells)));
    }
    std::string text = scripts.at(shell);
    const auto replace = [&](std::string_view what, const auto& list, auto name) {
        const auto words = fmt::format("{}", fmt::join(model::mapped(list, name), " "));
        for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += words.size()) {
            text.replace(at, what.size(), words);
        }
    };
    replace("ON_MODELS", std::vector<std::string>{"run", "compare", "check", "project"}, std::identity());
    replace("NAMES", lento::methods(), &Method::name);
    replace("OPTIONS", option_catalogue(), &OptionEntry::name);
    replace("IDS", papers::reproductions(), &papers::Reproduction::id);
    replace("COMMANDS", commands, std::identity());
    fmt::print("{}", text);
    return Exit::done;
}

}  // namespace lento::app
