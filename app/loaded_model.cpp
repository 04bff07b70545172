#include "loaded_model.hpp"

#include <cstdint>
#include <system_error>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "terminal.hpp"

namespace lento::app {

LoadedModel load(const ModelArguments& arguments, Model::End end) {
    constexpr std::uintmax_t large = 1'000'000;  // takes seconds
    std::optional<Waiting> waiting;
    std::error_code error;
    if (const auto size = std::filesystem::file_size(arguments.model, error); !error && size > large) {
        waiting.emplace(fmt::format("reading and compiling {:.0f} MB", static_cast<double>(size) / 1e6));
    }
    const auto assignments = model::mapped(arguments.set, [](const std::string& assignment) {
        auto [name, expression] = name_and_value(assignment, "--set");
        return Model::Assignment{std::move(name), std::move(expression)};
    });
    Model model = Model::from_file(arguments.model, assignments);
    const bool slow_declared = !model.parsed().slow.empty();
    std::optional<std::string> found;
    if (arguments.method.value_or(model.parsed().run.method) == method::reversible.name && !slow_declared) {
        const auto why_not = model.find_slow_variables();
        if (why_not && end == Model::End::needed) {
            throw Misuse(
                fmt::format("{} declares no slow variables, which the method {} needs ([slow] xi = \"...\"); none were "
                            "found either: {}",
                            model.parsed().source.name(), method::reversible.name, *why_not));
        }
        if (!why_not) {
            found = fmt::format("no slow variables are declared; these were found: {}",
                                fmt::join(slow_texts(model.parsed()), ", "));
        }
    }
    waiting.reset();
    Problem problem = model.problem();
    Request request = model.request(arguments, end);
    request.keep = Recorder::Keep::nothing;
    if (found) {
        request.notes.insert(request.notes.begin(), std::move(*found));
    }
    auto choice = request.method == method::automatic ? automatic_choice(problem, request).why : std::string();
    const std::filesystem::path file(arguments.model);
    const auto stem = file.stem().string();
    // NOTE: of "...toml" the stem is "..", which would be the folder above.
    const auto name = stem == "." || stem == ".." ? file.filename().string() : stem;
    return {std::move(model),   slow_declared,     std::move(problem),
            std::move(request), std::move(choice), arguments.folder.value_or("out/" + name)};
}

Request LoadedModel::request_for(const Method& method) const {
    Request other = request;
    other.method = method.name;
    other.options = {};
    return other;
}

std::vector<std::string> slow_texts(const model::Model& model) {
    return model::mapped(model.slow, [&](const model::SlowVariable& slow) {
        const auto variable = model::text_of(model, slow.node);
        return slow.alternative ? fmt::format("{} = {{ variable = \"{}\", alternative = \"{}\" }}", slow.name, variable,
                                              model::text_of(model, *slow.alternative))
                                : fmt::format("{} = \"{}\"", slow.name, variable);
    });
}

std::optional<double> LoadedModel::fastest_period() const {
    const auto vibrations = vibrations_in(problem, 1);
    return vibrations ? std::optional(1 / *vibrations) : std::nullopt;
}

}  // namespace lento::app
