#include "problem/normal_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/rows.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {

NormalLanes::NormalLanes(const SparsePattern& normals, const SparsePattern& pushes)
    : count_(normals.rows()), order_(elimination_order(normals)) {
    std::vector<std::size_t> number(count_);  // the inverse of order_
    for (std::size_t j = 0; j < count_; ++j) {
        number[order_[j]] = j;
    }
    struct Push {
        std::size_t number, entry;
    };
    std::vector<std::vector<Push>> by_coordinate;
    for (std::size_t j = 0; j < count_; ++j) {
        for (std::size_t e = pushes.start(j); e < pushes.start(j + 1); ++e) {
            by_coordinate.resize(std::max(by_coordinate.size(), pushes.column(e) + 1));
            by_coordinate[pushes.column(e)].push_back({number[j], e});
        }
    }
    const auto each_product = [&](auto&& visit) {
        for (std::size_t j = 0; j < count_; ++j) {
            for (std::size_t e = normals.start(j); e < normals.start(j + 1); ++e) {
                for (const auto& push : by_coordinate[normals.column(e)]) {
                    if (push.number <= number[j]) {
                        visit(number[j], push.number, e, push.entry);
                    }
                }
            }
        }
    };
    std::vector<std::vector<std::size_t>> below(count_);
    each_product([&](std::size_t row, std::size_t column, auto, auto) { below[column].push_back(row); });
    find_pattern(below);
    each_product([&](std::size_t row, std::size_t column, std::size_t first, std::size_t second) {
        const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[column]);
        const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(starts_[column + 1]);
        products_.push_back(
            {static_cast<std::size_t>(std::lower_bound(begin, end, row) - rows_.begin()), first, second});
    });
}

/// A column of L has the rows of that of A, and those of the columns before whose first row below the diagonal it is.
void NormalLanes::find_pattern(const std::vector<std::vector<std::size_t>>& below) {
    std::vector<std::set<std::size_t>> columns(count_);
    starts_.push_back(0);
    for (std::size_t j = 0; j < count_; ++j) {
        auto& column = columns[j];
        column.insert(j);
        column.insert(below[j].begin(), below[j].end());
        rows_.insert(rows_.end(), column.begin(), column.end());
        starts_.push_back(rows_.size());
        if (column.size() > 1) {
            const auto second = std::next(column.begin());
            columns[*second].insert(second, column.end());
        }
        column.clear();
    }
}

void NormalLanes::factorise(std::size_t lanes, const double* normals, const double* pushes) {
    lanes_ = lanes;
    entries_.assign(rows_.size() * lanes, 0.0);
    scales_.resize(count_ * lanes);
    right_.resize(count_ * lanes);
    factor_.resize(lanes);
    for (const auto& product : products_) {
        add_product(lanes, entry(product.target), normals + product.first * lanes, pushes + product.second * lanes);
    }
    for (std::size_t j = 0; j < count_; ++j) {
        const double* const diagonal = entry(starts_[j]);
        for (std::size_t k = 0; k < lanes; ++k) {
            scale(j)[k] = 1 / std::sqrt(diagonal[k]);
        }
    }
    for (std::size_t j = 0; j < count_; ++j) {
        for (std::size_t e = starts_[j]; e < starts_[j + 1]; ++e) {
            multiply(lanes, entry(e), scale(j));
            multiply(lanes, entry(e), scale(rows_[e]));
        }
    }
    for (std::size_t j = 0; j < count_; ++j) {
        eliminate(j);
    }
    std::vector<double>& verdict = factor_;  // zero, or not a number where a pivot is rounding
    std::fill(verdict.begin(), verdict.end(), 0.0);
    for (std::size_t j = 0; j < count_; ++j) {
        const double* const pivot = entry(starts_[j]);
        for (std::size_t k = 0; k < lanes; ++k) {
            verdict[k] += pivot[k] > least_pivot ? 0.0 : std::numeric_limits<double>::quiet_NaN();
        }
    }
    for (std::size_t j = 0; j < count_; ++j) {
        double* const pivot = entry(starts_[j]);
        for (std::size_t k = 0; k < lanes; ++k) {
            pivot[k] = 1 / pivot[k] + verdict[k];
        }
    }
}

/// Of column j are given u = L_ij d_j; the columns behind it lose L_ij u_kj, which are among their rows.
void NormalLanes::eliminate(std::size_t j) {
    const std::size_t end = starts_[j + 1];
    const double* const pivot = entry(starts_[j]);
    for (std::size_t a = starts_[j] + 1; a < end; ++a) {
        double* const u = entry(a);
        for (std::size_t k = 0; k < lanes_; ++k) {
            factor_[k] = u[k] / pivot[k];
        }
        std::size_t target = starts_[rows_[a]];
        for (std::size_t b = a; b < end; ++b, ++target) {
            while (rows_[target] != rows_[b]) {
                ++target;
            }
            subtract_product(lanes_, entry(target), entry(b), factor_.data());
        }
        std::copy(factor_.begin(), factor_.end(), u);
    }
}

void NormalLanes::solve(double* r) {
    const auto right = [&](std::size_t j) { return right_.data() + j * lanes_; };
    for (std::size_t j = 0; j < count_; ++j) {
        const double* const given = r + order_[j] * lanes_;
        for (std::size_t k = 0; k < lanes_; ++k) {
            right(j)[k] = given[k] * scale(j)[k];
        }
    }
    for (std::size_t j = 0; j < count_; ++j) {
        for (std::size_t e = starts_[j] + 1; e < starts_[j + 1]; ++e) {
            subtract_product(lanes_, right(rows_[e]), entry(e), right(j));
        }
    }
    for (std::size_t j = count_; j-- > 0;) {
        multiply(lanes_, right(j), entry(starts_[j]));
        for (std::size_t e = starts_[j] + 1; e < starts_[j + 1]; ++e) {
            subtract_product(lanes_, right(j), entry(e), right(rows_[e]));
        }
        double* const found = r + order_[j] * lanes_;
        for (std::size_t k = 0; k < lanes_; ++k) {
            found[k] = right(j)[k] * scale(j)[k];
        }
    }
}

}  // namespace lento
