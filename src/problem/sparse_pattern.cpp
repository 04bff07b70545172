#include "lento/problem/sparse_pattern.hpp"

namespace lento {

std::vector<std::size_t> colours_of_columns(const SparsePattern& pattern, std::size_t columns) {
    std::vector<std::vector<std::size_t>> rows_of(columns);
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        for (const std::size_t column : pattern.row(j)) {
            rows_of[column].push_back(j);
        }
    }
    constexpr auto none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> colours(columns, none);
    std::vector<std::size_t> taken_by(1, none);  // per colour, the last column that cannot have it
    for (std::size_t column = 0; column < columns; ++column) {
        for (const std::size_t row : rows_of[column]) {
            for (const std::size_t neighbour : pattern.row(row)) {
                if (colours[neighbour] != none) {
                    taken_by[colours[neighbour]] = column;
                }
            }
        }
        std::size_t colour = 0;
        while (taken_by[colour] == column) {
            ++colour;
        }
        colours[column] = colour;
        if (colour + 1 == taken_by.size()) {
            taken_by.push_back(none);
        }
    }
    return colours;
}

}  // namespace lento
