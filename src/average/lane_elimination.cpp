#include "average/lane_elimination.hpp"

#include <numeric>

#include "base/rows.hpp"

namespace lento {

LaneElimination::LaneElimination(const Problem& problem)
    : mass_(problem.mass),
      divided_(problem.mass, problem.constraints),
      constraints_(problem.constraints->blocks()),
      pattern_(problem.constraints->pattern()),
      push_pattern_(push_pattern(mass_, pattern_)),
      matrix_(pattern_, push_pattern_),
      dimension_(problem.dimension()),
      normal_rows_(pattern_.entries() + pattern_.rows()) {
    std::vector<std::vector<Push>> columns(dimension_);
    for (std::size_t j = 0; j < pattern_.rows(); ++j) {
        for (std::size_t e = push_pattern_.start(j); e < push_pattern_.start(j + 1); ++e) {
            columns[push_pattern_.column(e)].push_back({e, j});
        }
    }
    for (const auto& column : columns) {
        starts_.push_back(by_coordinate_.size());
        by_coordinate_.insert(by_coordinate_.end(), column.begin(), column.end());
    }
    starts_.push_back(by_coordinate_.size());
    for (std::size_t row = 0; row < pattern_.rows() && !mass_.varies(); ++row) {
        for (std::size_t e = pattern_.start(row); e < pattern_.start(row + 1); ++e) {
            for (std::size_t p = push_pattern_.start(row); p < push_pattern_.start(row + 1); ++p) {
                const double inverse_mass = mass_.inverse_entry(push_pattern_.column(p), pattern_.column(e));
                if (inverse_mass != 0) {
                    shares_.push_back({p, e, inverse_mass});
                }
            }
        }
    }
}

SparsePattern LaneElimination::push_pattern(const Mass& mass, const SparsePattern& normals) {
    if (mass.is_diagonal()) {
        return normals;
    }
    std::vector<std::size_t> all(mass.dimension());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return SparsePattern(std::vector(normals.rows(), all));
}

void LaneElimination::operator()(const Block& given, Out f) {
    const std::size_t terms = static_cast<std::size_t>(given.degree) + 1;
    Block block = given;  // whose arrays may be longer
    block.x = given.x.first(terms * dimension_ * given.lanes);
    block.v = given.v.first(terms * dimension_ * given.lanes);
    const std::size_t count = pattern_.rows();
    lanes_ = block.lanes;
    normals_.resize(terms * normal_rows_ * lanes_);
    pushes_.resize(terms * push_pattern_.entries() * lanes_);
    lambda_.resize(terms * count * lanes_);
    row_.resize(dimension_ * lanes_);
    (*constraints_)(block, normals_);
    find_pushes(block);
    matrix_.factorise(lanes_, normals_.data(), pushes_.data());
    for (std::size_t k = 0; k < terms; ++k) {
        double* const a = f.data() + k * dimension_ * lanes_;
        double* const lambda = lambda_.data() + k * count * lanes_;
        divide_forces(a);
        for (std::size_t j = 1; j <= k; ++j) {
            pull(j, lambda - j * count * lanes_, a);
        }
        std::copy_n(normal(k, pattern_.entries()), count * lanes_, lambda);
        for (std::size_t j = 0; j <= k; ++j) {
            const double* const before = a - j * dimension_ * lanes_;
            for (std::size_t row = 0; row < count; ++row) {
                for (std::size_t e = pattern_.start(row); e < pattern_.start(row + 1); ++e) {
                    add_product(lanes_, lambda + row * lanes_, normal(j, e), before + pattern_.column(e) * lanes_);
                }
            }
        }
        matrix_.solve(lambda);
        pull(0, lambda, a);
    }
}

void LaneElimination::mean_multipliers(Out mean) const {
    for (std::size_t j = 0; j < mean.size(); ++j) {
        const auto row = In(lambda_).subspan(j * lanes_, lanes_);
        mean[j] = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(lanes_);
    }
}

void LaneElimination::find_pushes(const Block& block) {
    if (mass_.varies()) {
        block.degree == 0 ? divide(block, numbers_) : divide(block, series_);
        return;
    }
    std::ranges::fill(pushes_, 0.0);
    for (std::size_t j = 0; j <= static_cast<std::size_t>(block.degree); ++j) {
        for (const auto& share : shares_) {
            add_multiple(lanes_, push(j, share.push), share.inverse_mass, normal(j, share.entry));
        }
    }
}

/// By masses that vary, point after point.
template <class S>
void LaneElimination::divide(const Block& block, std::vector<S>& space) {
    const std::size_t entries = pattern_.entries();
    space.resize(dimension_ + divided_.size());
    const auto x = std::span(space).first(dimension_);
    const auto numbers = std::span(space).subspan(dimension_);
    const BlockLayout positions{dimension_, lanes_}, normals{normal_rows_, lanes_},
        pushes{push_pattern_.entries(), lanes_};
    for (std::size_t k = 0; k < lanes_; ++k) {
        S t = block.t[k];
        if constexpr (!std::is_arithmetic_v<S>) {
            t = S::variable(block.t[k], block.degree);
        }
        positions.gather(block.degree, block.x, k, x);
        normals.gather(block.degree, normals_, k, numbers.first(entries));
        divided_.divide(x, t, numbers);
        pushes.scatter(block.degree, numbers.subspan(entries), k, pushes_);
    }
}

/// a = M^-1 f of one coefficient; forces on masses that vary are divided already.
void LaneElimination::divide_forces(double* f) {
    if (mass_.is_one() || mass_.varies()) {
        return;
    }
    if (mass_.is_diagonal()) {
        for (std::size_t i = 0; i < dimension_; ++i) {
            const double inverse_mass = mass_.inverse_entry(i, i);
            for (std::size_t k = 0; k < lanes_; ++k) {
                f[i * lanes_ + k] *= inverse_mass;
            }
        }
        return;
    }
    std::copy_n(f, dimension_ * lanes_, row_.begin());
    std::fill_n(f, dimension_ * lanes_, 0.0);
    for (std::size_t i = 0; i < dimension_; ++i) {
        for (std::size_t j = 0; j < dimension_; ++j) {
            add_multiple(lanes_, f + i * lanes_, mass_.inverse_entry(i, j), row_.data() + j * lanes_);
        }
    }
}

/// a -= P_j^T lambda. NOTE: what constraints do to a coordinate is summed first: tensions may be far larger than their
/// sum.
void LaneElimination::pull(std::size_t j, const double* lambda, double* a) {
    for (std::size_t i = 0; i < dimension_; ++i) {
        if (starts_[i] == starts_[i + 1]) {
            continue;
        }
        std::fill_n(row_.begin(), lanes_, 0.0);
        for (std::size_t p = starts_[i]; p < starts_[i + 1]; ++p) {
            const auto [entry, constraint] = by_coordinate_[p];
            add_product(lanes_, row_.data(), push(j, entry), lambda + constraint * lanes_);
        }
        subtract(lanes_, a + i * lanes_, row_.data());
    }
}

}  // namespace lento
