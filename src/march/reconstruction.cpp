#include "march/reconstruction.hpp"

#include <limits>

#include <Eigen/Cholesky>
#include <Eigen/LU>

namespace lento {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The equations of a reconstruction in the unknowns (x_2, multipliers), and their derivative:
///
///     symmetric, field:  x_2 - x_0 - W^T m = 0,                            W (x_2 - x_0) = change
///     nearest, tangent:  x_2 - x_1 + sum m_k (v_k + A_k (x_2 - x_1)) = 0,  the same
class Equations {
public:
    Equations(Reconstruct kind, const SlowField::Point& middle, const Curvatures& curvatures, const VectorXd& x0,
              const VectorXd& change)
        : to_middle_(kind == Reconstruct::nearest || kind == Reconstruct::tangent),
          middle_(middle),
          curvatures_(curvatures),
          x0_(x0),
          change_(change) {}

    Index unknowns() const { return x0_.size() + change_.size(); }

    /// With A = 0.
    VectorXd first_guess() const {
        VectorXd z(unknowns());
        const MatrixXd& v = middle_.gradients;
        const VectorXd move = shortest(v, to_middle_ ? VectorXd(change_ + v * (x0_ - middle_.x)) : change_);
        z.head(x0_.size()) = (to_middle_ ? middle_.x : x0_) + move;
        z.tail(change_.size()) = (to_middle_ ? -1 : 1) * shortest(v.transpose(), move);
        return z;
    }

    VectorXd residual(const VectorXd& z) const {
        const auto x2 = z.head(x0_.size());
        const auto m = z.tail(change_.size());
        VectorXd result(unknowns());
        const MatrixXd w = rows((x0_ + x2) / 2);
        result.head(x0_.size()) =
            to_middle_ ? VectorXd(x2 - middle_.x + rows(x2).transpose() * m) : VectorXd(x2 - x0_ - w.transpose() * m);
        result.tail(change_.size()) = scaled(w * (x2 - x0_) - change_);
        return result;
    }

    MatrixXd derivative(const VectorXd& z) const {
        const Index d = x0_.size();
        const VectorXd x2 = z.head(d);
        const VectorXd m = z.tail(change_.size());
        MatrixXd result = MatrixXd::Zero(unknowns(), unknowns());
        MatrixXd bent = MatrixXd::Zero(d, d);
        curvatures_.add_combination(to_middle_ ? m : VectorXd(-m / 2), bent);
        const MatrixXd at_end = rows(x2);
        result.topLeftCorner(d, d) = MatrixXd::Identity(d, d) + bent;
        result.topRightCorner(d, m.size()) =
            to_middle_ ? MatrixXd(at_end.transpose()) : MatrixXd(-rows((x0_ + x2) / 2).transpose());
        result.bottomLeftCorner(m.size(), d) = lengths().cwiseInverse().asDiagonal() * at_end;
        return result;
    }

    /// What each equation may be wrong by for rounding alone: some units in the last place of the terms it is made of.
    VectorXd rounding(const VectorXd& z) const {
        constexpr double places = 4e-15;
        VectorXd result(unknowns());
        const VectorXd x2 = z.head(x0_.size());
        const MatrixXd w = rows((x0_ + x2) / 2).cwiseAbs() + middle_.gradients.cwiseAbs();
        // NOTE: one is the size of a typical unknown, where they are scaled.
        const VectorXd size = VectorXd::Ones(x0_.size()) + x0_.cwiseAbs() + x2.cwiseAbs() + middle_.x.cwiseAbs();
        result.head(x0_.size()) = size + w.transpose() * z.tail(change_.size()).cwiseAbs();
        result.tail(change_.size()) = scaled(w * size + change_.cwiseAbs());
        return places * std::sqrt(static_cast<double>(unknowns())) * result;
    }

private:
    /// v_k + A_k (x - x_1)
    MatrixXd rows(const VectorXd& x) const {
        MatrixXd w = middle_.gradients;
        curvatures_.add_products(x - middle_.x, w);
        return w;
    }
    VectorXd lengths() const { return middle_.gradients.rowwise().norm().cwiseMax(std::numeric_limits<double>::min()); }
    VectorXd scaled(const VectorXd& products) const { return products.cwiseQuotient(lengths()); }

    bool to_middle_;
    const SlowField::Point& middle_;
    const Curvatures& curvatures_;
    const VectorXd& x0_;
    const VectorXd& change_;
};

/// Solves residual(z) = 0.
class Newton {
public:
    explicit Newton(const Equations& equations)
        : equations_(equations),
          z_(equations.first_guess()),
          rounding_(equations.rounding(z_)),
          residual_(equations.residual(z_)) {}

    void run() {
        constexpr int most = 40;
        while (!converged() && residual_.allFinite() && iterations_ < most &&
               (newton_step() || damped_least_squares())) {
        }
    }
    bool converged() const {
        // NOTE: equation by equation. Measured against the largest unknown, the others would not be solved for at all.
        return (residual_.cwiseAbs().array() <= rounding_.array()).all();
    }
    const VectorXd& z() const { return z_; }
    int iterations() const { return iterations_; }

private:
    bool newton_step() {
        ++iterations_;
        const VectorXd step = equations_.derivative(z_).partialPivLu().solve(residual_);
        if (!step.allFinite()) {
            return false;
        }
        for (double share = 1; share > 0.05; share /= 2) {
            if (accept(z_ - share * step)) {
                return true;
            }
        }
        return false;
    }
    /// Levenberg and Marquardt: shorter and shorter steps towards steepest descent.
    bool damped_least_squares() {
        const MatrixXd J = equations_.derivative(z_);
        const MatrixXd square = J.transpose() * J;
        for (double damping = 1e-8 * square.diagonal().maxCoeff(); damping < 1e3 * square.diagonal().maxCoeff();
             damping *= 10) {
            ++iterations_;
            const MatrixXd damped = square + damping * MatrixXd::Identity(square.rows(), square.cols());
            if (accept(z_ - damped.ldlt().solve(J.transpose() * residual_))) {
                return true;
            }
        }
        return false;
    }
    bool accept(const VectorXd& z) {
        VectorXd residual = equations_.residual(z);
        if (!(residual.norm() < residual_.norm())) {
            return false;
        }
        z_ = z;
        residual_ = std::move(residual);
        return true;
    }

    const Equations& equations_;
    VectorXd z_, rounding_, residual_;
    int iterations_ = 0;
};

}  // namespace

Reconstructed reconstructed(Reconstruct kind, const SlowField::Point& middle, const Curvatures& curvatures,
                            const VectorXd& x0, const VectorXd& change) {
    if (middle.scales.size() > 0) {
        SlowField::Point scaled = middle;
        scaled.scales = {};
        scaled.x = middle.x.cwiseQuotient(middle.scales);
        scaled.gradients = middle.gradients * middle.scales.asDiagonal();
        auto found =
            reconstructed(kind, scaled, curvatures.scaled(middle.scales), x0.cwiseQuotient(middle.scales), change);
        found.x = found.x.cwiseProduct(middle.scales);
        return found;
    }
    const Equations equations(kind, middle, curvatures, x0, change);
    Newton newton(equations);
    newton.run();
    return {newton.z().head(x0.size()), newton.iterations(), newton.converged()};
}

}  // namespace lento
