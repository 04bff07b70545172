/// The acceleration of a system with rigid constraints at m phases at once (`average/phase_field.hpp`). Multipliers are
/// eliminated at the level of accelerations (HARMONIC, "Rigid constraints"):
///
///     M a = f - g'^T lambda,     g' a + g''[v, v] + 2 g_t' v + g_tt = 0
///
/// With G_j, f_j, c_j the coefficients in slow time of g', f and of the curvature, coefficient after coefficient:
///
///     w = (M^-1 f)_k - sum_{j=1}^k (M^-1 G^T)_j lambda_{k-j}
///     (G_0 (M^-1 G^T)_0) lambda_k = G_0 w + sum_{j=1}^k G_j a_{k-j} + c_k,     a_k = w - (M^-1 G^T)_0 lambda_k
///
/// so that one factorisation serves all of them; also where the masses vary.
#pragma once

#include "average/phase_field.hpp"
#include "lento/problem/problem.hpp"
#include "problem/ground.hpp"
#include "problem/normal_matrix.hpp"
#include "problem/normals.hpp"

namespace lento {

/// The elimination at one phase, of any degree; blocks of numbers hold coefficient after coefficient.
class MultiplierSeries {
public:
    MultiplierSeries(const Mass& mass, std::shared_ptr<const Constraints> constraints);

    const Normals& normals() const { return normals_; }
    /// Makes of forces f accelerations, in place; false where the constraints are dependent.
    [[nodiscard]] bool eliminate(int degree, In normals, In curvature, Out f);
    /// Of all coefficients.
    In multipliers() const { return lambda_; }

private:
    Normals normals_;
    NormalMatrix matrix_;
    std::vector<double> lambda_, pull_, scratch_;
};

class ConstrainedField final : public PhaseField {
public:
    /// Of forces and constraints that take series.
    explicit ConstrainedField(const Problem& problem);

    /// A true state is put onto the constraints, from which steps of the slow motion lead it by as much as they err.
    void leave(double t, Out y) override;
    std::size_t constraints() const override { return mean_.size(); }
    In mean_multipliers() const override { return mean_; }
    void multipliers(double t, In y, Out lambda) override;

private:
    void blocks(int degree, double t, In x, In v, Out a) override;
    /// Makes of the forces in `force_` accelerations, at a state or along a series.
    void eliminate(In x, In v, double t);
    void eliminate(int degree, std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t);
    void eliminate(int degree);

    Problem problem_;
    std::unique_ptr<BlockForces> forces_;
    MultiplierSeries elimination_;
    Ground ground_;
    std::vector<double> mean_, before_;
    std::vector<double> numbers_, force_, normals_, curvature_;
    std::vector<Taylor> series_;
};

}  // namespace lento
