/// lento: the command line. Parses arguments, calls a command, turns misuse into a sentence and exit status 2.
#include <cstdio>
#include <exception>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "builtin.hpp"
#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/output/version.hpp"

namespace {

using lento::app::Exit;

std::string problems_footer() {
    std::string text = "Problems:\n";
    for (const auto& problem : lento::app::builtins()) {
        text += fmt::format("  {:<20} {}; look at {}\n", problem.name, problem.title, problem.look_at);
        for (const auto& parameter : problem.parameters) {
            text += fmt::format("      {:<12} {:<12.7g} {}\n", parameter.name, parameter.value, parameter.meaning);
        }
    }
    text +=
        "\nExamples:\n"
        "  lento run inverted-pendulum\n"
        "  lento run inverted-pendulum --set omega=1e8 --t-end 2 -o out/fast\n"
        "  lento run inverted-pendulum --method hmm-sync --option filter=exponential --option macro_step=0.0125\n"
        "  lento run inverted-pendulum --fast 0.5:0.50001\n"
        "\nExit status: 0 done; 1 the run failed, the message says why; 2 bad input; 130 interrupted.";
    return text;
}

int status(Exit exit) {
    return static_cast<int>(exit);
}

int parse_and_run(int argc, char** argv) {
    CLI::App app{
        "Lento follows the slow motion of mechanical systems that vibrate fast, at a cost that does not grow with the "
        "frequency."};
    app.set_version_flag("--version", fmt::format("lento {}", lento::version));
    app.require_subcommand(1);
    app.footer("`lento COMMAND --help` explains each command. Try: lento run inverted-pendulum");

    lento::app::RunArguments run;
    auto* run_command = app.add_subcommand(
        "run", "Solves a problem; prints a summary and writes solution.csv, solution.h5, summary.json and report.html");
    run_command->add_option("PROBLEM", run.problem, "Name of a built-in problem (listed below)")->required();
    run_command->add_option("--method", run.method, "Method, see `lento methods`; auto chooses one")
        ->capture_default_str();
    run_command->add_option("--rtol", run.rtol, "Relative tolerance of the slow motion [1e-6]");
    run_command->add_option("--atol", run.atol, "Absolute tolerance of the slow motion [1e-9]");
    run_command->add_option("--t-end", run.t_end, "End of the run");
    run_command->add_option("--samples", run.samples, "Equally spaced output times, both ends included [201]");
    run_command->add_option("--set", run.set, "NAME=VALUE: changes a parameter; may be repeated")
        ->expected(1)
        ->take_all();
    run_command
        ->add_option("--option", run.options, "NAME=VALUE: a method option, see `lento methods`; may be repeated")
        ->expected(1)
        ->take_all();
    run_command->add_option("-o", run.folder, "Folder for the files [out/PROBLEM]");
    run_command->add_option("--fast", run.fast,
                            "A:B: also writes fast.csv, the reconstructed true solution between the times A and B");
    run_command->add_flag("--json", run.json, "Prints summary.json and nothing else");
    run_command->add_flag("--quiet", run.quiet, "Prints nothing on success");
    run_command->footer(problems_footer());

    lento::app::MethodsArguments methods;
    auto* methods_command =
        app.add_subcommand("methods", "Lists the methods, the problems each is for, and their options with defaults");
    methods_command->add_flag("--json", methods.json, "As JSON");

    lento::app::ReproduceArguments reproduce;
    auto* reproduce_command =
        app.add_subcommand("reproduce", "Recomputes published tables and figures beside the printed numbers");
    reproduce_command->add_option("ID", reproduce.ids, "Which, for example vibrated/table-2.3");
    reproduce_command->add_flag("--list", reproduce.list, "Lists the ids");
    reproduce_command->add_flag("--all", reproduce.all, "All of them");
    reproduce_command->add_flag("--json", reproduce.json, "As JSON");
    reproduce_command->add_flag("--quiet", reproduce.quiet, "Only the verdicts");
    reproduce_command->footer(
        "Exit status: 0 everything judged agrees with print; 3 something does not; 2 unknown id.");

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
            const std::vector<std::string> known{"run", "methods", "reproduce"};
            throw lento::Misuse(fmt::format("'{}' is not a command{}; there are {} (and --help, --version)", argv[1],
                                            lento::suggestion(argv[1], known), lento::listed(known)));
        }
        return app.exit(error) == 0 ? status(Exit::done) : status(Exit::bad_input);
    }
    if (run_command->parsed()) {
        return status(lento::app::run(run));
    }
    if (methods_command->parsed()) {
        return status(lento::app::methods(methods));
    }
    return status(lento::app::reproduce(reproduce));
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return parse_and_run(argc, argv);
    } catch (const lento::Misuse& misuse) {
        fmt::print(stderr, "lento: {}\n", misuse.what());
        return status(Exit::bad_input);
    } catch (const std::exception& error) {
        fmt::print(stderr, "lento: {}\n", error.what());
        return status(Exit::failed);
    }
}
