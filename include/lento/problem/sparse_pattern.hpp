/// Where a sparse matrix may have entries that are not zero, by rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

class SparsePattern {
public:
    SparsePattern() = default;
    /// The columns of each row, ascending.
    explicit SparsePattern(const std::vector<std::vector<std::size_t>>& rows) {
        for (const auto& row : rows) {
            columns_.insert(columns_.end(), row.begin(), row.end());
            starts_.push_back(columns_.size());
        }
    }

    std::size_t rows() const { return starts_.size() - 1; }
    std::size_t entries() const { return columns_.size(); }
    /// The entries of row j are those from start(j) to start(j + 1).
    std::size_t start(std::size_t j) const { return starts_[j]; }
    std::size_t column(std::size_t entry) const { return columns_[entry]; }
    std::span<const std::size_t> row(std::size_t j) const {
        return std::span(columns_).subspan(starts_[j], starts_[j + 1] - starts_[j]);
    }
    /// result += A^T factors, A the matrix with these entries.
    void add_transposed(std::span<const double> entries, std::span<const double> factors,
                        std::span<double> result) const {
        for (std::size_t j = 0; j < factors.size(); ++j) {
            for (std::size_t e = start(j); e < start(j + 1); ++e) {
                result[column(e)] += entries[e] * factors[j];
            }
        }
    }

private:
    std::vector<std::size_t> starts_{0};
    std::vector<std::size_t> columns_;
};

/// A colour for each column such that columns of one colour share no row; derivatives by all of them then need one
/// evaluation.
std::vector<std::size_t> colours_of_columns(const SparsePattern& pattern, std::size_t columns);

}  // namespace lento
