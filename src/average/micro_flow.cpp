#include "average/micro_flow.hpp"

#include "average/constrained_flow.hpp"
#include "problem/time_scales.hpp"
#include "step/splitting.hpp"

namespace lento {
namespace {

constexpr std::array splittings{strang_splitting, suzuki4_splitting, kahan_li6_splitting, aba84_splitting,
                                aba104_splitting};

/// The true motion of a split system: its exact part by its flow; the rest by kicks, by the implicit midpoint rule in
/// compositions of Strang's splitting, by Runge-Kutta steps in methods for small rests (`step/splitting.hpp`). Where
/// the rest is of size eps, so are the errors (stroboscopic, section 3.3.2).
class SplittingFlow final : public MicroFlow {
public:
    SplittingFlow(const Problem& problem, const SplittingCoefficients& coefficients, double t_start)
        : problem_(problem),
          exact_(problem.exact->flow()),
          clock_(problem, t_start),
          coefficients_(coefficients),
          splitting_(coefficients, problem.dimension()),
          u_(problem.dimension()),
          field_(problem.dimension()) {}

    std::size_t dimension() const override { return u_.size(); }
    int order() const override { return coefficients_.order; }
    std::optional<std::string> failure() const override { return failure_; }

    void follow(const Stretch& stretch, In y, Out increments) override {
        failure_.reset();
        std::int64_t k = 0;
        PerturbationStep perturbation(u_.size(), rule_at(stretch.t, y), [&](In point, double fraction, Out rate) {
            rest(stretch, static_cast<double>(k) + fraction, point, rate);
        });
        std::ranges::fill(u_, 0.0);
        auto out = increments.begin();
        bool good = true;
        for (std::size_t mark = 0; mark < stretch.marks && good; ++mark) {
            for (const std::int64_t end = k + stretch.steps; k < end && good; ++k) {
                good = splitting_.step(*exact_, perturbation, stretch.h, y, u_);
            }
            out = std::copy(u_.begin(), u_.end(), out);
        }
        if (!good) {
            std::ranges::fill(increments, NAN);
            failure_ = fmt::format(
                "near t = {:.6g}: {}", stretch.t,
                exact_->failure().value_or("the implicit midpoint rule for the perturbation does not converge, or "
                                           "its rate is not finite; take more micro_steps_per_period"));
        }
        micro_steps_ += k;
        evaluations_ += perturbation.evaluations();
    }

    void rate(double t, In y, Out rate) override {
        whole(t, clock_.at(0), y, rate);
        ++evaluations_;
    }

private:
    void whole(double t, In theta, In y, Out rate) {
        problem_.forces.at(y.data(), nullptr, t, theta.data(), problem_.parameters.data(), rate.data());
    }
    void rest(const Stretch& stretch, double steps, In y, Out rate) {
        whole(stretch.t + steps * stretch.h, clock_.at(steps * stretch.turns), y, rate);
        exact_->field(y, field_);
        add_to(rate, -1, field_);
    }

    /// A rest that does not change when y moves along it is a kick: its flow is y + h g(y). Asked at three points.
    PerturbationRule rule_at(double t, In y) {
        if (rule_) {
            return *rule_;
        }
        rule_ = PerturbationRule::kick;
        const std::size_t d = y.size();
        std::vector<double> point(y.begin(), y.end()), here(d), there(d);
        for (int probe = 0; probe < 3; ++probe) {
            rest({.t = t}, 0, point, here);
            const double size = largest(point);
            const double speed = largest(here);
            auto moved = point;
            for (std::size_t i = 0; i < d && speed > 0; ++i) {
                moved[i] += 0.1 * size * here[i] / speed;
            }
            rest({.t = t}, 0, moved, there);
            for (std::size_t i = 0; i < d; ++i) {
                const double rounding = 1e-13 * (std::abs(field_[i]) + std::abs(here[i]));
                if (!(std::abs(there[i] - here[i]) <= rounding)) {
                    rule_ = coefficients_.first == SplittingPart::flow ? PerturbationRule::runge_kutta
                                                                       : PerturbationRule::midpoint;
                }
                point[i] = y[i] + 0.07 * size * std::sin(1.0 + static_cast<double>(i) + 2.0 * probe);
            }
            evaluations_ += 2;
        }
        // NOTE: kicks with nothing in between are one kick.
        if (rule_ == PerturbationRule::kick) {
            splitting_ = Splitting(merged(coefficients_), d);
        }
        return *rule_;
    }

    Problem problem_;
    std::unique_ptr<ExactFlow> exact_;
    PhaseClock clock_;
    SplittingCoefficients coefficients_;
    Splitting splitting_;
    std::vector<double> u_, field_;
    std::optional<PerturbationRule> rule_;
    std::optional<std::string> failure_;
};

}  // namespace

PhaseClock::PhaseClock(const Problem& problem, double t_start) : theta_(problem.phases.size()) {
    const auto period = common_period(problem);
    for (const auto& phase : problem.phases) {
        start_.push_back(phase.at(t_start));
        turns_.push_back(period ? std::round(*period / phase.period()) : 0.0);
    }
}

std::vector<std::string> micro_steppers(const Problem& problem) {
    if (problem.constraints) {
        return {"herk3", "herk4", "dopri8"};
    }
    if (problem.second_order) {
        auto names = names_of(motion_steppers);
        names.push_back("dopri8");
        return names;
    }
    std::vector<std::string> names;
    for (const auto& splitting : splittings) {
        if (problem.exact) {
            names.emplace_back(splitting.name);
        }
    }
    std::ranges::copy(names_of(rate_steppers), std::back_inserter(names));
    return names;
}

std::string usual_micro_stepper(const Problem& problem) {
    return problem.exact ? "aba104" : "dopri8";
}

std::unique_ptr<MicroFlow> micro_flow(const Problem& problem, std::string_view micro, double t_start) {
    if (problem.constraints) {
        require_one_of("micro", micro, micro_steppers(problem));
        using Made = std::unique_ptr<MicroFlow>;
        return micro == "herk3"   ? Made(std::make_unique<HalfExplicitFlow<HalfExplicit3>>(problem, t_start))
               : micro == "herk4" ? Made(std::make_unique<HalfExplicitFlow<HalfExplicit4>>(problem, t_start))
                                  : Made(std::make_unique<ReducedFlow>(problem, t_start));
    }
    if (problem.second_order) {
        const auto made = [&](auto choice) -> std::unique_ptr<MicroFlow> {
            if (problem.dimension() == 1) {
                using Method = typename decltype(choice)::template Stepper<double, 1>;
                return std::make_unique<MotionFlow<Method, 1>>(problem, t_start);
            }
            using Method = typename decltype(choice)::template Stepper<double, dynamic>;
            return std::make_unique<MotionFlow<Method>>(problem, t_start);
        };
        return micro == "dopri8" ? made(OnMotionChoice<PrinceDormand>{}) : with_stepper(micro, "micro", made);
    }
    if (problem.exact) {
        require_one_of("micro", micro, micro_steppers(problem));
        const auto found = std::ranges::find(splittings, micro, &SplittingCoefficients::name);
        if (found != splittings.end()) {
            return std::make_unique<SplittingFlow>(problem, *found, t_start);
        }
    }
    return with_stepper_of(rate_steppers, micro, "micro", "stepper", [&](auto choice) -> std::unique_ptr<MicroFlow> {
        using Method = typename decltype(choice)::template Stepper<double, dynamic>;
        return std::make_unique<RateFlow<Method>>(problem, t_start);
    });
}

}  // namespace lento
