#include "problem/normals.hpp"

#include "base/number.hpp"
#include "problem/symmetric_factor.hpp"

namespace lento {
namespace {

/// The rows of g' M^-1, behind the entries of g'.
template <class S>
void divide_rows(const MassFunction& mass, const SparsePattern& pattern, std::span<const S> x, const S& t,
                 std::span<S> numbers) {
    constexpr std::size_t few = std::is_same_v<S, double> ? 32 : 0;
    const std::size_t n = x.size();
    Scratch<S, few> factors(SymmetricEntries<S>::count(n));
    mass.at(x, t, factors.span());
    const bool definite = factorise(factors.span(), n);
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        const auto row = numbers.subspan(pattern.entries() + j * n, n);
        std::fill(row.begin(), row.end(), S(definite ? 0.0 : std::numeric_limits<double>::quiet_NaN()));
        for (std::size_t e = pattern.start(j); definite && e < pattern.start(j + 1); ++e) {
            row[pattern.column(e)] = numbers[e];
        }
        solve(std::span<const S>(factors.span()), row);
    }
}

}  // namespace

Normals::Normals(const Mass& mass, std::shared_ptr<const Constraints> constraints)
    : mass_(mass), constraints_(std::move(constraints)), force_(mass.dimension()), scratch_(mass.dimension()) {
    for (std::size_t i = 0; mass_.is_diagonal() && i < mass_.dimension(); ++i) {
        inverse_mass_.push_back(mass_.inverse_entry(i, i));
    }
}

void Normals::at(In x, double t, Out numbers) const {
    constraints_->gradient(x, t, numbers.first(entries()));
    divide(x, t, numbers);
}

void Normals::at(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> numbers) const {
    constraints_->gradient(x, t, numbers.first(entries()));
    divide(x, t, numbers);
}

void Normals::divide(In x, double t, Out numbers) const {
    if (mass_.varies()) {
        divide_rows(mass_.function(), pattern(), x, t, numbers);
    }
}

void Normals::divide(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> numbers) const {
    if (mass_.varies()) {
        divide_rows(mass_.function(), pattern(), x, t, numbers);
    }
}

void Normals::pull(In numbers, In mu, double factor, Out y) {
    if (mass_.varies()) {
        pull_forces(numbers, mu, factor, y);
        return;
    }
    if (inverse_mass_.empty()) {
        std::fill(force_.begin(), force_.end(), 0.0);
        pull_forces(numbers, mu, factor, force_);
        mass_.to_acceleration(Out(force_), Out(scratch_));
        add_to(y, 1, force_);
        return;
    }
    for (std::size_t j = 0; j < mu.size(); ++j) {
        const double along = factor * mu[j];
        for (std::size_t e = pattern().start(j); e < pattern().start(j + 1); ++e) {
            const std::size_t column = pattern().column(e);
            y[column] -= along * numbers[e] * inverse_mass_[column];
        }
    }
}

void Normals::pull_forces(In numbers, In mu, double factor, Out f) const {
    for (std::size_t j = 0; j < mu.size(); ++j) {
        const double along = factor * mu[j];
        if (mass_.varies()) {
            add_to(f, -along, numbers.subspan(entries() + j * f.size(), f.size()));
            continue;
        }
        for (std::size_t e = pattern().start(j); e < pattern().start(j + 1); ++e) {
            f[pattern().column(e)] -= along * numbers[e];
        }
    }
}

}  // namespace lento
