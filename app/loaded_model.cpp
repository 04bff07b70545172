#include "loaded_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "average/fast_part.hpp"
#include "judge/price.hpp"
#include "lento/base/misuse.hpp"
#include "slow_findings.hpp"

namespace lento::app {
namespace {

std::vector<Model::Assignment> assignments_of(const std::vector<std::string>& set) {
    std::vector<Model::Assignment> assignments;
    for (const auto& assignment : set) {
        auto [name, expression] = name_and_value(assignment, "--set");
        assignments.push_back({std::move(name), std::move(expression)});
    }
    return assignments;
}

}  // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Misuse(fmt::format("{} '{}' is not of the form NAME=VALUE", flag, text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

LoadedModel::LoadedModel(const ModelArguments& arguments, Model::End end)
    : arguments_(arguments),
      patience_(arguments.model),
      model_(Model::from_file(arguments.model, assignments_of(arguments.set))),
      slow_declared_(!parsed().slow.empty()) {
    std::optional<std::string> found;
    if (arguments_.method.value_or(parsed().run.method) == method::reversible.name && !slow_declared_) {
        const auto why_not = model_.find_slow_variables();
        if (why_not && end == Model::End::needed) {
            throw Misuse(
                fmt::format("{} declares no slow variables, which the method {} needs ([slow] xi = \"...\"); none were "
                            "found either: {}",
                            parsed().source.name(), method::reversible.name, *why_not));
        }
        if (!why_not) {
            found = fmt::format("no slow variables are declared; these were found: {}",
                                fmt::join(slow_texts(parsed()), ", "));
        }
    }
    patience_.over();
    problem_ = model_.problem();
    request_ = model_.request({.method = arguments_.method,
                               .rtol = arguments_.rtol,
                               .atol = arguments_.atol,
                               .t_end = arguments_.t_end,
                               .samples = arguments_.samples,
                               .options = arguments_.options},
                              end);
    request_.keep = Recorder::Keep::nothing;
    if (found) {
        request_.notes.insert(request_.notes.begin(), std::move(*found));
    }
    if (request_.method == method::automatic) {
        choice_ = automatic_choice(problem_, request_);
    }
}

std::optional<std::string> LoadedModel::find_slow_variables() {
    auto why_not = model_.find_slow_variables();
    problem_ = model_.problem();
    return why_not;
}

std::string LoadedModel::name() const {
    return std::filesystem::path(arguments_.model).stem().string();
}

std::filesystem::path LoadedModel::folder() const {
    return arguments_.folder.value_or("out/" + name());
}

std::optional<SpringSpectrum> LoadedModel::spring_spectrum() const {
    return problem_.springs ? std::optional(lento::spring_spectrum(problem_, request_.start, request_.t_start))
                            : std::nullopt;
}

std::optional<double> LoadedModel::parametric_strength() const {
    constexpr std::size_t most = 400;
    if (!problem_.second_order || problem_.phases.empty() || problem_.dimension() > most) {
        return {};
    }
    Acceleration acceleration(problem_);
    return lento::parametric_strength(acceleration, request_.start, request_.velocity, request_.t_start);
}

std::optional<double> LoadedModel::fastest_period() const {
    const auto vibrations = vibrations_in(problem_, 1);
    return vibrations ? std::optional(1 / *vibrations) : std::nullopt;
}

RunOutput LoadedModel::output() const {
    RunOutput output;
    output.title = parsed().title;
    output.slow.names = model_.columns();
    for (const auto& [name, value] : parsed().parameters) {
        output.parameters.emplace_back(name, value);
    }
    output.model_text = parsed().source.text();
    for (const auto& phase : problem_.phases) {
        output.phases.push_back({phase.name, phase.frequency, phase.start});
    }
    output.seconds = {{"read", model_.seconds().read}, {"compile", model_.seconds().compile}};
    if (choice_) {
        output.choice = choice_->why;
    }
    return output;
}

}  // namespace lento::app
