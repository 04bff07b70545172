/// The sections that give names their meaning, and the numbers that need them.
#include <algorithm>

#include <fmt/format.h>

#include "model/reader.hpp"

namespace lento::model {

void Reader::read_parameters() {
    const Value& table = section("parameters");
    std::vector<std::string> known;
    for (const auto& entry : table.entries) {
        known.push_back(entry.key);
    }
    for (const auto& given : assignments_) {
        if (std::find(known.begin(), known.end(), given.name) == known.end()) {
            refuse_parameter(model_.source, given, known);
        }
    }
    names_.hint = [&](std::string_view name) {
        return std::find(known.begin(), known.end(), name) != known.end()
                   ? fmt::format("'{}' is not defined yet: a parameter may use the parameters above it", name)
                   : std::string();
    };
    for (const auto& entry : table.entries) {
        Numbers::Definition definition{.name = entry.key, .mark = entry.value.mark};
        const auto given = std::find_if(assignments_.rbegin(), assignments_.rend(),
                                        [&](const Assignment& o) { return o.name == entry.key; });
        if (given != assignments_.rend()) {
            definition.node = names_.number(given->expression, fmt::format("--set {}", given->name));
            definition.outside = given->expression;
        } else {
            const std::string what = fmt::format("the parameter {}", entry.key);
            definition.node = number(entry.value, what);
            finite(model_.source, entry.value.mark, what, *names_.value(definition.node));
        }
        const double value = *names_.value(definition.node);
        numbers_.add_parameter(names_, std::move(definition));
        names_.add_symbol(entry.key, entry.mark, Kind::parameter, value);
        model_.parameters.push_back({entry.key, value});
    }
    model_.given.resize(model_.parameters.size());
    names_.hint = {};
}

void Reader::read_coordinates() {
    for (const auto& entry : section("coordinates").entries) {
        const std::string what = fmt::format("the coordinate {}", entry.key);
        if (entry.value.kind != Value::Kind::table) {
            fail(entry.value.mark, fmt::format("{} must be a table, {} = {{ start = ..., velocity = ... }}, not {}",
                                               what, entry.key, entry.value.kind_name()));
        }
        expect_keys(entry.value, what, {"start", "velocity"});
        names_.require_free(entry.key, entry.mark);
        coordinate_.emplace(entry.key, model_.coordinates.size());
        model_.coordinates.push_back({.name = entry.key, .mark = entry.mark});
    }
    if (document_.find("coordinates") != nullptr && model_.coordinates.empty()) {
        fail(document_.find("coordinates")->mark, "[coordinates] is empty; a system needs at least one");
    }
    for (const auto& coordinate : model_.coordinates) {
        names_.add_symbol(coordinate.name, coordinate.mark, Kind::coordinate);
    }
    for (const auto& coordinate : model_.coordinates) {
        names_.add_symbol(coordinate.name + "_dot", coordinate.mark, Kind::velocity);
    }
}

void Reader::read_variable_starts() {
    for (const auto& entry : section("variables").entries) {
        const std::string what = fmt::format("the variable {}", entry.key);
        if (entry.value.kind != Value::Kind::table) {
            fail(entry.value.mark, fmt::format("{} must be a table, {} = {{ start = ..., rate = \"...\" }}, not {}",
                                               what, entry.key, entry.value.kind_name()));
        }
        expect_keys(entry.value, what, {"start", "rate", "exact"});
        names_.add_symbol(entry.key, entry.mark, Kind::variable);
        model_.variables.push_back({.name = entry.key, .mark = entry.mark});
    }
    if (document_.find("variables") != nullptr && model_.variables.empty()) {
        fail(document_.find("variables")->mark, "[variables] is empty; a system needs at least one");
    }
}

void Reader::read_phases() {
    for (const auto& entry : section("vibration").entries) {
        if (entry.value.kind != Value::Kind::table) {
            fail(entry.mark,
                 fmt::format("'{}' stands in [vibration]; a phase is a section of its own: [vibration.theta]",
                             entry.key));
        }
        names_.add_symbol(entry.key, entry.mark, Kind::phase);
        model_.phases.push_back({.name = entry.key});
    }
}

/// Definitions may use each other in any order: what they need is found first, then they are read in an order that serves.
void Reader::read_definitions() {
    const auto& entries = section("definitions").entries;
    std::unordered_map<std::string_view, std::size_t> number_of;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        number_of.emplace(entries[i].key, i);
    }
    enum class State { waiting, open, done };
    std::vector<State> state(entries.size(), State::waiting);
    std::vector<std::vector<std::size_t>> needs(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        for (const auto name : names_in(entries[i].value.text)) {
            if (const auto other = number_of.find(name); other != number_of.end()) {
                needs[i].push_back(other->second);
            }
        }
    }
    std::vector<std::size_t> path;
    const auto read = [&](std::size_t i) {
        const Node node = expression(entries[i].value, fmt::format("the definition {}", entries[i].key));
        names_.add_definition(entries[i].key, entries[i].mark, node);
        if (names_.value(node)) {
            model_.constants.push_back({entries[i].key, 0});
            put(std::span(&node, 1), [k = model_.constants.size() - 1](Model& model, std::span<const double> values) {
                model.constants[k].value = values[0];
            });
        }
        state[i] = State::done;
    };
    for (std::size_t first = 0; first < entries.size(); ++first) {
        if (state[first] == State::waiting) {
            path.push_back(first);
        }
        while (!path.empty()) {
            const std::size_t i = path.back();
            state[i] = State::open;
            if (needs[i].empty()) {
                read(i);
                path.pop_back();
                continue;
            }
            const std::size_t next = needs[i].back();
            needs[i].pop_back();
            if (state[next] == State::open) {
                std::string cycle;
                for (auto each = std::find(path.begin(), path.end(), next); each != path.end(); ++each) {
                    cycle += entries[*each].key + " -> ";
                }
                fail(entries[next].mark,
                     fmt::format("definitions go round in a circle: {}{}", cycle, entries[next].key));
            }
            if (state[next] == State::waiting) {
                path.push_back(next);
            }
        }
    }
    // What had to wait for definitions, which may be numbers too.
    for (std::size_t i = 0; i < model_.coordinates.size(); ++i) {
        const auto& coordinate = model_.coordinates[i];
        const Value& table = section("coordinates").entries[i].value;
        const std::string what = fmt::format("of the coordinate {}", coordinate.name);
        const Entry* start = table.find("start");
        if (start == nullptr) {
            fail(coordinate.mark,
                 fmt::format("the coordinate {0} has no start: {0} = {{ start = ... }}", coordinate.name));
        }
        put_finite(start->value, "the start " + what, [i](Model& model, double x) { model.coordinates[i].start = x; });
        if (const Entry* velocity = table.find("velocity")) {
            put_finite(velocity->value, "the velocity " + what,
                       [i](Model& model, double v) { model.coordinates[i].velocity = v; });
        }
    }
    for (std::size_t j = 0; j < model_.phases.size(); ++j) {
        const auto& phase = model_.phases[j];
        const Entry& entry = section("vibration").entries[j];
        const std::string what = fmt::format("of the phase {}", phase.name);
        expect_keys(entry.value, fmt::format("[vibration.{}]", phase.name), {"frequency", "start"});
        const Entry* frequency = entry.value.find("frequency");
        if (frequency == nullptr) {
            fail(entry.mark, fmt::format("the phase {} has no frequency", phase.name));
        }
        put_positive(frequency->value, "the frequency " + what,
                     [j](Model& model, double omega) { model.phases[j].frequency = omega; });
        if (const Entry* start = entry.value.find("start")) {
            put_finite(start->value, "the start " + what,
                       [j](Model& model, double angle) { model.phases[j].start = angle; });
        }
    }
}

}  // namespace lento::model
