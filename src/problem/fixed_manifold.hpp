/// The way of SHAKE onto a manifold (`problem/manifold.hpp`) where the compiler knows the number of constraints and,
/// almost, that of coordinates: normals are full rows of numbers in registers. Coordinates that are not there are zero.
///
/// For constant diagonal masses. The matrix is factorised by the manifold, whose inverse is copied.
#pragma once

#include <array>

#include "problem/manifold.hpp"

namespace lento {

template <std::size_t Count, std::size_t Dimension>
class FixedManifold {
public:
    static constexpr std::size_t count_extent = Count;
    static constexpr std::size_t extent = Dimension;
    using Coordinates = std::span<double, Dimension>;
    using Multipliers = std::span<double, Count>;
    using Rows = std::array<double, Count * Dimension>;
    struct Gradient {
        Rows entries{};                     ///< of g', as the pattern has them, unless that is full
        Rows normals{}, pushes{};           ///< the rows of g' and of g' M^-1
        std::array<double, Count> scale{};  ///< of residuals nearby: the sum of |g'_ji x_i|
    };

    /// Whether a manifold has this form.
    static bool suits(const Manifold& manifold) {
        return manifold.count() == Count && manifold.dimension() <= Dimension && manifold.mass().is_diagonal();
    }

    explicit FixedManifold(Manifold& manifold)
        : manifold_(&manifold),
          constraints_(&manifold.constraints()),
          dimension_(manifold.dimension()),
          entries_(constraints_->pattern().entries()) {
        const auto& pattern = constraints_->pattern();
        for (std::size_t j = 0; j < Count; ++j) {
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                places_[e] = j * Dimension + pattern.column(e);
            }
        }
        for (std::size_t i = 0; i < Count * dimension_; ++i) {
            inverse_mass_[i / dimension_ * Dimension + i % dimension_] =
                manifold.mass().inverse_entry(i % dimension_, i % dimension_);
        }
    }

    std::size_t dimension() const { return dimension_; }
    const Constraints& constraints() const { return *constraints_; }
    Gradient new_gradient() const { return {}; }

    void gradient(Coordinates x, double t, Gradient& gradient) const {
        // NOTE: entries that fill the rows are written there: to copy numbers just written takes longer than to write.
        const bool full = entries_ == Count * Dimension;
        Rows& written = full ? gradient.normals : gradient.entries;
        constraints_->gradient(In(x.data(), dimension_), t, Out(written).first(entries_));
        for (std::size_t e = 0; e < entries_ && !full; ++e) {
            gradient.normals[places_[e]] = gradient.entries[e];
        }
        for (std::size_t i = 0; i < Count * Dimension; ++i) {
            gradient.pushes[i] = gradient.normals[i] * inverse_mass_[i];
        }
        set_scale(x, gradient);
    }

    [[nodiscard]] bool factorise(const Gradient& gradient) {
        return take_inverse(manifold_->factorise(entries_of(gradient)));
    }

    /// y -= factor M^-1 g'^T mu
    void pull(const Gradient& gradient, std::span<const double, Count> mu, double factor, Coordinates y) const {
        for (std::size_t j = 0; j < Count; ++j) {
            const double along = factor * mu[j];
            for (std::size_t i = 0; i < Dimension; ++i) {
                y[i] -= along * gradient.pushes[j * Dimension + i];
            }
        }
    }

    /// As that of the manifold.
    Convergence to_position(const Gradient& directions, double t, Coordinates x, Multipliers mu) {
        newton_.scale = directions.scale;
        return newton_.solve(
            mu, [&](int) { constraints_->values(In(x.data(), dimension_), t, newton_.residual); },
            [&] {
                gradient(x, t, there_);
                return take_inverse(manifold_->factorise(entries_of(there_), entries_of(directions)));
            },
            [&](Multipliers correction) { divide(correction); }, [&] { pull(directions, newton_.correction, 1, x); });
    }

private:
    In entries_of(const Gradient& gradient) const {
        return In(entries_ == Count * Dimension ? gradient.normals : gradient.entries).first(entries_);
    }

    bool take_inverse(bool independent) {
        std::ranges::copy(manifold_->inverse(), inverse_.begin());
        return independent;
    }

    void divide(Multipliers r) {
        std::array<double, Count> result{};
        for (std::size_t i = 0; i < Count; ++i) {
            for (std::size_t j = 0; j < Count; ++j) {
                result[i] += inverse_[i * Count + j] * r[j];
            }
        }
        std::ranges::copy(result, r.begin());
        manifold_->count(1);
    }

    static void set_scale(Coordinates x, Gradient& gradient) {
        double largest = 0;
        for (const double component : x) {
            largest = std::max(largest, std::abs(component));
        }
        const double least = Manifold::least_part * largest;
        for (std::size_t j = 0; j < Count; ++j) {
            double sum = std::numeric_limits<double>::min();
            for (std::size_t i = 0; i < Dimension; ++i) {
                sum += std::abs(gradient.normals[j * Dimension + i]) * std::max(std::abs(x[i]), least);
            }
            gradient.scale[j] = sum;
        }
    }

    Manifold* manifold_;
    const Constraints* constraints_;
    std::size_t dimension_, entries_;
    std::array<std::size_t, Count * Dimension> places_{};  // of the entries of the pattern
    Rows inverse_mass_{};                                  // in each row
    std::array<double, Count * Count> inverse_{};
    SimplifiedNewton<Count> newton_{Count};
    Gradient there_;
};

}  // namespace lento
