/// The multipliers lambda_j = k_j g_j of stiff springs on the slow manifold, as functions of position and velocity (the
/// principle of bounded derivatives: Kreiss, SIAM J. Numer. Anal. 16 (1979)). Along a slow motion, with
/// A = g' M^-1 g'^T and K = diag(k_j),
///
///     A lambda = g' M^-1 F + g''[v, v] + 2 g_t' v + g_tt - K^-1 lambda''
///
/// and the last term is O(omega^-2). So each sweep gains two orders, beginning with lambda^(-1) = 0:
///
///     A lambda^k = g' M^-1 F + g''[v, v] + 2 g_t' v + g_tt - K^-1 (lambda^(k-1))'',    error O(omega^(-2k-2))
///
/// Derivatives are those of series in time along M q'' = F - g'^T lambda^k. Coefficient m of lambda is found with that
/// of q'': without lambda_m the elongations would have some g''; what A lambda_m takes away from it leaves K^-1
/// (lambda^(k-1))''. A series loses two degrees in a sweep, so lambda^n takes series of degree 2n, 2n - 2, ..., 0, and
/// its derivative one more.
///
/// A march drifts off the slow manifold, since g'' alone is held. What draws it back (Baumgarte, Comput. Methods Appl.
/// Mech. Eng. 1 (1972)) comes for nothing: with e = g - K^-1 lambda and lambda' from the sweep before, lambda^n becomes
/// such that e'' + 2 alpha e' + alpha^2 e = 0. On the slow manifold that changes it by no more than it leaves out.
#pragma once

#include <cstdint>

#include "lento/problem/problem.hpp"
#include "problem/normal_matrix.hpp"
#include "problem/normals.hpp"

namespace lento {

class MultiplierExpansion {
public:
    /// NOTE: keeps a pointer to the problem. All springs have elongations, which take series, as the slow forces do.
    explicit MultiplierExpansion(const Problem& problem);

    /// Elongations are needed two degrees beyond lambda, and lambda with its derivative.
    static constexpr int most_sweeps = (most_degree - 3) / 2;

    /// From here on multipliers draw the motion back to the slow manifold at this rate, alpha; zero, as at first: not
    /// at all. Rates are then not to be had.
    void draw_back_at(double rate) { drawn_back_ = rate; }

    enum class Wanted { values, values_and_rates };

    /// lambda^sweeps at (x, v). False where springs depend on each other, or something is not finite.
    [[nodiscard]] bool operator()(int sweeps, Wanted wanted, double t, In x, In v);

    In multipliers() const { return std::span(lambda_).first(springs_); }
    In rates() const { return std::span(lambda_).subspan(springs_, springs_); }
    /// Of the slow motion: M^-1 (F - g'^T lambda).
    In acceleration() const { return acceleration_; }
    /// The largest component of M^-1 g'^T (lambda^k - lambda^(k-1)), for k = 0, 1, ...
    In corrections() const { return corrections_; }
    /// Whether g' M^-1 g'^T was singular.
    bool dependent() const { return dependent_; }

    /// The normals at (x, v).
    In gradient() const { return gradient_; }

    /// Evaluations of the slow force: a series of degree d counts d + 1.
    std::int64_t evaluations() const { return evaluations_; }

private:
    /// Coefficient m of q'' and of g'', with multipliers up to m - 1.
    void free_motion(int m);
    /// Coefficient m of lambda, such that that of g'' is the inertia, and what it does to q''.
    void pull(int m);
    /// Makes y = M^-1 g'^T multipliers.
    void pulled_by(In multipliers, Out y);
    void begin(double t, In x, In v);
    /// Changes lambda so that it draws the motion back.
    void draw_back();
    /// q up to that degree, as series.
    void take_positions(int degree);

    static Out part(std::vector<double>& all, int m, std::size_t size) {
        return std::span(all).subspan(static_cast<std::size_t>(m) * size, size);
    }
    Out q(int m) { return part(q_, m, dimension_); }
    Out lambda(int m) { return part(lambda_, m, springs_); }
    Out inertia(int m) { return part(inertia_, m, springs_); }

    const Problem* problem_;
    std::unique_ptr<BlockForces> slow_;
    Normals normals_;
    NormalMatrix matrix_;
    std::size_t dimension_, springs_;
    double t_ = 0;
    double drawn_back_ = 0;
    bool dependent_ = false;
    std::int64_t evaluations_ = 0;
    std::vector<double> q_, lambda_, inertia_;          // by coefficients; inertia: K^-1 lambda'' of the sweep before
    std::vector<double> free_, curvature_;              // q'' and g'' of one coefficient without its multiplier
    std::vector<double> first_free_, first_curvature_;  // those of coefficient 0, which all sweeps share
    std::vector<double> lengths_, stretching_;          // g and its rate at the point itself
    std::vector<double> acceleration_, corrections_, gradient_;
    std::vector<double> coefficients_;  // of one power of the normals
    std::vector<double> change_, pull_, scratch_;
    std::vector<double> velocities_, forces_;  // coefficient after coefficient
    std::vector<Taylor> positions_, elongations_, entries_;
};

}  // namespace lento
