/// A guess at the projection of a point onto the slow manifold: the nearest point, in the metric of the masses, at which springs have the
/// elongations and rates they had where the motion was projected last. With N = g' M^-1 g'^T, by Newton's method,
///
///     x <- x - M^-1 g'^T N^-1 (g(x) - g_0),      v <- v - M^-1 g'^T N^-1 (g.(x, v) - g._0)
///
/// Elongations on the slow manifold are O(omega^-2) and change slowly, so what is left for the iterated projection is O(omega^-2) as well,
/// and the number of its iterations does not grow with omega.
#pragma once

#include <span>
#include <vector>

#include "average/projection.hpp"
#include "lento/problem/problem.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {

class SlowGuess {
public:
    explicit SlowGuess(const Problem& problem);

    /// A projected point: its elongations are the next ones expected.
    void learn(double t, const ProjectedPoint& point);

    /// Moves (x, v) at t. False, and nothing is moved, where nothing was learnt, springs depend on each other, or Newton's method does not
    /// converge: then the point is as good a guess as any.
    bool operator()(double t, std::span<double> x, std::span<double> v);

private:
    /// y <- y - M^-1 g'^T N^-1 r.
    void correct(std::span<double> r, std::span<double> y);

    const Problem* problem_;
    NormalMatrix matrix_;
    std::vector<double> expected_, expected_rates_;
    std::vector<double> gradient_, values_, force_, scratch_, x_, v_;
};

}  // namespace lento
