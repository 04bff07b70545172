/// The sections that give names their meaning, the numbers that need them, and [mass].
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/eigenvalues.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "model/evaluate.hpp"
#include "model/reader.hpp"

namespace lento::model {
namespace {

/// Throws Misuse where the inverse of a mass matrix is rounding and nothing else. What is not symmetric, or not
/// positive definite, is said elsewhere.
void require_regular(const Rows& given) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto d = static_cast<Eigen::Index>(given.rows);
    const Eigen::VectorXd values = symmetric_eigenvalues(Eigen::Map<const RowMajor>(given.entries.data(), d, d));
    const double least = values.minCoeff();
    const double largest = values.maxCoeff();
    if (least > 0 && least <= static_cast<double>(d) * std::numeric_limits<double>::epsilon() * largest) {
        throw Misuse(
            fmt::format("the mass matrix is singular to rounding: its eigenvalues reach from {:.2g} to {:.6g}; some "
                        "combination of coordinates is without mass",
                        least, largest));
    }
}

}  // namespace

void Reader::read_parameters() {
    const Value& table = section("parameters");
    const auto known = mapped(table.entries, &Entry::key);
    for (const auto& given : assignments_) {
        if (found(known, given.name) == nullptr) {
            refuse_parameter(model_.source, given, known);
        }
    }
    names_.hint = [&](std::string_view name) {
        return found(known, name) != nullptr
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
            fail(entry.value.mark, "{} must be a table, {} = {{ start = ..., velocity = ... }}, not {}", what,
                 entry.key, entry.value.kind_name());
        }
        expect_keys(entry.value, what, {"start", "velocity", "scale", "velocity_scale"});
        names_.require_free(entry.key, entry.mark);
        coordinate_.emplace(entry.key, model_.coordinates.size());
        model_.coordinates.push_back({.name = entry.key, .mark = entry.mark});
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
            fail(entry.value.mark, "{} must be a table, {} = {{ start = ..., rate = \"...\" }}, not {}", what,
                 entry.key, entry.value.kind_name());
        }
        if (const Entry* scale = entry.value.find("velocity_scale")) {
            fail(scale->mark,
                 "velocity_scale is for coordinates, and {} is a variable, which has no velocity: say scale",
                 entry.key);
        }
        expect_keys(entry.value, what, {"start", "rate", "exact", "scale"});
        names_.add_symbol(entry.key, entry.mark, Kind::variable);
        model_.variables.push_back({.name = entry.key, .mark = entry.mark});
    }
    if (model_.dimension() == 0) {
        const char* empty = document_.find("variables") != nullptr ? "variables" : "coordinates";
        fail(document_.find(empty)->mark, "[{}] is empty; a system needs at least one", empty);
    }
}

void Reader::read_phases() {
    for (const auto& entry : section("vibration").entries) {
        if (entry.value.kind != Value::Kind::table) {
            fail(entry.mark, "'{}' stands in [vibration]; a phase is a section of its own: [vibration.theta]",
                 entry.key);
        }
        names_.add_symbol(entry.key, entry.mark, Kind::phase);
        model_.phases.push_back({.name = entry.key});
    }
}

/// Definitions may use each other in any order: what they need is found first.
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
                path.erase(path.begin(), std::ranges::find(path, next));
                const auto circle = mapped(path, [&](std::size_t each) { return entries[each].key; });
                fail(entries[next].mark, "definitions go round in a circle: {} -> {}", fmt::join(circle, " -> "),
                     entries[next].key);
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
            fail(coordinate.mark, "the coordinate {0} has no start: {0} = {{ start = ... }}", coordinate.name);
        }
        put_number(start->value, "the start " + what, finite,
                   [i](Model& model, double x) { model.coordinates[i].start = x; });
        put_if_given(table, "velocity", "the velocity " + what, finite,
                     [i](Model& model, double v) { model.coordinates[i].velocity = v; });
        put_if_given(table, "scale", "the scale " + what, positive,
                     [i](Model& model, double size) { model.coordinates[i].scale = size; });
        put_if_given(table, "velocity_scale", "the velocity_scale " + what, positive,
                     [i](Model& model, double size) { model.coordinates[i].velocity_scale = size; });
    }
    for (std::size_t j = 0; j < model_.phases.size(); ++j) {
        const auto& phase = model_.phases[j];
        const Entry& entry = section("vibration").entries[j];
        const std::string what = fmt::format("of the phase {}", phase.name);
        expect_keys(entry.value, fmt::format("[vibration.{}]", phase.name), {"frequency", "start"});
        const Entry* frequency = entry.value.find("frequency");
        if (frequency == nullptr) {
            fail(entry.mark, "the phase {} has no frequency", phase.name);
        }
        put_number(frequency->value, "the frequency " + what, positive,
                   [j](Model& model, double omega) { model.phases[j].frequency = omega; });
        put_if_given(entry.value, "start", "the start " + what, finite,
                     [j](Model& model, double angle) { model.phases[j].start = angle; });
    }
}

