/// `lento methods`.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/method/solve.hpp"

namespace lento::app {
namespace {

const std::string& meaning_of(const std::string& option) {
    const auto catalogue = option_catalogue();
    return std::find_if(catalogue.begin(), catalogue.end(),
                        [&](const OptionEntry& entry) { return entry.name == option; })
        ->meaning;
}

}  // namespace

Exit methods(const MethodsArguments& arguments) {
    if (arguments.json) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& method : method_descriptions()) {
            auto options = nlohmann::ordered_json::array();
            for (const auto& option : method.options) {
                options.push_back(
                    {{"name", option.name}, {"default", option.default_value}, {"meaning", meaning_of(option.name)}});
            }
            list.push_back(
                {{"name", method.name}, {"for", method.problems}, {"paper", method.paper}, {"options", options}});
        }
        fmt::print("{}\n", list.dump(2));
        return Exit::done;
    }
    for (const auto& method : method_descriptions()) {
        fmt::print("{}  (for {} systems{})\n  {}; the slow solution is {}\n", method.name, method.problems,
                   method.paper.empty() ? std::string() : fmt::format(", paper {}", method.paper), method.summary,
                   method.slow_is);
        for (const auto& option : method.options) {
            fmt::print("    {:<23} [{}]\n        {}\n", option.name, option.default_value, meaning_of(option.name));
        }
        fmt::print("\n");
    }
    fmt::print(
        "Give options as --option NAME=VALUE. `auto` takes harmonic where a fast phase is declared, or the period of a "
        "part that is solved exactly; bounded-derivative for stiff springs with elongations, ipa for others; "
        "multirevolution where only a period is known; else direct. Where harmonic does not converge it goes on with "
        "rattle-shake or multirevolution, and says so; where that refuses too, with direct.\n");
    return Exit::done;
}

}  // namespace lento::app
