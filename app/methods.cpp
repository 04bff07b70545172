/// `lento methods`.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/run/method.hpp"

namespace lento::app {
namespace {

const std::string& meaning_of(std::string_view option) {
    const auto catalogue = option_catalogue();
    return std::find_if(catalogue.begin(), catalogue.end(),
                        [&](const OptionEntry& entry) { return entry.name == option; })
        ->meaning;
}

}  // namespace

Exit methods(const MethodsArguments& arguments) {
    if (arguments.json) {
        auto list = nlohmann::ordered_json::array();
        for (const Method* method : lento::methods()) {
            auto options = nlohmann::ordered_json::array();
            for (const auto& option : method->options) {
                options.push_back(
                    {{"name", option.name}, {"default", option.default_value}, {"meaning", meaning_of(option.name)}});
            }
            list.push_back(
                {{"name", method->name}, {"for", method->problems}, {"paper", method->paper}, {"options", options}});
        }
        fmt::print("{}\n", list.dump(2));
        return Exit::done;
    }
    for (const Method* method : lento::methods()) {
        fmt::print("{}  (for {} systems{})\n  {}; the slow solution is {}\n", method->name, method->problems,
                   method->paper.empty() ? std::string() : fmt::format(", paper {}", method->paper), method->summary,
                   name_of(method->slow_is));
        for (const auto& option : method->options) {
            fmt::print("    {:<23} [{}]\n        {}\n", option.name, option.default_value, meaning_of(option.name));
        }
        fmt::print("\n");
    }
    fmt::print(
        "Give options as --option NAME=VALUE. `{}` takes the cheapest method that applies, by its own word: `lento "
        "check MODEL` shows what each says. Where that one refuses, it goes on with the next, or with {}, and says "
        "so.\n",
        method::automatic, method::direct.name);
    return Exit::done;
}

}  // namespace lento::app