void Reader::read_mass() {
    const Value& table = section("mass");
    model_.mass = Mass(model_.coordinates.size());
    if (const Entry* matrix = table.find("matrix"); matrix != nullptr && !coordinate_.contains("matrix")) {
        if (table.entries.size() > 1) {
            fail(matrix->mark, "[mass] has a matrix, which says all; take the other entries out");
        }
        read_mass_matrix(matrix->value);
    } else if (!table.entries.empty()) {
        read_masses(table);
    }
}

Node Reader::mass(const Value& value, const std::string& what) {
    return expression_of(value, what, Kind::coordinate | Kind::time);
}

bool Reader::vary(std::span<const Node> masses) {
    return std::ranges::any_of(masses, [&](Node node) { return !names_.value(node); });
}

/// Of two entries of a matrix that may be written in two ways: at the start, and at points about it.
void Reader::require_equal(Node a, Node b, Mark mark, const std::string& what) {
    constexpr std::size_t points = 3;
    const Evaluator both(names_.graph(), {a, b});
    for (std::size_t point = 0; a != b && point < points; ++point) {
        const auto value = [&](std::size_t k) {
            const Symbol& symbol = names_.symbols()[k];
            const double aside = point == 0 ? 0 : golden_fraction(k, point);
            return symbol.kind == Kind::parameter    ? *symbol.value
                   : symbol.kind == Kind::coordinate ? model_.coordinates[symbol.index].start + aside
                                                     : aside;
        };
        std::array<double, 2> values{};
        both.operator()<double>(value, std::span<double>(values));
        if (std::abs(values[0] - values[1]) > 1e-12 * std::max(std::abs(values[0]), std::abs(values[1]))) {
            fail(mark, "{} is not that of its mirror image: they are {:.6g} and {:.6g}{}; a mass matrix is symmetric",
                 what, values[0], values[1], point == 0 ? " at the start" : "");
        }
    }
}

void Reader::read_mass_matrix(const Value& matrix) {
    const std::size_t d = model_.coordinates.size();
    const auto& rows = matrix.items;
    if (rows.empty() || std::ranges::any_of(rows, [](const Value& row) { return row.kind != Value::Kind::list; })) {
        fail(matrix.mark, "the mass matrix must be a list of rows, each a list of numbers: matrix = [[2, 0], [0, 1]]");
    }
    const auto wrong_size = [&](Mark mark, std::size_t found, std::string_view of) {
        fail(mark, "the mass matrix has {} {}; there are {} coordinates", found, of, d);
    };
    if (rows.size() != d) {
        wrong_size(matrix.mark, rows.size(), "rows");
    }
    std::vector<Node> nodes;
    std::vector<Mark> marks;
    const auto what = [d](std::size_t k) {
        return fmt::format("the entry ({},{}) of the mass matrix", k / d + 1, k % d + 1);
    };
    for (std::size_t i = 0; i < d; ++i) {
        if (rows[i].items.size() != d) {
            wrong_size(rows[i].mark, rows[i].items.size(), fmt::format("entries in row {}", i + 1));
        }
        for (std::size_t j = 0; j < d; ++j) {
            nodes.push_back(mass(rows[i].items[j], what(i * d + j)));
            marks.push_back(rows[i].items[j].mark);
        }
    }
    if (vary(nodes)) {
        for (std::size_t i = 0; i < d; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                require_equal(nodes[i * d + j], nodes[j * d + i], marks[i * d + j], what(i * d + j));
                model_.masses.push_back(nodes[i * d + j]);
            }
        }
        return;
    }
    put(nodes, [d, what, marks, whole = matrix.mark](Model& model, std::span<const double> values) {
        Rows entries(d, d);
        for (std::size_t k = 0; k < values.size(); ++k) {
            entries.entries[k] = finite(model.source, marks[k], what(k), values[k]);
        }
        model.mass = model.source.placed(whole, [&] {
            require_regular(entries);
            return Mass::full(std::move(entries));
        });
    });
}

void Reader::read_masses(const Value& table) {
    struct Entered {
        std::size_t coordinate;
        std::string what;
        Mark mark;
    };
    std::vector<Node> nodes;
    std::vector<Entered> entered;
    for (const auto& entry : table.entries) {
        entered.push_back({coordinate_of(entry, "mass"), fmt::format("the mass of {}", entry.key), entry.value.mark});
        nodes.push_back(mass(entry.value, entered.back().what));
    }
    if (vary(nodes)) {
        const std::size_t d = model_.coordinates.size();
        model_.masses.assign(SymmetricEntries<Node>::count(d), names_.graph().constant(0));
        const SymmetricEntries<Node> M(model_.masses, d);
        for (std::size_t i = 0; i < d; ++i) {
            M(i, i) = names_.graph().constant(1);
        }
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            M(entered[k].coordinate, entered[k].coordinate) = nodes[k];
        }
        return;
    }
    put(nodes, [entered, mark = table.mark](Model& model, std::span<const double> values) {
        std::vector<double> masses(model.coordinates.size(), 1.0);
        for (std::size_t k = 0; k < values.size(); ++k) {
            masses[entered[k].coordinate] = positive(model.source, entered[k].mark, entered[k].what, values[k]);
        }
        model.mass = model.source.placed(mark, [&] { return Mass::diagonal(masses); });
    });
}

}  // namespace lento::model
