#include "loaded_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "lento/base/list_items.hpp"
#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "slow_findings.hpp"

namespace lento::app {
namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const OptionEntry* find_option(std::string_view name) {
    const auto catalogue = option_catalogue();
    const auto found =
        std::find_if(catalogue.begin(), catalogue.end(), [&](const auto& entry) { return entry.name == name; });
    return found == catalogue.end() ? nullptr : &*found;
}

/// Whether the option is a word, not a number; whether it is a list of numbers.
bool is_word(const OptionEntry& entry) {
    return std::holds_alternative<std::optional<std::string> Options::*>(entry.field);
}
bool is_list(const OptionEntry& entry) {
    return std::holds_alternative<std::optional<std::vector<double>> Options::*>(entry.field);
}

/// What the command line says replaces what the file says of the same thing in other words.
void clear_counterpart(Options& options, std::string_view name) {
    if (name == "macro_step") {
        options.steps.reset();
    } else if (name == "steps") {
        options.macro_step.reset();
    } else if (name == "micro_step") {
        options.micro_steps_per_period.reset();
    } else if (name == "micro_steps_per_period") {
        options.micro_step.reset();
    } else if (name == "window") {
        options.window_periods.reset();
    } else if (name == "window_periods") {
        options.window.reset();
    }
}

/// Options may be for the method that is second choice, and none of the first.
MethodChoice with_options(MethodChoice choice, const std::vector<std::string>& names) {
    const auto takes_all = [&](const std::string& method) {
        const auto& all = method_descriptions();
        const auto found = std::ranges::find(all, method, &MethodDescription::name);
        return found != all.end() && std::ranges::all_of(names, [&](const std::string& name) {
                   return std::ranges::find(found->options, name, &MethodDescription::Option::name) !=
                          found->options.end();
               });
    };
    if (!takes_all(choice.method) && takes_all(choice.otherwise)) {
        return {choice.otherwise, "options for it are given"};
    }
    return choice;
}

}  // namespace

std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        throw Misuse(fmt::format("{} '{}' is not of the form NAME=VALUE", flag, text));
    }
    return {text.substr(0, equals), text.substr(equals + 1)};
}

LoadedModel::System LoadedModel::system_of(const model::Model& model) {
    if (model.is_first_order() && model::has_exact_part(model)) {
        return model::split_system(model);
    }
    if (model.is_first_order()) {
        return model::first_order_system(model);
    }
    if (!model.constraints.empty()) {
        return model::constrained_system(model);
    }
    const bool stiff =
        std::any_of(model.springs.begin(), model.springs.end(), [](const auto& spring) { return !spring.soft; });
    if (stiff) {
        return model::stiff_system(model);
    }
    return model::second_order_system(model);
}

LoadedModel::LoadedModel(const ModelArguments& arguments, End end)
    : arguments_(arguments),
      began_(now()),
      patience_(arguments.model),
      model_(model::read_model(model::Source::file(arguments.model), overrides_of(arguments.set))),
      slow_declared_(!model_.slow.empty()),
      read_(now()),
      system_(system_of(model_)) {
    if (arguments_.method.value_or(model_.run.method) == reversible_description.name && model_.slow.empty()) {
        const auto why_not = find_slow_variables();
        if (why_not && end == End::needed) {
            throw Misuse(
                fmt::format("{} declares no slow variables, which the method reversible needs ([slow] xi = \"...\"); "
                            "none were found "
                            "either: {}",
                            model_.source.name(), *why_not));
        }
        if (!why_not) {
            notes_.push_back(fmt::format("no slow variables are declared; these were found: {}",
                                         fmt::join(slow_texts(model_), ", ")));
        }
    }
    for (const auto& coordinate : model_.coordinates) {
        columns_.push_back(coordinate.name);
    }
    for (const auto& coordinate : model_.coordinates) {
        columns_.push_back(coordinate.name + "_dot");
    }
    for (const auto& variable : model_.variables) {
        columns_.push_back(variable.name);
    }
    for (const auto* prefix : {"lambda_", "lambda_total_"}) {
        for (const auto& constraint : model_.constraints) {
            columns_.push_back(prefix + constraint.name);
        }
    }
    std::vector<model::Node> extras;
    for (const auto& slow : model_.slow) {
        columns_.push_back(slow.name);
        extras.push_back(slow.node);
    }
    for (const auto& observed : model_.observed) {
        columns_.push_back(observed.name);
        extras.push_back(observed.node);
    }
    if (!extras.empty()) {
        extras_.emplace(model_, extras);
    }
    compiled_ = now();
    patience_.over();
    make_request(end);
}

