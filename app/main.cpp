/// lento: the command line. Parses arguments, calls a command, turns misuse into a sentence and exit status 2.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/method.hpp"
#include "model/mapped.hpp"
#include "output/run_output.hpp"

// Files of texts/.
namespace lento::app::text {
extern const std::string_view run, compare, check, project;
}

namespace {

namespace text = lento::app::text;
using lento::app::Exit;

/// What the help of a command ends with, a file of texts/ in which methods are not called by their names.
std::string footer(std::string_view text) {
    text.remove_suffix(1);  // the end of the last line
    return fmt::format(fmt::runtime(text), fmt::arg("of_windows", lento::method::hmm_sync.name),
                       fmt::arg("of_springs", lento::method::ipa.name));
}

void add_model_options(CLI::App& command, lento::app::ModelArguments& arguments) {
    command.add_option("MODEL", arguments.model, "The model, a TOML file")->required();
    command.add_option("--method", arguments.method,
                       "Method, see `lento methods`; auto chooses one [what the model says, else auto]");
    command.add_option("--rtol", arguments.rtol,
                       "Relative tolerance of the slow motion [what the model says, else 1e-6]");
    command.add_option("--atol", arguments.atol,
                       "Absolute tolerance of the slow motion [what the model says, else 1e-9]");
    command.add_option("--t-end", arguments.t_end, "End of the run [what the model says]");
    command.add_option("--samples", arguments.samples,
                       "Equally spaced output times, both ends included [what the model says, else 201]");
    command.add_option("--set", arguments.set, "NAME=VALUE: changes a parameter; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
    command
        .add_option("--option", arguments.options, "NAME=VALUE: a method option, see `lento methods`; may be repeated")
        ->allow_extra_args(false)
        ->take_all();
    command.add_option("-o", arguments.folder, "Folder for the files [out/MODEL]");
    command.add_flag("--json", arguments.json, "Prints the summary as JSON and nothing else");
    command.add_flag("--quiet", arguments.quiet, "Prints nothing on success");
}

/// For programs that read the output: an object on standard output, whatever happens.
void say_misuse(int argc, char** argv, const char* explanation) {
    const std::span arguments(argv, static_cast<std::size_t>(argc));
    if (std::ranges::any_of(arguments, [](std::string_view argument) { return argument == "--json"; })) {
        fmt::print("{}\n", lento::json_text({{"outcome", "misuse"}, {"explanation", explanation}}));
    }
}

std::vector<std::string> commands_of(const CLI::App& app) {
    return lento::model::mapped(app.get_subcommands(nullptr), &CLI::App::get_name);
}

Exit parse_and_run(int argc, char** argv) {
    CLI::App app{
        "Lento follows the slow motion of mechanical systems that vibrate fast, at a cost that does not grow with the "
        "frequency."};
    app.set_version_flag("--version", fmt::format("lento {}", lento::version));
    app.require_subcommand(1);
    app.footer("`lento COMMAND --help` explains each command. Try: lento run models/inverted-pendulum.toml");

    Exit exit = Exit::done;
    const auto command = [&](const char* name, const char* does, auto action) {
        auto* added = app.add_subcommand(name, does);
        added->callback([&exit, action] { exit = action(); });
        return added;
    };
    lento::app::ModelArguments model;
    const auto model_command = [&](const char* name, const char* does, auto action, std::string_view ending) {
        auto* added = command(name, does, [&model, action] { return action(model); });
        add_model_options(*added, model);
        added->footer(footer(ending));
        return added;
    };
    constexpr const char* plot = "FILE.svg or FILE.png: also draws a picture of the slow solution";
    auto* run = model_command(
        "run", "Solves a model; prints a summary and writes solution.csv, solution.h5, summary.json and report.html",
        lento::app::run, text::run);
    run->add_option("--fast", model.fast,
                    "A:B: also writes fast.csv, the reconstructed true solution between the times A and B");
    run->add_option("--plot", model.plot, plot);
    auto* compare = model_command(
        "compare", "Solves a model, and again directly with tight tolerances: errors, evaluations, speed-up",
        lento::app::compare, text::compare);
    compare->add_option("--budget", model.budget, "Force evaluations that the reference may take [2e8]");
    compare->add_option("--plot", model.plot, plot);
    model_command("check", "Reads and probes a model: fast periods, scale separation, which methods apply",
                  lento::app::check, text::check);
    model_command("project", "Projects the start of a model with stiff springs or constraints onto its slow manifold",
                  lento::app::project, text::project)
        ->add_flag("--richardson", model.richardson, "Extrapolates the multipliers to infinitely stiff springs");

    lento::app::MethodsArguments methods;
    command("methods", "Lists the methods, the problems each is for, and their options with defaults", [&] {
        return lento::app::methods(methods);
    })->add_flag("--json", methods.json, "As JSON");

    lento::app::ReproduceArguments reproduce;
    auto* reproduce_command = command("reproduce", "Recomputes published tables and figures beside the printed numbers",
                                      [&] { return lento::app::reproduce(reproduce); });
    reproduce_command->add_option("ID", reproduce.ids, "Which, for example vibrated/table-2.3");
    reproduce_command->add_flag("--list", reproduce.list, "Lists the ids");
    reproduce_command->add_flag("--all", reproduce.all, "All of them");
    reproduce_command->add_option("-o", reproduce.folder,
                                  "Folder for a page each, an index of them and the pictures (SVG) [out/reproduce]");
    reproduce_command->add_flag("--json", reproduce.json, "As JSON");
    reproduce_command->add_flag("--quiet", reproduce.quiet, "Only the verdicts");
    reproduce_command->footer("Exit status: 0 everything judged agrees; 3 something does not; 2 unknown id.");

    std::string topic;
    command("help", "Explains methods, options, model sections and outcomes, each on one screen", [&] {
        return lento::app::help(topic);
    })->add_option("TOPIC", topic, "methods, METHOD, options, OPTION, sections, functions or outcomes");

    std::string shell;
    auto* completion_command = command("completion", "Prints what a shell needs to complete commands",
                                       [&] { return lento::app::completion(shell, commands_of(app)); });
    completion_command->add_option("SHELL", shell, "bash, zsh or fish")->required();
    completion_command->footer(
        "For bash: lento completion bash > ~/.local/share/bash-completion/completions/lento\n"
        "For fish: lento completion fish > ~/.config/fish/completions/lento.fish\n"
        "For zsh:  source <(lento completion zsh)");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
            const auto known = commands_of(app);
            throw lento::Misuse(fmt::format("'{}' is not a command{}; there are {} (and --help, --version)", argv[1],
                                            lento::suggestion(argv[1], known), lento::listed(known)));
        }
        if (app.exit(error) != 0) {
            say_misuse(argc, argv, error.what());
            exit = Exit::bad_input;
        }
    }
    return exit;
}

}  // namespace

int main(int argc, char** argv) {
    Exit exit = Exit::failed;
    try {
        exit = parse_and_run(argc, argv);
        if (std::fflush(stdout) != 0) {
            fmt::print(stderr, "lento: cannot write to standard output: {}\n", std::strerror(errno));
            exit = Exit::failed;
        }
    } catch (const std::exception& error) {
        fmt::print(stderr, "lento: {}\n", error.what());
        say_misuse(argc, argv, error.what());
        exit = dynamic_cast<const lento::Misuse*>(&error) != nullptr ? Exit::bad_input : Exit::failed;
    }
    return static_cast<int>(exit);
}
