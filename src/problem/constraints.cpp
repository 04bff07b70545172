#include "lento/problem/constraints.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// One point after another.
class PointwiseConstraints final : public BlockConstraints {
public:
    explicit PointwiseConstraints(const Constraints& constraints) : constraints_(&constraints) {}

    void operator()(const Block& block, Out numbers) override {
        if (block.degree == 0) {
            lanes<double>(block, numbers_, numbers);
        } else {
            lanes<Taylor>(block, series_, numbers);
        }
    }

private:
    template <class S>
    void lanes(const Block& block, std::vector<S>& space, Out numbers) const {
        const std::size_t entries = constraints_->pattern().entries();
        const std::size_t rows = entries + constraints_->count();
        const std::size_t n = block.x.size() / block.lanes / (static_cast<std::size_t>(block.degree) + 1);
        const BlockLayout state{n, block.lanes}, result{rows, block.lanes};
        space.resize(2 * n + rows);
        const std::span<S> all(space);
        const auto x = all.first(n), v = all.subspan(n, n), found = all.last(rows);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            state.gather(block.degree, block.x, k, x);
            state.gather(block.degree, block.v, k, v);
            if constexpr (std::is_same_v<S, double>) {
                constraints_->gradient(x, block.t[k], found.first(entries));
                constraints_->curvature(x, v, block.t[k], Clock::running, found.subspan(entries));
            } else {
                const auto t = S::variable(block.t[k], block.degree);
                constraints_->gradient(x, t, found.first(entries));
                constraints_->curvature(x, v, t, found.subspan(entries));
            }
            result.scatter(block.degree, found, k, numbers);
        }
    }

    const Constraints* constraints_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace

std::unique_ptr<BlockConstraints> Constraints::blocks() const {
    return std::make_unique<PointwiseConstraints>(*this);
}

Constraints::Constraints(std::vector<std::string> names, SparsePattern pattern)
    : names_(std::move(names)), pattern_(std::move(pattern)) {
    if (names_.empty()) {
        throw Misuse("a constrained system needs at least one constraint");
    }
    if (pattern_.rows() != names_.size()) {
        throw Misuse(fmt::format("the pattern has {} rows for {} constraints", pattern_.rows(), names_.size()));
    }
}

std::shared_ptr<const Constraints> Constraints::with_names(std::vector<std::string> names) const {
    if (names.size() != count()) {
        throw Misuse(fmt::format("{} names for {} constraints", names.size(), count()));
    }
    auto other = copy();
    other->names_ = std::move(names);
    return other;
}

std::vector<std::string> constraint_names(std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t j = 0; j < count; ++j) {
        names.push_back(fmt::format("g{}", j + 1));
    }
    return names;
}

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