std::optional<std::string> LoadedModel::find_slow_variables() {
    return complete_slow_variables(arguments_, model_);
}

std::string LoadedModel::name() const {
    return std::filesystem::path(arguments_.model).stem().string();
}

std::filesystem::path LoadedModel::folder() const {
    return arguments_.folder.value_or("out/" + name());
}

ProblemClass LoadedModel::problem() const {
    const auto period = fastest_period();
    const bool stiff =
        std::any_of(model_.springs.begin(), model_.springs.end(), [](const auto& spring) { return !spring.soft; });
    return {.first_order = model_.is_first_order(),
            .phases = !model_.phases.empty(),
            .period = model_.period.has_value(),
            .common_period = (!model_.phases.empty() || model_.period) &&
                             time_scales(model_.phases, model_.period).common_period.has_value(),
            .stiff_springs = stiff,
            .elongations = std::all_of(model_.springs.begin(), model_.springs.end(),
                                       [](const auto& spring) { return spring.soft || spring.elongation; }),
            .constraints = !model_.constraints.empty(),
            .slow_variables = !model_.slow.empty(),
            .exact_part = model_.is_first_order() && model::has_exact_part(model_),
            .oscillations = stiff && period && request_.t_end > request_.t_start
                                ? (request_.t_end - request_.t_start) / *period
                                : 0.0};
}

std::size_t LoadedModel::operations() const {
    std::vector<model::Node> results = model_.forces;
    for (const auto& variable : model_.variables) {
        results.push_back(variable.rate);
    }
    const auto parts = model_.graph.parts(results);
    return static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.end(), [&](model::Node node) { return !model::is_leaf(model_.graph[node].op); }));
}

double LoadedModel::number(const std::string& expression, const std::string& flag) const {
    return model::number_in(model_, expression, flag);
}

