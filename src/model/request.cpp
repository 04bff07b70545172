/// What a model says of a run.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "lento/model/model.hpp"
#include "model/numbers.hpp"
#include "model/parts.hpp"

namespace lento {
namespace {

const OptionEntry* find_option(std::string_view name) {
    return model::found(option_catalogue(), name, &OptionEntry::name);
}

/// Whether the option is a word, not a number; whether it is a list of numbers.
bool is_word(const OptionEntry& entry) {
    return std::holds_alternative<std::optional<std::string> Options::*>(entry.field);
}
bool is_list(const OptionEntry& entry) {
    return std::holds_alternative<std::optional<std::vector<double>> Options::*>(entry.field);
}

/// What is asked replaces what the model says of the same thing in other words.
void clear_counterpart(Options& options, std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> counterparts[]{
        {"macro_step", "steps"}, {"micro_step", "micro_steps_per_period"}, {"window", "window_periods"}};
    for (const auto& [one, other] : counterparts) {
        if (name == one || name == other) {
            const auto* entry = find_option(name == one ? other : one);
            std::visit([&](auto field) { (options.*field).reset(); }, entry->field);
        }
    }
}

/// The number that an expression stands for, or those of a list of them, as text.
template <class Number>
std::string evaluated(const OptionEntry& entry, const std::string& text, Number&& number) {
    return is_list(entry) ? fmt::format("{}", fmt::join(model::mapped(list_items(text), number), ","))
                          : fmt::format("{}", number(text));
}

/// As the model gives them.
Options options_of(const model::Model& parsed) {
    Options options;
    for (const auto& setting : parsed.run.options) {
        const auto* entry = find_option(setting.name);
        const bool word = entry != nullptr && is_word(*entry);
        const auto* text = std::get_if<std::string>(&setting.value);
        const auto* list = std::get_if<std::vector<double>>(&setting.value);
        const auto number = [&](const std::string& item) { return model::number_in(parsed, item, setting.mark); };
        parsed.source.placed(entry != nullptr ? setting.mark : setting.name_mark, [&] {
            if (word && text == nullptr) {
                throw Misuse(fmt::format("option {} must be a word in quotes, not a number", setting.name));
            }
            if (entry != nullptr && list != nullptr && !is_list(*entry)) {
                throw Misuse(fmt::format("option {} must be one value, not a list", setting.name));
            }
            set_option(options, setting.name,
                       word || entry == nullptr ? (text != nullptr ? *text : "")
                       : list != nullptr        ? fmt::format("{}", fmt::join(*list, ","))
                       : text != nullptr        ? evaluated(*entry, *text, number)
                                                : fmt::format("{}", std::get<double>(setting.value)));
        });
    }
    return options;
}

void set_asked(const Model& model, const std::vector<std::string>& asked, Options& options) {
    for (const auto& option : asked) {
        clear_counterpart(options, name_and_value(option, "--option").first);
    }
    for (const auto& option : asked) {
        auto [name, value] = name_and_value(option, "--option");
        if (const auto* entry = find_option(name); entry != nullptr && !is_word(*entry)) {
            const std::string where = "--option " + name;
            value = evaluated(*entry, value, [&](const std::string& item) { return model.number(item, where); });
        }
        set_option(options, name, value);
    }
}

}  // namespace

Request Model::request(const Asked& asked, End end) const {
    const auto& parsed = *parsed_;
    const auto given = [&](const std::optional<std::string>& text, const char* flag, double otherwise) {
        return text ? number(*text, flag) : otherwise;
    };
    if (!asked.t_end && !parsed.run.t_end && end == End::needed) {
        throw Misuse(fmt::format("{} does not say when the run ends: put t_end into [run], or give --t-end",
                                 parsed.source.name()));
    }
    Request request{.start = model::start_of(parsed), .velocity = model::velocity_of(parsed)};
    request.t_start = parsed.run.t_start;
    request.t_end = given(asked.t_end, "--t-end", parsed.run.t_end.value_or(NAN));
    if (!asked.t_end && parsed.run.t_end && !(*parsed.run.t_end > parsed.run.t_start)) {
        parsed.source.fail(parsed.run.t_end_mark, "t_end is {} and t_start is {}; t_end must be later",
                           *parsed.run.t_end, parsed.run.t_start);
    }
    request.rtol = given(asked.rtol, "--rtol", parsed.run.rtol);
    request.atol = given(asked.atol, "--atol", parsed.run.atol);
    request.samples = model::samples_of(given(asked.samples, "--samples", static_cast<double>(parsed.run.samples)));

    const auto known = [](const std::string& name) {
        return name == method::automatic || !method_named(name).name.empty();
    };
    parsed.source.placed(parsed.run.method_mark, [&] { return known(parsed.run.method); });
    request.method = asked.method.value_or(parsed.run.method);
    known(request.method);
    // NOTE: options in the file are for the method in the file; a macro-step for averaging would ruin a direct run.
    const auto in_file = options_of(parsed);
    const auto stands_for = [&](const std::string& name) {
        Request other = request;
        other.options = name == parsed.run.method ? in_file : Options{};
        return name == method::automatic ? std::string(automatic_choice(problem(), other).method->name) : name;
    };
    if (request.method == parsed.run.method || stands_for(request.method) == stands_for(parsed.run.method)) {
        request.options = in_file;
    } else if (!parsed.run.options.empty()) {
        request.notes.push_back(fmt::format("the options in the file are for the method {}; they were left out",
                                            stands_for(parsed.run.method)));
    }
    set_asked(*this, asked.options, request.options);
    for (std::uint32_t j = 0; j < parsed.phases.size(); ++j) {
        if (!model::sees(parsed, {model::Place::Array::phase, j})) {
            request.notes.push_back(
                fmt::format("no force depends on the phase {0}; if one is meant to, by a frequency times t, write {0} "
                            "in its place: methods know of fast vibrations by their phases",
                            parsed.phases[j].name));
        }
    }
    return request;
}

}  // namespace lento
