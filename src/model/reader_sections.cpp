/// The sections that say what the system is and how it is run, one function each.
#include <set>

#include <fmt/format.h>

#include "model/derive.hpp"
#include "model/reader.hpp"

namespace lento::model {

void Reader::read_potential() {
    if (const Entry* entry = document_.find("potential")) {
        model_.potential = expression_of(entry->value, "the potential", Kind::coordinate | Kind::time | Kind::phase);
    }
}

void Reader::read_forces() {
    model_.forces.assign(model_.coordinates.size(), names_.graph().constant(0));
    for (const auto& entry : section("forces").entries) {
        const std::size_t i = coordinate_of(entry, "forces");
        model_.coordinates[i].force = entry.mark;
        model_.forces[i] = expression(entry.value, fmt::format("the force on {}", entry.key));
    }
}

void Reader::read_rates() {
    const auto& entries = section("variables").entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        auto& variable = model_.variables[i];
        const Entry* start = entries[i].value.find("start");
        const Entry* rate = entries[i].value.find("rate");
        if (start == nullptr || rate == nullptr) {
            fail(entries[i].mark, "the variable {0} has no {1}: {0} = {{ start = ..., rate = \"...\" }}", variable.name,
                 start == nullptr ? "start" : "rate");
        }
        put_number(start->value, fmt::format("the start of the variable {}", variable.name), finite,
                   [i](Model& model, double y) { model.variables[i].start = y; });
        put_if_given(entries[i].value, "scale", fmt::format("the scale of the variable {}", variable.name), positive,
                     [i](Model& model, double size) { model.variables[i].scale = size; });
        variable.rate = expression(rate->value, fmt::format("the rate of {}", variable.name));
        if (const Entry* exact = entries[i].value.find("exact")) {
            const std::string what = fmt::format("the exact part of the rate of {}", variable.name);
            variable.exact = expression_of(exact->value, what, static_cast<Kinds>(Kind::variable));
            for (const auto& partial : names_.graph().gradient(*variable.exact)) {
                const bool by_variable = names_.symbols()[partial.symbol].kind == Kind::variable;
                if (by_variable && !names_.value(partial.node)) {
                    fail(exact->value.mark, "{} must be linear with constant coefficients; this is not linear in {}",
                         what, names_.symbols()[partial.symbol].name);
                }
            }
        }
    }
}

void Reader::read_springs() {
    const Formula formula(names_.graph());
    for (const auto& entry : section("springs").entries) {
        if (entry.value.kind != Value::Kind::table) {
            fail(entry.mark, "'{}' stands in [springs]; a spring is a section of its own: [springs.NAME]", entry.key);
        }
        const std::string what = fmt::format("[springs.{}]", entry.key);
        expect_keys(entry.value, what, {"elongation", "frequency", "stiffness", "potential", "soft"});
        const Entry* elongation = entry.value.find("elongation");
        const Entry* potential = entry.value.find("potential");
        const Entry* frequency = entry.value.find("frequency");
        const Entry* stiffness = entry.value.find("stiffness");
        const Entry* soft = entry.value.find("soft");
        if ((elongation == nullptr) == (potential == nullptr)) {
            fail(entry.mark,
                 "{} needs an elongation, or a potential of its own: one of the two (the "
                 "potential of the system goes to the top of the file)",
                 what);
        }
        const std::size_t s = model_.springs.size();
        Spring& spring = model_.springs.emplace_back(Spring{.name = entry.key});
        if (soft != nullptr) {
            if (soft->value.kind != Value::Kind::boolean) {
                fail(soft->value.mark, "soft must be true or false, not {}", soft->value.kind_name());
            }
            spring.soft = soft->value.truth;
        }
        if (frequency != nullptr) {
            const Node omega = put_number(frequency->value, "the frequency of " + what, positive,
                                          [s](Model& model, double value) { model.springs[s].frequency = value; });
            spring.strength = formula.square(omega);
        }
        if (stiffness != nullptr) {
            spring.strength = put_number(stiffness->value, "the stiffness of " + what, positive,
                                         [s](Model& model, double k) { model.springs[s].stiffness = k; });
        }
        const Kinds allowed = Kind::coordinate | Kind::time;
        if (elongation != nullptr) {
            if ((frequency == nullptr) == (stiffness == nullptr)) {
                fail(entry.mark, "{} needs a frequency or a stiffness: one of the two", what);
            }
            spring.elongation = expression_of(elongation->value, "the elongation of " + what, allowed);
            const Node half = formula.times(formula.number(0.5), *spring.strength);
            spring.potential = formula.times(half, formula.square(*spring.elongation));
        } else {
            if (stiffness != nullptr || (frequency == nullptr && !spring.soft)) {
                fail(entry.mark,
                     "{} has a potential of its own; it takes a frequency, the fastest it causes, and no stiffness",
                     what);
            }
            spring.potential = expression_of(potential->value, "the potential of " + what, allowed);
        }
    }
}

