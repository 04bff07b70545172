#include "march/leapfrog.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/number.hpp"

namespace lento {

using Eigen::Index;
using Eigen::VectorXd;

LeapfrogMarch::LeapfrogMarch(SlowField& field, LeapfrogPlan plan) : field_(&field), plan_(std::move(plan)) {}

double LeapfrogMarch::time(std::int64_t n) const {
    return n == plan_.steps ? plan_.interval.to
                            : plan_.interval.from +
                                  plan_.interval.length() * static_cast<double>(n) / static_cast<double>(plan_.steps);
}

std::optional<VectorXd> LeapfrogMarch::next(const SlowField::Point& middle, const VectorXd& x0, double length) {
    const Curvatures curvatures = is_curved(plan_.kind) ? field_->curvatures(middle) : Curvatures();
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

LeapfrogMarch::Node LeapfrogMarch::output(const VectorXd& before, const VectorXd& x, const VectorXd& after) const {
    Node result{x, (after - before) / (2 * step())};
    if (plan_.partition) {
        for (const auto i : plan_.partition->momenta) {
            const auto k = static_cast<Index>(i);
            result.value[k] = (before[k] + after[k]) / 2;
        }
    }
    return result;
}

void LeapfrogMarch::remember(const VectorXd& x) {
    past_.push_back(x);
    if (past_.size() > even_odd_reach + 1) {
        past_.erase(past_.begin());
    }
}

std::optional<VectorXd> LeapfrogMarch::next_in_segment(const SlowField::Point& middle) {
    VectorXd x = middle.x;
    if (!field_->follow(middle.t, step(), plan_.longest_bridge, x)) {
        return std::nullopt;
    }
    ++result_.segment_steps;
    return x;
}

bool LeapfrogMarch::in_segment(std::int64_t n) const {
    if (plan_.segments == 0) {
        return false;
    }
    const double part = static_cast<double>(plan_.steps) / static_cast<double>(plan_.segments);
    const double before = std::floor(static_cast<double>(n - 1) / part) * part;
    const auto first = 1 + static_cast<std::int64_t>(before + (part - static_cast<double>(plan_.segment_steps)) / 2);
    return n >= first && n < first + plan_.segment_steps;
}

void LeapfrogMarch::smooth(std::int64_t n, VectorXd& before, VectorXd& x) {
    constexpr auto reach = static_cast<std::int64_t>(even_odd_reach);
    if (plan_.smooth_every == 0 || (n - 1) % plan_.smooth_every != 0 || n + reach > plan_.steps ||
        past_.size() <= even_odd_reach) {
        return;
    }
    std::vector<VectorXd> points(past_.end() - reach - 1, past_.end());
    points.push_back(x);
    const auto bridges = result_.bridges;
    for (std::int64_t ahead = 0; ahead < reach; ++ahead) {
        const auto middle = field_->at(time(n + ahead), span_of(points.back()));
        auto after = next(middle, points[points.size() - 2], step());
        if (!after || !after->allFinite() || std::exchange(result_.bridges, bridges) > bridges) {
            return;
        }
        points.push_back(std::move(*after));
    }
    const std::span<const VectorXd> all(points);
    before -= even_odd_mode(all.first(2 * even_odd_reach + 1));
    x -= even_odd_mode(all.last(2 * even_odd_reach + 1));
    past_.assign(1, before);
}

bool LeapfrogMarch::fails(double t, const std::optional<VectorXd>& after) {
    if (!after) {
        result_.march.outcome = Outcome::not_converged;
        result_.march.explanation =
            plan_.segments > 0
                ? fmt::format(
                      "a segment of the true motion, or a bridge, at t = {:.6g} would take more than {} "
                      "micro-steps a macro-step; try a shorter macro_step",
                      t, plan_.longest_bridge)
                : fmt::format(
                      "the reconstruction at t = {:.6g} did not converge, and a bridge over it would take more than {} "
                      "micro-steps; try a shorter macro_step, or give an alternative to slow variables whose gradients "
                      "become dependent",
                      t, plan_.longest_bridge);
        return true;
    }
    if (const auto culprit = first_not_finite(span_of(*after))) {
        result_.march.outcome = Outcome::diverged;
        result_.march.culprit = culprit;
        result_.march.explanation = fmt::format("the solution or its rates stopped being finite at t = {:.6g}", t);
        return true;
    }
    return false;
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
    EvenOddWatch parity;
    parity.see(plan_.interval.from, field_->values(plan_.interval.from, span_of(x0)));
    VectorXd before = x0;
    VectorXd x = x1;
    Node node{x0, (x1 - x0) / step()};
    past_.assign(1, x0);
    bool jumped = false;  // the true motion ends at another fast phase
    for (std::int64_t n = 1; n <= plan_.steps; ++n) {
        if (stop.stop_requested()) {
            result_.march.outcome = Outcome::interrupted;
            break;
        }
        smooth(n, before, x);
        const double t = time(n);
        const auto middle = field_->at(t, span_of(x));
        const auto known = followed();
        const auto after = in_segment(n) ? next_in_segment(middle)
                           : jumped      ? first_step(middle)
                                         : next(middle, before, step());
        if (fails(t, after)) {
            break;
        }
        parity.see(t, field_->values(t, span_of(x)));
        if (taker.point) {
            taker.point(t, x);
        }
        if (taker.middle) {
            taker.middle(middle, known);
        }
        const bool jumps = followed() > known;
        const bool alone = jumps || jumped;
        Node here = alone ? Node{x, SlowField::field(middle)} : output(before, x, *after);
        if (jumped) {
            node = {here.value - step() * here.slope, here.slope};
        }
        if (taker.wants && taker.wants(t)) {
            taker.take(cubic_hermite(time(n - 1), t, span_of(node.value), span_of(node.slope), span_of(here.value),
                                     span_of(here.slope)));
        }
        node = std::move(here);
        ++result_.march.steps;
        result_.march.reached = t;
        result_.end = {before, x};
        before = std::exchange(x, *after);
        if (alone) {
            past_.clear();
        }
        remember(before);
        jumped = jumps;
    }
    result_.parted = parity.parted();
    result_.gap = parity.gap();
    result_.final_state.assign(node.value.begin(), node.value.end());
    return result_;
}

}  // namespace lento
