/// The acceleration of a system with rigid constraints at m phases at once (`average/phase_field.hpp`). Multipliers are eliminated at the
/// level of accelerations (HARMONIC, "Rigid constraints"):
///
///     M a = f - g'^T lambda,     g' a + g''[v, v] + 2 g_t' v + g_tt = 0
///
/// With G_j, f_j, c_j the coefficients in slow time of g', f and of the curvature, coefficient after coefficient:
///
///     w = M^-1 (f_k - sum_{j=1}^k G_j^T lambda_{k-j})
///     (G_0 M^-1 G_0^T) lambda_k = G_0 w + sum_{j=1}^k G_j a_{k-j} + c_k,     a_k = w - M^-1 G_0^T lambda_k
///
/// so that one factorisation serves all of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "lento/average/phase_field.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/ground.hpp"
#include "lento/problem/normal_matrix.hpp"

namespace lento {

/// The elimination at one phase, of any degree; blocks of numbers hold coefficient after coefficient.
class MultiplierSeries {
public:
    MultiplierSeries(const SparsePattern& pattern, const Mass& mass);

    /// Makes of forces f accelerations, in place; false where the constraints are dependent.
    [[nodiscard]] bool eliminate(int degree, std::span<const double> gradient, std::span<const double> curvature,
                                 std::span<double> f);
    /// Of all coefficients.
    std::span<const double> multipliers() const { return lambda_; }

private:
    const SparsePattern* pattern_;
    const Mass* mass_;
    NormalMatrix matrix_;
    std::vector<double> lambda_, pull_, scratch_;
};

template <class Free, class Constraints>
class ConstrainedField final : public PhaseField {
public:
    using System = ConstrainedSystem<Free, Constraints>;

    explicit ConstrainedField(System system)
        : PhaseField(system, true),
          system_(std::move(system)),
          elimination_(system_.constraints().pattern(), system_.mass()),
          ground_(system_.mass(), system_.constraints()),
          mean_(system_.constraints().count()) {}

    /// A true state is put onto the constraints, from which steps of the slow motion lead it by as much as they err.
    void leave(double t, std::span<double> y) override {
        before_.assign(y.begin(), y.end());
        if (!ground_.settle(t, y).converged) {
            std::copy(before_.begin(), before_.end(), y.begin());
        }
    }
    std::size_t constraints() const override { return mean_.size(); }
    std::span<const double> mean_multipliers() const override { return mean_; }
    void multipliers(double t, std::span<const double> y, std::span<double> lambda) override {
        accelerate(y.first(dimension()), y.last(dimension()), t, system_.free().phases_at(t));
        std::copy(elimination_.multipliers().begin(), elimination_.multipliers().end(), lambda.begin());
    }

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double> v,
                std::span<double> a) override {
        const std::size_t n = dimension();
        const phase_field_detail::Layout layout{n, points()};
        std::fill(mean_.begin(), mean_.end(), 0.0);
        numbers_.resize(2 * n);
        series_.resize(2 * n);
        for (std::size_t k = 0; k < points(); ++k) {
            if (degree == 0) {
                const std::span<double> all(numbers_);
                layout.gather(x, k, all.first(n));
                layout.gather(v, k, all.last(n));
                accelerate(all.first(n), all.last(n), t, theta(k));
            } else {
                const std::span<Taylor> all(series_);
                layout.gather(degree, x, k, all.first(n));
                layout.gather(degree, v, k, all.last(n));
                accelerate(degree, all.first(n), all.last(n), Taylor::variable(t, degree), theta(k));
            }
            for (int j = 0; j <= degree; ++j) {
                layout.scatter(std::span<const double>(force_).subspan(static_cast<std::size_t>(j) * n, n), k,
                               a.subspan(static_cast<std::size_t>(j) * n * points()));
            }
            for (std::size_t j = 0; j < mean_.size(); ++j) {
                mean_[j] += elimination_.multipliers()[j] / static_cast<double>(points());
            }
        }
    }

    /// Leaves the acceleration in `force_`.
    void accelerate(std::span<const double> x, std::span<const double> v, double t, std::span<const double> theta) {
        constexpr auto extent = Free::extent;
        const auto& constraints = system_.constraints();
        force_.resize(dimension());
        gradient_.resize(constraints.pattern().entries());
        curvature_.resize(constraints.count());
        system_.free().template force<double>(view<extent>(x), view<extent>(v), t, theta,
                                              view<extent>(std::span<double>(force_)));
        constraints.gradient(x, t, gradient_);
        constraints.curvature(x, v, t, Clock::running, curvature_);
        eliminate(0);
    }
    void accelerate(int degree, std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                    std::span<const double> theta) {
        constexpr auto extent = Free::extent;
        const auto& constraints = system_.constraints();
        std::vector<Taylor> angles(theta.begin(), theta.end());
        std::vector<Taylor> force(dimension()), gradient(constraints.pattern().entries()),
            curvature(constraints.count());
        system_.free().template force<Taylor>(view<extent>(x), view<extent>(v), t, angles,
                                              view<extent>(std::span<Taylor>(force)));
        constraints.gradient(x, t, gradient);
        constraints.curvature(x, v, t, curvature);
        coefficients(degree, force, force_);
        coefficients(degree, gradient, gradient_);
        coefficients(degree, curvature, curvature_);
        eliminate(degree);
    }
    void eliminate(int degree) {
        if (!elimination_.eliminate(degree, gradient_, curvature_, force_)) {
            std::fill(force_.begin(), force_.end(), std::numeric_limits<double>::quiet_NaN());
        }
    }
    static void coefficients(int degree, std::span<const Taylor> series, std::vector<double>& numbers) {
        numbers.assign(static_cast<std::size_t>(degree + 1) * series.size(), 0.0);
        phase_field_detail::Layout{series.size(), 1}.scatter(degree, series, 0, numbers);
    }

    System system_;
    MultiplierSeries elimination_;
    ManifoldGround<Constraints> ground_;
    std::vector<double> mean_, before_;
    std::vector<double> numbers_, force_, gradient_, curvature_;
    std::vector<Taylor> series_;
};

}  // namespace lento