void Reader::read_constraints() {
    for (const auto& entry : section("constraints").entries) {
        const std::string what = fmt::format("the constraint {}", entry.key);
        model_.constraints.push_back(
            {entry.key, expression_of(entry.value, what, Kind::coordinate | Kind::time), entry.mark});
    }
}

void Reader::read_fast_velocity() {
    const auto& entries = section("fast_velocity").entries;
    if (entries.empty()) {
        return;
    }
    model_.fast_velocity.assign(model_.coordinates.size(), names_.graph().constant(0));
    for (const auto& entry : entries) {
        const std::string what = fmt::format("the fast velocity of {}", entry.key);
        model_.fast_velocity[coordinate_of(entry, "fast_velocity")] =
            expression_of(entry.value, what, Kind::coordinate | Kind::time | Kind::phase);
    }
}

void Reader::read_oscillation() {
    const Value& table = section("oscillation");
    expect_keys(table, "[oscillation]", {"period", "small"});
    put_if_given(table, "period", "the period of the oscillation", positive,
                 [](Model& model, double time) { model.period = time; });
    if (const Entry* small = table.find("small")) {
        const auto& name = text(small->value, "small, the name of a parameter,");
        const auto known = mapped(model_.parameters, &Parameter::name);
        if (found(known, name) == nullptr) {
            fail(small->value.mark, "small = '{}' is not a parameter{}", name, suggestion(name, known));
        }
        model_.small = name;
    }
}

void Reader::read_slow() {
    for (const auto& entry : section("slow").entries) {
        const std::string what = fmt::format("the slow variable {}", entry.key);
        SlowVariable slow{.name = entry.key};
        if (entry.value.kind == Value::Kind::table) {
            expect_keys(entry.value, what, {"variable", "alternative"});
            const Entry* variable = entry.value.find("variable");
            if (variable == nullptr) {
                fail(entry.mark, "{0} has no expression: {1} = {{ variable = \"...\", alternative = \"...\" }}", what,
                     entry.key);
            }
            slow.node = expression(variable->value, what);
            if (const Entry* alternative = entry.value.find("alternative")) {
                slow.alternative = expression(alternative->value, "the alternative of " + what);
            }
        } else {
            slow.node = expression(entry.value, what);
        }
        model_.slow.push_back(slow);
    }
}

void Reader::read_splitting() {
    const Entry* entry = document_.find("splitting");
    if (entry == nullptr) {
        return;
    }
    const Value& table = entry->value;
    expect_keys(table, "[splitting]", {"exact", "position", "velocity", "mu", "time_factor"});
    const Entry* exact = table.find("exact");
    if (exact == nullptr || text(exact->value, "exact") != "kepler") {
        fail(
            exact != nullptr ? exact->value.mark : entry->mark,
            "[splitting] needs exact = \"kepler\"; a linear part is given by `exact` beside the rate of each variable");
    }
    KeplerSplitting& kepler = model_.kepler.emplace();
    const auto names = [&](const char* key) {
        std::vector<std::string> list;
        const Entry* given = table.find(key);
        if (given == nullptr || given->value.kind != Value::Kind::list) {
            fail(given != nullptr ? given->value.mark : entry->mark,
                 "[splitting] needs {} = [\"...\", ...], a list of variables", key);
        }
        for (const auto& item : given->value.items) {
            const std::string& name = text(item, fmt::format("each entry of {}", key));
            if (found(model_.variables, name, &Variable::name) == nullptr) {
                fail(item.mark, "[splitting] names '{}', which is not one of the [variables]", name);
            }
            list.push_back(name);
        }
        return list;
    };
    kepler.position = names("position");
    kepler.velocity = names("velocity");
    if (kepler.position.size() != kepler.velocity.size() || kepler.position.size() < 2 || kepler.position.size() > 3) {
        fail(exact->value.mark, "a Kepler orbit has two or three positions and as many velocities; there are {} and {}",
             kepler.position.size(), kepler.velocity.size());
    }
    put_if_given(table, "mu", "mu", positive, [](Model& model, double value) { model.kepler->mu = value; });
    if (const Entry* factor = table.find("time_factor")) {
        kepler.time_factor = expression_of(factor->value, "time_factor", static_cast<Kinds>(Kind::variable));
    }
}

