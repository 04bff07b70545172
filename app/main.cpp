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

namespace {

using lento::app::Exit;

const std::string run_footer = fmt::format(
    "A model is a TOML file; models/ has examples, and docs/models.md explains every section. VALUE may be an "
    "expression of the\n"
    "model's parameters, as in --set omega=2*pi*1e6.\n\n"
    "Examples:\n"
    "  lento run models/inverted-pendulum.toml\n"
    "  lento run models/inverted-pendulum.toml --set omega=1e8 --t-end 2 -o out/fast\n"
    "  lento run models/inverted-pendulum.toml --method {} --option filter=exponential --option macro_step=1/80\n"
    "  lento run models/inverted-pendulum.toml --fast 0.5:0.50001\n"
    "  lento run models/inverted-pendulum.toml --plot pendulum.svg\n\n"
    "Exit status: 0 done; 1 the run failed, the message says why; 2 bad input; 130 interrupted, what there is was "
    "written.",
    lento::method::hmm_sync.name);

constexpr const char* compare_footer =
    "Writes what `run` writes, and error.csv. The reference resolves every vibration: where it would need more "
    "evaluations than the\n"
    "budget it is refused, with its price.\n\n"
    "Example:\n"
    "  lento compare models/inverted-pendulum.toml --set omega=1e4\n";

constexpr const char* check_footer =
    "Says which fast periods the model has, how far they are from the slow motion, what is off at the start, which "
    "methods apply\n"
    "and which is recommended. Writes nothing.\n\n"
    "Example:\n"
    "  lento check models/paul-trap.toml\n";

const std::string project_footer = fmt::format(
    "Prints the slow point, the elongations of the springs there and their multipliers (k times the elongation); "
    "constraints are\n"
    "relaxed to stiff springs. The options are those of the method {}. Writes nothing.\n\n"
    "Example:\n"
    "  lento project models/two-springs-iii.toml --set omega1=1e4 --set omega2=1e4 --richardson\n",
    lento::method::ipa.name);

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

int status(Exit exit) {
    return static_cast<int>(exit);
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

int parse_and_run(int argc, char** argv) {
    CLI::App app{
        "Lento follows the slow motion of mechanical systems that vibrate fast, at a cost that does not grow with the "
        "frequency."};
    app.set_version_flag("--version", fmt::format("lento {}", lento::version));
    app.require_subcommand(1);
    app.footer("`lento COMMAND --help` explains each command. Try: lento run models/inverted-pendulum.toml");

    Exit exit = Exit::done;
    lento::app::ModelArguments model;
    const auto model_command = [&](const char* name, const char* does, auto command, const std::string& footer) {
        auto* added = app.add_subcommand(name, does);
        add_model_options(*added, model);
        added->footer(footer);
        added->callback([&exit, &model, command] { exit = command(model); });
        return added;
    };
    constexpr const char* plot = "FILE.svg or FILE.png: also draws a picture of the slow solution";
    auto* run = model_command(
        "run", "Solves a model; prints a summary and writes solution.csv, solution.h5, summary.json and report.html",
        lento::app::run, run_footer);
    run->add_option("--fast", model.fast,
                    "A:B: also writes fast.csv, the reconstructed true solution between the times A and B");
    run->add_option("--plot", model.plot, plot);
    auto* compare = model_command(
        "compare", "Solves a model, and again directly with tight tolerances: errors, evaluations, speed-up",
        lento::app::compare, compare_footer);
    compare->add_option("--budget", model.budget, "Force evaluations that the reference may take [2e8]");
    compare->add_option("--plot", model.plot, plot);
    model_command("check", "Reads and probes a model: fast periods, scale separation, which methods apply",
                  lento::app::check, check_footer);
    model_command("project", "Projects the start of a model with stiff springs or constraints onto its slow manifold",
                  lento::app::project, project_footer)
        ->add_flag("--richardson", model.richardson, "Extrapolates the multipliers to infinitely stiff springs");

    lento::app::MethodsArguments methods;
    auto* methods_command =
        app.add_subcommand("methods", "Lists the methods, the problems each is for, and their options with defaults");
    methods_command->add_flag("--json", methods.json, "As JSON");
    methods_command->callback([&] { exit = lento::app::methods(methods); });

    lento::app::ReproduceArguments reproduce;
    auto* reproduce_command =
        app.add_subcommand("reproduce", "Recomputes published tables and figures beside the printed numbers");
    reproduce_command->add_option("ID", reproduce.ids, "Which, for example vibrated/table-2.3");
    reproduce_command->add_flag("--list", reproduce.list, "Lists the ids");
    reproduce_command->add_flag("--all", reproduce.all, "All of them");
    reproduce_command->add_option("-o", reproduce.folder,
                                  "Folder for a page each, an index of them and the pictures (SVG) [out/reproduce]");
    reproduce_command->add_flag("--json", reproduce.json, "As JSON");
    reproduce_command->add_flag("--quiet", reproduce.quiet, "Only the verdicts");
    reproduce_command->footer("Exit status: 0 everything judged agrees; 3 something does not; 2 unknown id.");
    reproduce_command->callback([&] { exit = lento::app::reproduce(reproduce); });

    std::string topic;
    auto* help_command =
        app.add_subcommand("help", "Explains methods, options, model sections and outcomes, each on one screen");
    help_command->add_option("TOPIC", topic, "methods, METHOD, options, OPTION, sections, functions or outcomes");
    help_command->callback([&] { exit = lento::app::help(topic); });

    std::string shell;
    auto* completion_command = app.add_subcommand("completion", "Prints what a shell needs to complete commands");
    completion_command->add_option("SHELL", shell, "bash, zsh or fish")->required();
    completion_command->footer(
        "For bash: lento completion bash > ~/.local/share/bash-completion/completions/lento\n"
        "For fish: lento completion fish > ~/.config/fish/completions/lento.fish\n"
        "For zsh:  source <(lento completion zsh)");
    completion_command->callback([&] { exit = lento::app::completion(shell, commands_of(app)); });

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
    return status(exit);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const int exit = parse_and_run(argc, argv);
        if (std::fflush(stdout) != 0) {
            fmt::print(stderr, "lento: cannot write to standard output: {}\n", std::strerror(errno));
            return status(Exit::failed);
        }
        return exit;
    } catch (const std::exception& error) {
        fmt::print(stderr, "lento: {}\n", error.what());
        say_misuse(argc, argv, error.what());
        return status(dynamic_cast<const lento::Misuse*>(&error) != nullptr ? Exit::bad_input : Exit::failed);
    }
}
