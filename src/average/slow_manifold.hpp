/// The point of the slow manifold of stiff springs that belongs to a position and a velocity. With multipliers as in
/// `average/multiplier_expansion.hpp`, all of x moved along M^-1 g'^T of the point given, it solves
///
///     g(x, t) = K^-1 lambda(x, v, t),        g' v + g_t = K^-1 lambda'(x, v, t)
///
/// by Newton's method, in which lambda counts as constant: what it really changes by is O(omega^-2) of the move, and
/// each iteration gains that factor.
#pragma once

#include "average/multiplier_expansion.hpp"
#include "average/projection.hpp"

namespace lento {

/// Moves along the normals of springs: y <- y - M^-1 g'^T N^-1 r, N the matrix factorised last.
class NormalMove {
public:
    explicit NormalMove(const Problem& problem);

    const Normals& normals() const { return normals_; }
    [[nodiscard]] bool factorise(In normals) { return matrix_.factorise(normals); }
    [[nodiscard]] bool factorise(In normals, In directions) { return matrix_.factorise(normals, directions); }
    /// Along normals; the largest change of a component. r becomes N^-1 r.
    double operator()(In directions, Out r, Out y);

private:
    Normals normals_;
    NormalMatrix matrix_;
    std::vector<double> step_;
};

class SlowManifold {
public:
    /// NOTE: keeps pointers to both.
    SlowManifold(const Problem& problem, MultiplierExpansion& expansion);

    enum class Ending { settled, dependent, too_far };

    /// Moves (x, v) at t. The expansion is left at the point where it ends.
    Ending operator()(int sweeps, double t, Out x, Out v);

    /// Of the last point: how many iterations, and the change in the last one over the size of the motion.
    int iterations() const { return iterations_; }
    double residual() const { return residual_; }

private:
    const Problem* problem_;
    const Constraints* measures_;
    MultiplierExpansion* expansion_;
    NormalMove move_;
    int iterations_ = 0;
    double residual_ = 0;
    std::vector<double> directions_, values_, rates_;
};

/// What the velocity along the level sets of springs has to change by where an oscillation is taken out: of a motion
/// from x + displacement with velocity v, the slow one from x has V = v + this beside its normal part. What stays while
/// springs oscillate is, of constant masses, the momentum along the level sets, not the velocity: for all tangents u,
/// with the displacement M^-1 g'^T c,
///
///     u^T M V = u^T M v + sum_j c_j g_j''[u, v]
///
/// up to squares of the displacement and products with its rate. In general, with normals N = M^-1 g'^T that change
/// along the motion and a slow acceleration a(x, v), V - v is the tangential part of (N'[v] - a_v N) c: of v = V + (N
/// c)' + u the oscillation N c'' = -N lambda leaves u' = a_v N c' - 2 N'[V] c'.
std::vector<double> turn_of_velocity(const Problem& problem, double t, In x, In displacement, In v);

/// A guess at the projection of a point onto the slow manifold: the nearest point, in the metric of the masses, at
/// which springs have the elongations and rates they had where the motion was projected last. With N = g' M^-1 g'^T, by
/// Newton's method,
///
///     x <- x - M^-1 g'^T N^-1 (g(x) - g_0),      v <- v - M^-1 g'^T N^-1 (g.(x, v) - g._0)
///
/// Elongations on the slow manifold are O(omega^-2) and change slowly, so what is left for the iterated projection is
/// O(omega^-2) as well, and the number of its iterations does not grow with omega.
class SlowGuess {
public:
    explicit SlowGuess(const Problem& problem);

    /// A projected point: its elongations are the next ones expected.
    void learn(double t, const ProjectedPoint& point);

    /// Moves (x, v) at t. False, and nothing is moved, where nothing was learnt, springs depend on each other, or
    /// Newton's method does not converge: then the point is as good a guess as any.
    bool operator()(double t, Out x, Out v);

private:
    const Constraints* measures_;
    NormalMove move_;
    std::vector<double> expected_, expected_rates_;
    std::vector<double> normals_, values_, x_, v_;
};

}  // namespace lento
