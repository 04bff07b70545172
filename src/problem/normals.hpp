/// The normals of constraints, or of springs, at a point: the directions M^-1 g'^T in which they push.
///
/// At each point they are a row of numbers: the entries of g', and behind them, where masses vary with position or
/// time, the rows of g' M^-1 there. Steppers keep such rows of several points at once, and matrices are made of two of
/// them.
#pragma once

#include <memory>

#include "lento/problem/constraints.hpp"
#include "lento/problem/mass.hpp"

namespace lento {

class Normals {
public:
    Normals(const Mass& mass, std::shared_ptr<const Constraints> constraints);

    /// How many numbers belong to a point.
    std::size_t size() const { return entries() + (mass_.varies() ? pattern().rows() * mass_.dimension() : 0); }
    std::size_t entries() const { return pattern().entries(); }
    const SparsePattern& pattern() const { return constraints_->pattern(); }
    const Constraints& constraints() const { return *constraints_; }
    const Mass& mass() const { return mass_; }

    /// At a point, or along a series. Not numbers where the masses are not positive definite.
    void at(In x, double t, Out numbers) const;
    void at(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> numbers) const;
    /// The numbers behind the entries of g', which are given.
    void divide(In x, double t, Out numbers) const;
    void divide(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> numbers) const;

    /// y -= factor M^-1 g'^T mu
    void pull(In numbers, In mu, double factor, Out y);
    /// The same of forces: f -= factor g'^T mu; where masses vary, forces are divided by them already.
    void pull_forces(In numbers, In mu, double factor, Out f) const;

private:
    Mass mass_;
    std::shared_ptr<const Constraints> constraints_;
    std::vector<double> inverse_mass_;  // of a diagonal matrix
    std::vector<double> force_, scratch_;
};

}  // namespace lento