void Reader::read_observed() {
    for (const auto& entry : section("observe").entries) {
        model_.observed.push_back(
            {entry.key, expression(entry.value, fmt::format("the observed quantity {}", entry.key)), entry.mark});
    }
}

void Reader::read_run() {
    const Value& table = section("run");
    expect_keys(table, "[run]", {"t_start", "t_end", "method", "samples", "rtol", "atol", "options"});
    RunSettings& run = model_.run;
    put_if_given(table, "t_start", "t_start", finite, [](Model& model, double t) { model.run.t_start = t; });
    put_if_given(table, "t_end", "t_end", finite, [](Model& model, double t) { model.run.t_end = t; });
    if (const Entry* entry = table.find("t_end")) {
        run.t_end_mark = entry->value.mark;
    }
    if (const Entry* entry = table.find("method")) {
        run.method = text(entry->value, "method");
        run.method_mark = entry->value.mark;
    }
    if (const Entry* entry = table.find("samples")) {
        put_number(entry->value, "samples", finite, [mark = entry->value.mark](Model& model, double samples) {
            model.run.samples = model.source.placed(mark, [&] { return samples_of(samples); });
        });
    }
    put_if_given(table, "rtol", "rtol", positive, [](Model& model, double rtol) { model.run.rtol = rtol; });
    put_if_given(table, "atol", "atol", positive, [](Model& model, double atol) { model.run.atol = atol; });
    if (const Entry* options = table.find("options")) {
        expect_table(options->value, "[run.options]");
        for (const auto& entry : options->value.entries) {
            const std::size_t k = run.options.size();
            run.options.push_back({entry.key, entry.value.number, entry.mark, entry.value.mark});
            if (entry.value.kind == Value::Kind::text) {
                run.options[k].value = entry.value.text;
            } else if (entry.value.kind == Value::Kind::list) {
                const auto& items = entry.value.items;
                run.options[k].value = std::vector<double>(items.size());
                for (std::size_t i = 0; i < items.size(); ++i) {
                    put_number(items[i], fmt::format("an entry of the option {}", entry.key), finite,
                               [k, i](Model& model, double value) {
                                   std::get<std::vector<double>>(model.run.options[k].value)[i] = value;
                               });
                }
            } else if (entry.value.kind != Value::Kind::number) {
                fail(entry.value.mark, "the option {} must be a number, text in quotes or a list, not {}", entry.key,
                     entry.value.kind_name());
            }
        }
    }
}

/// Every output has a column of its own.
void Reader::check_outputs() {
    std::set<std::string> taken{"t"};
    const auto take = [&](const std::string& name, Mark mark, std::string_view what) {
        names_.require_not_reserved(name, mark);
        if (!taken.insert(name).second) {
            fail(mark, "the {} '{}' has the name of another output; take another name", what, name);
        }
    };
    for (const auto& coordinate : model_.coordinates) {
        take(coordinate.name, coordinate.mark, "coordinate");
        take(coordinate.name + "_dot", coordinate.mark, "velocity");
    }
    for (const auto& variable : model_.variables) {
        take(variable.name, variable.mark, "variable");
    }
    for (const auto& constraint : model_.constraints) {
        take("lambda_" + constraint.name, constraint.mark, "multiplier");
        take("lambda_total_" + constraint.name, constraint.mark, "multiplier");
    }
    const auto take_all = [&](const char* name, std::string_view what) {
        for (const auto& entry : section(name).entries) {
            names_.require_name(entry.key, entry.mark);
            take(entry.key, entry.mark, what);
        }
    };
    take_all("slow", "slow variable");
    take_all("observe", "observed quantity");
    for (const auto* name : {"constraints", "springs"}) {
        for (const auto& entry : section(name).entries) {
            names_.require_name(entry.key, entry.mark);
        }
    }
}

void Reader::add_gradients() {
    if (model_.potential) {
        subtract_gradient(model_, *model_.potential, model_.forces);
    }
    for (const auto& spring : model_.springs) {
        if (spring.soft) {
            subtract_gradient(model_, spring.potential, model_.forces);
        }
    }
    model_.slow_forces = model_.forces;
    add_stiff_forces(model_);
}

}  // namespace lento::model
