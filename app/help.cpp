/// `lento help [TOPIC]`, each topic on one screen, and `lento methods`: what the table of methods says.
#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/outcome.hpp"
#include "lento/run/method.hpp"
#include "model/mapped.hpp"

namespace lento::app {

// Files of texts/, put into the program when it is built (cmake/embed.cmake).
namespace text {
extern const std::string_view topics, sections, functions;
}

namespace {

constexpr struct {
    Outcome outcome;
    const char *meaning, *remedy;
} outcomes[] = {
    {Outcome::completed, "t_end was reached, and the error is within the tolerance by an estimate of it",
     "read the warnings, if there are any"},
    {Outcome::tolerance_missed, "t_end was reached, but the estimate of the error is above the tolerance",
     "another method, looser rtol and atol; a warning gives the factor"},
    {Outcome::interrupted, "Ctrl-C, SIGTERM or SIGHUP; what there is was written", ""},
    {Outcome::diverged, "a force or the solution is no longer finite", "the parameters; a smaller macro_step"},
    {Outcome::unstable, "an oscillation grows from step to step", "a smaller macro_step; more micro_steps_per_period"},
    {Outcome::not_converged, "an iteration or the control of the step stalled", "a looser rtol; another method"},
    {Outcome::no_scale_separation, "the fast motion is not fast enough to be averaged",
     "the method that resolves everything"},
    {Outcome::off_constraints, "the state left the constraints", "the start; a smaller macro_step"},
    {Outcome::refused, "what the method relies on does not hold here", "the message says what to take instead"},
    {Outcome::budget_exhausted, "more steps than allowed", "a looser rtol; --budget of lento compare"},
};

void list_methods() {
    for (const Method* method : lento::methods()) {
        fmt::print("  {:<19} {}\n", method->name, method->summary);
    }
    fmt::print("\n`lento help METHOD` says more of one; `lento check MODEL` says which apply to a model.\n");
}

/// What the sentence says before it goes into details.
std::string_view brief(std::string_view meaning) {
    return meaning.substr(0, meaning.find_first_of(":;(."));
}

/// Words in lines of at most 80 characters, the later ones indented.
void print_wrapped(std::string_view text, std::size_t indent) {
    constexpr std::size_t width = 80;
    std::size_t column = indent;
    fmt::print("{:{}}", "", indent);
    while (!text.empty()) {
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (column + word.size() > width && column > indent) {
            fmt::print("\n{:{}}", "", indent);
            column = indent;
        }
        fmt::print("{}{}", word, text.empty() ? "" : " ");
        column += word.size() + 1;
    }
    fmt::print("\n");
}

void print_defaults(const Method* method) {
    for (const auto& option : method->options) {
        fmt::print("  {:<23} {}\n", option.name, option.default_value);
    }
}

void show_method(const Method* method) {
    fmt::print("{}\n", method->name);
    print_wrapped(method->summary, 2);
    fmt::print("\n  systems          {}\n  slow solution    {}\n{}\n", method->problems, name_of(method->slow_is),
               method->paper.empty() ? std::string() : fmt::format("  paper            {}\n", method->paper));
    if (!method->options.empty()) {
        fmt::print("Options (--option NAME=VALUE) and what they are if not given; `lento help OPTION` explains one:\n");
    }
    print_defaults(method);
}

void list_options() {
    for (const auto& entry : option_catalogue()) {
        fmt::print("  {:<23} {}\n", entry.name, brief(entry.meaning));
    }
    fmt::print("\n`lento help OPTION` says more of one; `lento help METHOD` which of them a method takes.\n");
}

void show_option(const OptionEntry& entry) {
    fmt::print("{}\n", entry.name);
    print_wrapped(entry.meaning, 2);
    fmt::print("\nIf not given (--option {}=VALUE):\n", entry.name);
    for (const Method* method : lento::methods()) {
        for (const auto& option : method->options) {
            if (option.name == entry.name) {
                fmt::print("  {:<19} {}\n", method->name, option.default_value);
            }
        }
    }
}

void list_outcomes() {
    for (const auto& entry : outcomes) {
        fmt::print("  {:<21} {}{}{}\n", name_of(entry.outcome), entry.meaning, *entry.remedy != '\0' ? "; try: " : "",
                   entry.remedy);
    }
    fmt::print(
        "\nExit status: 0 completed or tolerance_missed; 1 anything else; 2 bad input; 3 a reproduction disagrees; "
        "130 interrupted.\n");
}

/// All methods with their defaults; what an option means is said once, at the end.
void print_methods() {
    for (const Method* method : lento::methods()) {
        fmt::print("{}  (systems: {}{})\n", method->name, method->problems,
                   method->paper.empty() ? std::string() : fmt::format("; paper {}", method->paper));
        print_wrapped(fmt::format("{}; the slow solution is {}", method->summary, name_of(method->slow_is)), 2);
        print_defaults(method);
        fmt::print("\n");
    }
    fmt::print("Options, given as --option NAME=VALUE; above is what they are if not given:\n");
    list_options();
    fmt::print("\n");
    print_wrapped(
        fmt::format(
            "`{}` takes the cheapest method that applies and promises the tolerance, by its own word: `lento check "
            "MODEL` shows what each says. Where that one refuses, it goes on with the next, or with {}, and says so.",
            method::automatic, method::direct.name),
        0);
}

void print_methods_json() {
    auto list = nlohmann::ordered_json::array();
    for (const Method* method : lento::methods()) {
        auto options = nlohmann::ordered_json::array();
        for (const auto& [name, value] : method->options) {
            const auto& meaning = std::ranges::find(option_catalogue(), name, &OptionEntry::name)->meaning;
            options.push_back({{"name", name}, {"default", value}, {"meaning", meaning}});
        }
        list.push_back(
            {{"name", method->name}, {"for", method->problems}, {"paper", method->paper}, {"options", options}});
    }
    fmt::print("{}\n", list.dump(2));
}

constexpr struct Topic {
    std::string_view name;
    void (*show)();
} topics[] = {{"methods", list_methods},
              {"options", list_options},
              {"sections", [] { fmt::print("{}", text::sections); }},
              {"functions", [] { fmt::print("{}", text::functions); }},
              {"outcomes", list_outcomes}};

}  // namespace

Exit help(const std::string& topic) {
    const auto known = std::ranges::find(topics, topic, &Topic::name);
    const auto method = std::ranges::find(lento::methods(), topic, &Method::name);
    const auto option = std::ranges::find(option_catalogue(), topic, &OptionEntry::name);
    if (topic.empty()) {
        fmt::print(fmt::runtime(text::topics), method::harmonic.name);
    } else if (known != std::end(topics)) {
        known->show();
    } else if (method != lento::methods().end()) {
        show_method(*method);
    } else if (option != option_catalogue().end()) {
        show_option(*option);
    } else {
        auto names = model::mapped(topics, [](const Topic& each) { return std::string(each.name); });
        for (const Method* each : lento::methods()) {
            names.emplace_back(each->name);
        }
        throw Misuse(fmt::format(
            "'{}' is not a topic{}; there are {}, and every option (lento help options). For a command: lento COMMAND "
            "--help",
            topic, suggestion(topic, names), listed(names)));
    }
    return Exit::done;
}

Exit methods(const MethodsArguments& arguments) {
    arguments.json ? print_methods_json() : print_methods();
    return Exit::done;
}

}  // namespace lento::app
