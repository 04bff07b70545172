#include "march/leapfrog.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "base/number.hpp"

namespace lento {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The equations of a reconstruction in the unknowns (x_2, multipliers), and their derivative:
///
///     symmetric:  x_2 - x_0 - W^T m = 0,                            W (x_2 - x_0) = change
///     nearest:    x_2 - x_1 + sum m_k (v_k + A_k (x_2 - x_1)) = 0,  the same
class Equations {
public:
    Equations(Reconstruct kind, const SlowField::Point& middle, const Curvatures& curvatures, const VectorXd& x0,
              const VectorXd& change)
        : kind_(kind), middle_(middle), curvatures_(curvatures), x0_(x0), change_(change) {}

    Index unknowns() const { return x0_.size() + change_.size(); }

    /// With A = 0.
    VectorXd first_guess() const {
        VectorXd z(unknowns());
        const MatrixXd& v = middle_.gradients;
        const bool symmetric = kind_ == Reconstruct::symmetric;
        const VectorXd move = shortest(v, symmetric ? change_ : VectorXd(change_ + v * (x0_ - middle_.x)));
        z.head(x0_.size()) = (symmetric ? x0_ : middle_.x) + move;
        z.tail(change_.size()) = (symmetric ? 1 : -1) * shortest(v.transpose(), move);
        return z;
    }

    VectorXd residual(const VectorXd& z) const {
        const auto x2 = z.head(x0_.size());
        const auto m = z.tail(change_.size());
        VectorXd result(unknowns());
        const MatrixXd w = rows((x0_ + x2) / 2);
        result.head(x0_.size()) = kind_ == Reconstruct::symmetric ? VectorXd(x2 - x0_ - w.transpose() * m)
                                                                  : VectorXd(x2 - middle_.x + rows(x2).transpose() * m);
        result.tail(change_.size()) = scaled(w * (x2 - x0_) - change_);
        return result;
    }

