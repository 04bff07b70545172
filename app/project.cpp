/// `lento project`: the start of a model on its slow manifold.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/outcome.hpp"
#include "lento/method/slow_point.hpp"
#include "loaded_model.hpp"

namespace lento::app {
namespace {

void print_text(const LoadedModel& loaded, const SlowPoint& point, bool extrapolated,
                const std::vector<std::string>& names, const std::vector<double>& values) {
    fmt::print("{}\n\nOn the slow manifold after {} iterations ({} force evaluations):\n", loaded.model.title(),
               point.iterations, point.force_evaluations);
    for (std::size_t i = 0; i < values.size(); ++i) {
        fmt::print("  {:<20} {:.15g}\n", names[i], values[i]);
    }
    fmt::print("\n  {:<20} {:>20} {:>20}\n", "spring", "elongation", "multiplier");
    for (std::size_t j = 0; j < point.springs.size(); ++j) {
        fmt::print("  {:<20} {:>20.10g} {:>20.10g}\n", point.springs[j], point.elongations[j], point.multipliers[j]);
    }
    if (extrapolated) {
        fmt::print(
            "\nThe multipliers are extrapolated to infinitely stiff springs; the elongations are those of the "
            "springs.\n");
    }
    for (const auto& warning : point.warnings) {
        fmt::print("\nwarning: {}\n", warning);
    }
    for (const auto& note : loaded.request.notes) {
        fmt::print("\nnote: {}\n", note);
    }
}

/// Options of a run that a projection does not have are refused here, and passed over in the model.
void require_projection_arguments(const ModelArguments& arguments) {
    const std::vector<std::string> methods{std::string(method::ipa.name), std::string(method::bounded_derivative.name)};
    if (arguments.method && std::ranges::find(methods, *arguments.method) == methods.end()) {
        throw Misuse(fmt::format("--method {}: the projection is that of {}; leave --method out for the first",
                                 *arguments.method, fmt::join(methods, " or ")));
    }
    const auto taken = projection_option_names(method_named(arguments.method.value_or(methods.front())));
    for (const auto& option : arguments.options) {
        const auto name = option.substr(0, option.find('='));
        if (std::ranges::find(taken, name) == taken.end()) {
            throw Misuse(fmt::format("--option {}: a projection takes {}", name, listed(taken)));
        }
    }
}

}  // namespace

Exit project(const ModelArguments& arguments) {
    require_projection_arguments(arguments);
    ModelArguments with_method = arguments;
    with_method.method = arguments.method.value_or(std::string(method::ipa.name));
    const LoadedModel loaded = load(with_method, Model::End::optional);
    Request request = loaded.request;
    request.velocity.resize(request.start.size());
    const auto point =
        slow_point(loaded.problem, request, arguments.richardson ? Extrapolation::richardson : Extrapolation::none);
    auto names = loaded.model.columns();
    names.resize(2 * point.position.size());
    std::vector<double> values = point.position;
    values.insert(values.end(), point.velocity.begin(), point.velocity.end());
    if (arguments.json) {
        Json result{{"title", loaded.model.title()},
                    {"outcome", std::string(name_of(point.outcome))},
                    {"point", by_name(names, values)},
                    {"elongations", by_name(point.springs, point.elongations)},
                    {"multipliers", by_name(point.springs, point.multipliers)},
                    {"iterations", point.iterations},
                    {"residual", point.residual},
                    {"force_evaluations", point.force_evaluations},
                    {"richardson", arguments.richardson},
                    {"warnings", point.warnings}};
        if (!point.explanation.empty()) {
            result["explanation"] = point.explanation;
        }
        fmt::print("{}\n", result.dump(2));
    } else if (point.outcome == Outcome::completed && !arguments.quiet) {
        print_text(loaded, point, arguments.richardson, names, values);
    }
    if (point.outcome != Outcome::completed) {
        fmt::print(stderr, "lento: {}: {}\n", name_of(point.outcome), point.explanation);
        return Exit::failed;
    }
    return Exit::done;
}

}  // namespace lento::app
