/// The section [mass]: a mass a coordinate, or a matrix.
#include <algorithm>

#include <fmt/format.h>

#include "model/reader.hpp"

namespace lento::model {
namespace {

/// What a mass matrix is refused for has a place.
template <class Make>
Mass mass_or_failure(const Model& model, Mark mark, Make&& make) {
    try {
        return make();
    } catch (const Misuse& misuse) {
        model.source.fail(mark, misuse.what());
    }
}

}  // namespace

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

void Reader::read_mass_matrix(const Value& matrix) {
    const std::size_t d = model_.coordinates.size();
    const auto& rows = matrix.items;
    if (rows.empty() ||
        std::any_of(rows.begin(), rows.end(), [](const Value& row) { return row.kind != Value::Kind::list; })) {
        fail(matrix.mark, "the mass matrix must be a list of rows, each a list of numbers: matrix = [[2, 0], [0, 1]]");
    }
    const auto wrong_size = [&](Mark mark, std::size_t found, std::string_view of) {
        fail(mark, fmt::format("the mass matrix has {} {}; there are {} coordinates", found, of, d));
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
            nodes.push_back(number(rows[i].items[j], what(i * d + j)));
            marks.push_back(rows[i].items[j].mark);
        }
    }
    put(nodes, [d, what, marks, whole = matrix.mark](Model& model, std::span<const double> values) {
        Rows entries(d, d);
        for (std::size_t k = 0; k < values.size(); ++k) {
            entries.entries[k] = finite(model.source, marks[k], what(k), values[k]);
        }
        model.mass = mass_or_failure(model, whole, [&] { return Mass::full(std::move(entries)); });
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
        nodes.push_back(number(entry.value, entered.back().what));
    }
    put(nodes, [entered, mark = table.mark](Model& model, std::span<const double> values) {
        std::vector<double> masses(model.coordinates.size(), 1.0);
        for (std::size_t k = 0; k < values.size(); ++k) {
            masses[entered[k].coordinate] = positive(model.source, entered[k].mark, entered[k].what, values[k]);
        }
        model.mass = mass_or_failure(model, mark, [&] { return Mass::diagonal(masses); });
    });
}

}  // namespace lento::model