void LoadedModel::make_request(End end) {
    request_.start = model::start_of(model_);
    request_.velocity = model::velocity_of(model_);
    request_.t_start = model_.run.t_start;
    const auto given = [&](const std::optional<std::string>& text, const char* flag, double otherwise) {
        return text ? number(*text, flag) : otherwise;
    };
    if (!arguments_.t_end && !model_.run.t_end && end == End::needed) {
        throw Misuse(fmt::format("{} does not say when the run ends: put t_end into [run], or give --t-end",
                                 model_.source.name()));
    }
    request_.t_end = given(arguments_.t_end, "--t-end", model_.run.t_end.value_or(NAN));
    if (!arguments_.t_end && model_.run.t_end && !(*model_.run.t_end > model_.run.t_start)) {
        model_.source.fail(model_.run.t_end_mark, fmt::format("t_end is {} and t_start is {}; t_end must be later",
                                                              *model_.run.t_end, model_.run.t_start));
    }
    request_.rtol = given(arguments_.rtol, "--rtol", model_.run.rtol);
    request_.atol = given(arguments_.atol, "--atol", model_.run.atol);
    const double samples = given(arguments_.samples, "--samples", static_cast<double>(model_.run.samples));
    constexpr double most = 1e7;
    if (!(samples >= 2) || samples > most || samples != std::floor(samples)) {
        throw Misuse(
            fmt::format("samples is {}; it must be a whole number from 2, both ends, to {:.0f}", samples, most));
    }
    request_.samples = static_cast<std::size_t>(samples);
    request_.keep = Recorder::Keep::nothing;

    std::vector<std::string> option_names;
    if (model_.run.method == "auto") {  // else they are for the method in the file
        for (const auto& setting : model_.run.options) {
            option_names.push_back(setting.name);
        }
    }
    for (const auto& option : arguments_.options) {
        option_names.push_back(option.substr(0, option.find('=')));
    }
    const auto chosen = [&](const std::string& method) {
        require_method(method);
        return method == "auto" ? with_options(automatic_choice(problem()), option_names) : MethodChoice{method, ""};
    };
    const auto in_file = [&] {
        try {
            return chosen(model_.run.method);
        } catch (const Misuse& misuse) {
            model_.source.fail(model_.run.method_mark, misuse.what());
        }
    }();
    const auto wanted = arguments_.method ? chosen(*arguments_.method) : in_file;
    if (arguments_.method.value_or(model_.run.method) == "auto") {
        choice_ = wanted;
    }
    request_.method = wanted.method;
    // NOTE: options in the file are for the method in the file; a macro-step meant for averaging would ruin a direct run.
    if (wanted.method == in_file.method) {
        set_options(request_.options);
    } else if (!model_.run.options.empty()) {
        notes_.push_back(
            fmt::format("the options in the file are for the method {}; they were left out", in_file.method));
    }
    for (const auto& option : arguments_.options) {
        clear_counterpart(request_.options, name_and_value(option, "--option").first);
    }
    for (const auto& option : arguments_.options) {
        auto [name, value] = name_and_value(option, "--option");
        if (const auto* entry = find_option(name); entry != nullptr && is_list(*entry)) {
            std::vector<double> numbers;
            for (const auto& item : list_items(value)) {
                numbers.push_back(number(item, "--option " + name));
            }
            value = fmt::format("{}", fmt::join(numbers, ","));
        } else if (entry != nullptr && !is_word(*entry)) {
            value = fmt::format("{}", number(value, "--option " + name));
        }
        set_option(request_.options, name, value);
    }
}

void LoadedModel::set_options(Options& options) {
    for (const auto& setting : model_.run.options) {
        try {
            const auto* entry = find_option(setting.name);
            const bool word = entry != nullptr && is_word(*entry);
            const auto* text = std::get_if<std::string>(&setting.value);
            const auto* list = std::get_if<std::vector<double>>(&setting.value);
            if (word && text == nullptr) {
                throw Misuse(fmt::format("option {} must be a word in quotes, not a number", setting.name));
            }
            if (entry != nullptr && list != nullptr && !is_list(*entry)) {
                throw Misuse(fmt::format("option {} must be one value, not a list", setting.name));
            }
            if (word || entry == nullptr) {
                set_option(options, setting.name, text != nullptr ? *text : "");
            } else if (list != nullptr) {
                set_option(options, setting.name, fmt::format("{}", fmt::join(*list, ",")));
            } else if (is_list(*entry) && text != nullptr) {
                std::vector<double> numbers;
                for (const auto& item : list_items(*text)) {
                    numbers.push_back(model::number_in(model_, item, setting.mark));
                }
                set_option(options, setting.name, fmt::format("{}", fmt::join(numbers, ",")));
            } else {
                const double value =
                    text != nullptr ? model::number_in(model_, *text, setting.mark) : std::get<double>(setting.value);
                set_option(options, setting.name, fmt::format("{}", value));
            }
        } catch (const model::ModelError&) {
            throw;
        } catch (const Misuse& misuse) {
            model_.source.fail(find_option(setting.name) != nullptr ? setting.mark : setting.name_mark, misuse.what());
        }
    }
}

Solution LoadedModel::solve(const Request& request) const {
    if (request.method == reversible_description.name) {
        return reversible(slow_problem_of(model_), request, faster_motion(arguments_, model_));
    }
    const auto run = [&](const Request& with_method) {
        return std::visit([&](const auto& system) { return lento::solve(system, with_method); }, system_);
    };
    return choice_ && request.method == choice_->method ? solve_as(*choice_, request, run) : run(request);
}

