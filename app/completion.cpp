/// `lento completion SHELL`: what a shell needs to complete commands, options, methods and ids.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/method.hpp"
#include "reproduction.hpp"

namespace lento::app {
namespace {

/// With NAMES for the methods, OPTIONS, IDS, COMMANDS and ON_MODELS for those that take a model replaced.
constexpr const char* bash = R"script(_lento() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "COMMANDS --help --version" -- "$word"))
        return
    fi
    case $before in
    --method) COMPREPLY=($(compgen -W "auto NAMES" -- "$word")); return ;;
    --option) compopt -o nospace; COMPREPLY=($(compgen -S = -W "OPTIONS" -- "$word")); return ;;
    --plot | -o) COMPREPLY=($(compgen -f -- "$word")); return ;;
    esac
    case $command in
    run | compare | check | project)
        local flags="--method --rtol --atol --t-end --samples --set --option -o --json --quiet --help"
        [ "$command" = run ] && flags="$flags --fast --plot"
        [ "$command" = compare ] && flags="$flags --budget --plot"
        [ "$command" = project ] && flags="$flags --richardson"
        if [[ $word == -* ]]; then
            COMPREPLY=($(compgen -W "$flags" -- "$word"))
        else
            COMPREPLY=($(compgen -f -X '!*.toml' -- "$word") $(compgen -d -S / -- "$word"))
        fi ;;
    reproduce) COMPREPLY=($(compgen -W "--list --all --json --quiet -o IDS" -- "$word")) ;;
    help) COMPREPLY=($(compgen -W "methods options sections functions outcomes NAMES" -- "$word")) ;;
    methods) COMPREPLY=($(compgen -W "--json --help" -- "$word")) ;;
    completion) COMPREPLY=($(compgen -W "bash zsh fish" -- "$word")) ;;
    esac
}
complete -F _lento lento
)script";

constexpr const char* fish = R"script(complete -c lento -f
complete -c lento -n __fish_use_subcommand -a "COMMANDS"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -k -a "(__fish_complete_suffix .toml)"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l method -x -a "auto NAMES"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l option -x -a "OPTIONS"
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l rtol -l atol -l t-end -l samples -l set -x
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -s o -r -F
complete -c lento -n "__fish_seen_subcommand_from ON_MODELS" -l json -l quiet
complete -c lento -n "__fish_seen_subcommand_from run compare" -l plot -r -F
complete -c lento -n "__fish_seen_subcommand_from run" -l fast -x
complete -c lento -n "__fish_seen_subcommand_from compare" -l budget -x
complete -c lento -n "__fish_seen_subcommand_from project" -l richardson
complete -c lento -n "__fish_seen_subcommand_from reproduce" -a "IDS" -l list -l all -l json -l quiet
complete -c lento -n "__fish_seen_subcommand_from help" -a "methods options sections functions outcomes NAMES"
complete -c lento -n "__fish_seen_subcommand_from completion" -a "bash zsh fish"
)script";

}  // namespace

Exit completion(const std::string& shell, const std::vector<std::string>& commands) {
    const std::string zsh = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";
    const std::map<std::string, std::string> scripts{{"bash", bash}, {"fish", fish}, {"zsh", zsh + bash}};
    if (!scripts.contains(shell)) {
        const std::vector<std::string> shells{"bash", "zsh", "fish"};
        throw Misuse(fmt::format("no completion for '{}'{}; there is one for {}", shell, suggestion(shell, shells),
                                 listed(shells)));
    }
    std::string text = scripts.at(shell);
    const auto replace = [&](std::string_view what, const auto& list, auto name) {
        std::vector<std::string> names;
        std::ranges::transform(
            list, std::back_inserter(names), [](std::string_view one) { return std::string(one); }, name);
        const auto words = fmt::format("{}", fmt::join(names, " "));
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