    MatrixXd derivative(const VectorXd& z) const {
        const Index d = x0_.size();
        const VectorXd x2 = z.head(d);
        const VectorXd m = z.tail(change_.size());
        const bool symmetric = kind_ == Reconstruct::symmetric;
        MatrixXd result = MatrixXd::Zero(unknowns(), unknowns());
        MatrixXd bent = MatrixXd::Zero(d, d);
        curvatures_.add_combination(symmetric ? VectorXd(-m / 2) : m, bent);
        const MatrixXd at_end = rows(x2);
        result.topLeftCorner(d, d) = MatrixXd::Identity(d, d) + bent;
        result.topRightCorner(d, m.size()) =
            symmetric ? MatrixXd(-rows((x0_ + x2) / 2).transpose()) : MatrixXd(at_end.transpose());
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

    Reconstruct kind_;
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

LeapfrogMarch::LeapfrogMarch(SlowField& field, LeapfrogPlan plan) : field_(&field), plan_(std::move(plan)) {}

double LeapfrogMarch::time(std::int64_t n) const {
    return n == plan_.steps ? plan_.interval.to
                            : plan_.interval.from +
                                  plan_.interval.length() * static_cast<double>(n) / static_cast<double>(plan_.steps);
}

std::optional<VectorXd> LeapfrogMarch::next(const SlowField::Point& middle, const VectorXd& x0, double length) {
    const Curvatures curvatures = plan_.order == 2 ? field_->curvatures(middle) : Curvatures();
    auto found = reconstructed(plan_.kind, middle, curvatures, x0, 2 * length * middle.rates);
    result_.march.newton_iterations += found.iterations;
    result_.most_iterations = std::max(result_.most_iterations, found.iterations);
    if (found.converged || !middle.rates.allFinite() || !middle.gradients.allFinite()) {
        return std::move(found.x);
    }
    VectorXd x = middle.x;
    if (!field_->follow(middle.t, length, plan_.longest_bridge, x)) {
        return std::nullopt;
    }
    ++result_.bridges;
    return x;
}

std::optional<VectorXd> LeapfrogMarch::first_step(const SlowField::Point& start) {
    const VectorXd half = start.x + step() / 2 * SlowField::field(start);
    const auto middle = field_->at(start.t + step() / 2, span_of(half));
    return next(middle, start.x, step() / 2);
}

VectorXd LeapfrogMarch::output(const VectorXd& before, const VectorXd& x, const VectorXd& after) const {
    VectorXd result = x;
    if (plan_.partition) {
        for (const auto i : plan_.partition->momenta) {
            const auto k = static_cast<Index>(i);
            result[k] = (before[k] + after[k]) / 2;
        }
    }
    return result;
}

/// Differences of neighbours against those of points of the same parity, which are those of a smooth motion.
void LeapfrogMarch::watch_parity(double t, const VectorXd& x) {
    constexpr double visible = 0.02;  // of the range of a slow variable
    constexpr int in_a_row = 6;
    recent_.push_back(field_->values(t, span_of(x)));
    const VectorXd& xi = recent_.back();
    least_ = least_.size() == 0 ? xi : VectorXd(least_.cwiseMin(xi));
    greatest_ = greatest_.size() == 0 ? xi : VectorXd(greatest_.cwiseMax(xi));
    if (recent_.size() < 5) {
        return;
    }
    const VectorXd close = (recent_[3] - 2 * recent_[2] + recent_[1]).cwiseAbs();
    const VectorXd far = (recent_[4] - 2 * recent_[2] + recent_[0]).cwiseAbs();
    recent_.erase(recent_.begin());
    double worst = 0;
    for (Index k = 0; k < xi.size(); ++k) {
        // NOTE: what hardly changes at all may do so in zigzags.
        const double size = std::max(std::abs(greatest_[k]), std::abs(least_[k]));
        const double range = std::max(greatest_[k] - least_[k], 0.1 * size);
        const double gap = (close[k] - far[k]) / 2;
        if (gap > visible * range) {
            worst = std::max(worst, gap / range);
        }
    }
    apart_ = worst > 0 ? apart_ + 1 : 0;
    if (apart_ >= in_a_row) {
        result_.gap = std::max(result_.gap, worst);
        if (!result_.parted) {
            result_.parted = t;
        }
    }
}

LeapfrogResult LeapfrogMarch::from(const VectorXd& x0, const StepTaker& taker, const std::stop_token& stop) {
    result_ = {};
    const auto x1 = first_step(field_->at(plan_.interval.from, span_of(x0)));
    if (!x1 || !x1->allFinite()) {
        result_.march = {
            .outcome = Outcome::diverged,
            .reached = plan_.interval.from,
            .explanation = fmt::format(
                "the first macro-step, from t = {:.6g}, was not found: the mean rates of the slow variables, or their "
                "gradients, are not finite or too large there; try a shorter macro_step",
                plan_.interval.from)};
        result_.end = {x0, x0};
        result_.final_state.assign(x0.begin(), x0.end());
        return result_;
    }
    return from(x0, *x1, taker, stop);
}

LeapfrogResult LeapfrogMarch::from(const VectorXd& x0, const VectorXd& x1, const StepTaker& taker,
                                   const std::stop_token& stop) {
    result_.march.outcome = Outcome::completed;
    result_.march.reached = plan_.interval.from;
    recent_.clear();
    least_ = greatest_ = VectorXd();
    apart_ = 0;
    watch_parity(plan_.interval.from, x0);
    VectorXd before = x0;
    VectorXd x = x1;
    VectorXd node = x0;
    VectorXd slope = (x1 - x0) / step();
    bool jumped = false;  // a bridge ends at another fast phase
    for (std::int64_t n = 1; n <= plan_.steps; ++n) {
        if (stop.stop_requested()) {
            result_.march.outcome = Outcome::interrupted;
            break;
        }
        const double t = time(n);
        const auto middle = field_->at(t, span_of(x));
        const auto bridges = result_.bridges;
        const auto after = jumped ? first_step(middle) : next(middle, before, step());
        if (!after) {
            result_.march.outcome = Outcome::not_converged;
            result_.march.explanation = fmt::format(
                "the reconstruction at t = {:.6g} did not converge, and a bridge over it would take more than {} "
                "micro-steps; try a shorter macro_step, or give an alternative to slow variables whose gradients "
                "become dependent",
                t, plan_.longest_bridge);
            break;
        }
        if (const auto culprit = first_not_finite(span_of(*after))) {
            result_.march.outcome = Outcome::diverged;
            result_.march.culprit = culprit;
            result_.march.explanation = fmt::format("the solution or its rates stopped being finite at t = {:.6g}", t);
            break;
        }
        watch_parity(t, x);
        if (taker.point) {
            taker.point(t, x);
        }
        if (taker.middle) {
            taker.middle(middle, bridges);
        }
        const bool bridged = result_.bridges > bridges;
        const VectorXd here = bridged || jumped ? x : output(before, x, *after);
        const VectorXd here_slope =
            bridged || jumped ? SlowField::field(middle) : VectorXd((*after - before) / (2 * step()));
        if (jumped) {
            node = here - step() * here_slope;
            slope = here_slope;
        }
        if (taker.wants && taker.wants(t)) {
            taker.take(
                cubic_hermite(time(n - 1), t, span_of(node), span_of(slope), span_of(here), span_of(here_slope)));
        }
        jumped = bridged;
        node = here;
        slope = here_slope;
        ++result_.march.steps;
        result_.march.reached = t;
        result_.end = {before, x};
        before = std::exchange(x, *after);
    }
    result_.final_state.assign(node.begin(), node.end());
    return result_;
}

}  // namespace lento