std::optional<SpringSpectrum> LoadedModel::spring_spectrum() const {
    const auto* stiff = std::get_if<model::StiffModel>(&system_);
    return stiff == nullptr ? std::nullopt
                            : std::optional(lento::spring_spectrum(*stiff, request_.start, request_.t_start));
}

SlowPoint LoadedModel::slow_point(Extrapolation extrapolation) const {
    Request request = request_;
    request.velocity.resize(request.start.size());
    return std::visit(
        [&](const auto& system) -> SlowPoint {
            if constexpr (requires { lento::slow_point(system, request, extrapolation); }) {
                return lento::slow_point(system, request, extrapolation);
            } else {
                throw Misuse(fmt::format(
                    "{} has neither stiff springs ([springs.NAME]) nor [constraints]: there is no slow manifold to "
                    "project onto",
                    model_.source.name()));
            }
        },
        system_);
}

std::vector<double> LoadedModel::row(const Snapshot& state) const {
    return row(state, state.t);
}

std::vector<double> LoadedModel::slow_row(const std::string& method, const Snapshot& state) const {
    const bool at_start = method == reversible_description.name || is_stroboscopic(method);
    return row(state, at_start ? request_.t_start : state.t);
}

std::vector<double> LoadedModel::row(const Snapshot& state, double phases_at) const {
    std::vector<double> values = state.position;
    values.insert(values.end(), state.velocity.begin(), state.velocity.end());
    for (auto multipliers : {state.multipliers, state.total_multipliers}) {
        multipliers.resize(model_.constraints.size(), NAN);  // a run that did not start has none
        values.insert(values.end(), multipliers.begin(), multipliers.end());
    }
    if (extras_) {
        const std::size_t first = values.size();
        values.resize(columns_.size());
        std::vector<double> theta;
        for (const auto& phase : model_.phases) {
            theta.push_back(phase.at(phases_at));
        }
        extras_->operator()<double>(state.position, state.velocity, state.t, theta, std::span(values).subspan(first));
    }
    return values;
}

Snapshot LoadedModel::snapshot(double t, std::span<const double> y) const {
    return snapshot_of(t, y, model_.dimension(), model_.constraints.size());
}

std::optional<double> LoadedModel::parametric_strength() const {
    constexpr std::size_t most = 400;
    if (model_.is_first_order() || model_.phases.empty() || model_.dimension() > most) {
        return {};
    }
    const auto strength = [&](const auto& system) {
        Acceleration acceleration(system);
        return lento::parametric_strength(acceleration, request_.start, request_.velocity, request_.t_start);
    };
    if (const auto* constrained = std::get_if<model::ConstrainedModel>(&system_)) {
        return strength(reduced(*constrained));
    }
    if (const auto* stiff = std::get_if<model::StiffModel>(&system_)) {
        return strength(stiff->whole());
    }
    return strength(std::get<VibratedSystem<model::ModelForce>>(system_));
}

std::optional<double> LoadedModel::fastest_period() const {
    std::optional<double> fastest = model_.period;
    for (const auto& phase : model_.phases) {
        fastest = std::min(fastest.value_or(HUGE_VAL), phase.period());
    }
    if (const auto* stiff = std::get_if<model::StiffModel>(&system_)) {
        fastest = std::min(fastest.value_or(HUGE_VAL), spring_scales(stiff->springs().entries()).fastest);
    }
    return fastest;
}

RunOutput LoadedModel::output() const {
    RunOutput output;
    output.title = model_.title;
    output.slow.names = columns_;
    output.parameters = model_.parameters;
    output.model_text = model_.source.text();
    for (const auto& phase : model_.phases) {
        output.phases.push_back({phase.name, phase.frequency, phase.start});
    }
    output.seconds = {{"read", read_ - began_}, {"compile", compiled_ - read_}};
    if (choice_) {
        output.choice = choice_->why;
    }
    return output;
}

}  // namespace lento::app
