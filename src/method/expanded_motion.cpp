#include "method/expanded_motion.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "lento/run/method.hpp"
#include "problem/acceleration.hpp"

namespace lento {
namespace {

Violation not_finite(double t) {
    return {Outcome::diverged, fmt::format("the force, or a derivative of it along the motion, is not a finite number "
                                           "at t = {:.6g}; check the parameters and the starting values",
                                           t)};
}

Violation dependent(double t) {
    return {Outcome::refused,
            fmt::format("the springs depend on each other at t = {:.6g} (g' M^-1 g'^T is singular): the slow motion "
                        "does not tell the force of each by itself; take fewer springs",
                        t)};
}

}  // namespace

ExpandedMotion::ExpandedMotion(const Problem& problem, const Request& request)
    : problem_(&problem), request_(&request) {
    if (const auto sweeps = request.options.sweeps; sweeps && *sweeps > most_sweeps) {
        throw Misuse(fmt::format("sweeps is {}; 0 to {} are possible", *sweeps, most_sweeps));
    }
    violation_ = hypothesis();
    if (!violation_) {
        expansion_.emplace(problem);
        manifold_.emplace(problem, *expansion_);
    }
}

std::optional<Violation> ExpandedMotion::hypothesis() {
    for (const auto& spring : problem_->springs->entries) {
        if (!spring.has_elongation) {
            return Violation{Outcome::refused,
                             fmt::format("the spring {} is a potential of another form than 1/2 k elongation^2, and "
                                         "has no multiplier to expand; use the method {}",
                                         spring.name, method::ipa.name)};
        }
    }
    const auto a = Acceleration(*problem_).at(request_->start, request_->velocity, request_->t_start, {});
    if (first_not_finite(a)) {
        return not_finite(request_->t_start);
    }
    spectrum_ = spring_spectrum(*problem_, request_->start, request_->t_start);
    return vanishing_spring(*problem_, spectrum_);
}

std::vector<double> ExpandedMotion::nearest(int sweeps) {
    auto y = put_together(request_->start, request_->velocity);
    settle(sweeps, y);
    return y;
}

std::vector<double> ExpandedMotion::start(int sweeps) {
    auto y = nearest(sweeps);
    if (!violation_) {
        const auto x = std::span(y).first(problem_->dimension());
        auto displacement = request_->start;
        add_to(displacement, -1, x);
        const auto turn = turn_of_velocity(*problem_, request_->t_start, x, displacement, request_->velocity);
        add_to(std::span(y).last(problem_->dimension()), 1, turn);
        add_to(std::span(y).last(problem_->dimension()), 1, turn_by_oscillation_);
        settle(sweeps, y);
    }
    return y;
}

void ExpandedMotion::push_by(const FastEnergy& fast, const Outset& outset) {
    turn_by_oscillation_ = fast.turn();
    if (const auto y = start(0); !violation_) {
        const auto d = problem_->dimension();
        fast_energy_.emplace(*problem_, outset, std::span(y).first(d), std::span(y).last(d));
        violation_ = fast_energy_->violation();
    }
}

void ExpandedMotion::settle(int sweeps, Out y) {
    const auto x = y.first(problem_->dimension());
    const auto v = y.last(problem_->dimension());
    expansion_->draw_back_at(0);
    const auto ending = (*manifold_)(sweeps, request_->t_start, x, v);
    if (ending == SlowManifold::Ending::dependent) {
        violation_ = dependent(request_->t_start);
    } else if (ending == SlowManifold::Ending::too_far && slow_springs()) {
        violation_ = no_contraction(request_->t_start);
    } else if (ending == SlowManifold::Ending::too_far) {
        violation_ = {
            Outcome::not_converged,
            "the start is too far from the slow manifold, on which springs are as long as the slow motion stretches "
            "them: Newton's method finds no point of it; start nearer to where the springs are at rest"};
    } else {
        size_ = SlowSize(x, v, expansion_->acceleration(), request_->t_end - request_->t_start);
        violation_ = far_start({request_->start, request_->velocity, request_->t_start, request_->t_end}, x, size_);
    }
}

bool ExpandedMotion::slow_springs() {
    size_ = SlowSize(request_->start, request_->velocity, {}, request_->t_end - request_->t_start);
    return (*expansion_)(1, MultiplierExpansion::Wanted::values, request_->t_start, request_->start,
                         request_->velocity) &&
           no_contraction(request_->t_start).has_value();
}

std::vector<double> ExpandedMotion::corrections(In y) {
    const bool done = (*expansion_)(MultiplierExpansion::most_sweeps, MultiplierExpansion::Wanted::values,
                                    request_->t_start, y.first(problem_->dimension()), y.last(problem_->dimension()));
    violation_ = done ? no_contraction(request_->t_start) : not_finite(request_->t_start);
    return {expansion_->corrections().begin(), expansion_->corrections().end()};
}

AveragedAcceleration ExpandedMotion::acceleration(int sweeps) {
    last_correction_ = 0;
    expansion_->draw_back_at(1 / size_.time);
    if (fast_energy_) {
        fast_energy_->begin_again();
    }
    return [this, sweeps](double t, In x, In v, Out a) {
        const bool done = (*expansion_)(sweeps, MultiplierExpansion::Wanted::values, t, x, v);
        ++evaluations_;
        failure_ = done ? no_contraction(t) : expansion_->dependent() ? dependent(t) : not_finite(t);
        std::ranges::copy(expansion_->acceleration(), a.begin());
        if (!failure_ && fast_energy_ && !fast_energy_->push(t, x, v, a)) {
            failure_ = fast_energy_->violation();
        }
        if (failure_) {
            std::ranges::fill(a, std::numeric_limits<double>::quiet_NaN());
            return;
        }
        last_correction_ = std::max(last_correction_, expansion_->corrections().back());
    };
}

std::optional<Violation> ExpandedMotion::no_contraction(double t) const {
    constexpr double most = 0.5;
    // NOTE: a correction may pass through zero; the next one is no reason to stop where it is small beside the motion.
    const double matters = 0.05 * size_.length / (size_.time * size_.time);
    const auto corrections = expansion_->corrections();
    for (std::size_t k = 1; k < corrections.size(); ++k) {
        if (corrections[k] > matters && corrections[k] > most * corrections[k - 1]) {
            return Violation{
                Outcome::no_scale_separation,
                fmt::format("at t = {:.6g} sweep {} changes the force of the springs by {:.2g} of what the one before "
                            "did, where less than {} is needed: the springs are not fast against the slow motion",
                            t, k, corrections[k] / corrections[k - 1], most),
                Remedy::resolve};
        }
    }
    return std::nullopt;
}

namespace {

Pass multistep_pass(const EstimatingMarch& estimating, const Request& request, const AveragedAcceleration& acceleration,
                    std::vector<double> y, double tightness) {
    constexpr double shortest = 1e-9;  // step, of the run
    const std::size_t d = y.size() / 2;
    const double length = request.t_end - request.t_start;
    AccelerationForce force(acceleration, d);
    MultistepStart start{.t = request.t_start, .y = std::move(y), .series = std::vector<double>(d)};
    force.evaluate(start.t, start.y, {}, start.series, {});
    return estimating.multistep(
        force, start, {.longest = length / 10, .shortest = shortest * length, .most_steps = request.most_steps},
        tightness, {request.keep, request.progress, request.stop});
}

/// The same by the other solvers.
Pass macro_pass(const EstimatingMarch& estimating, MacroChoice choice, Request request,
                const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer) {
    Pass pass{.tightness = tightness};
    request.rtol *= tightness;
    request.atol *= tightness;
    request.samples = estimating.samples();
    request.sink = [&](double t, In state) { pass.samples.append(t, state); };
    if (choice.step) {
        choice.step = std::min(longer * *choice.step, request.t_end - request.t_start);
    }
    auto marched = march_macro(choice, {.rate = first_order_rate(acceleration), .acceleration = acceleration}, request,
                               std::move(y));
    pass.result = std::move(marched.result);
    pass.trajectory = std::move(marched.trajectory);
    pass.final_state = std::move(marched.final_state.position);
    return pass;
}

}  // namespace

MacroChoice slow_march_choice(const Request& request, MacroSolvers solvers) {
    solvers.adaptive.insert(solvers.adaptive.begin(), "stoermer-cowell");
    auto choice = macro_choice(request.options, {request.t_start, request.t_end}, solvers);
    if (!request.options.macro && !choice.step) {
        choice.name = "stoermer-cowell";
    }
    return choice;
}

Pass slow_pass(const EstimatingMarch& estimating, const MacroChoice& choice, const Request& request,
               const AveragedAcceleration& acceleration, std::vector<double> y, double tightness, int longer) {
    constexpr std::int64_t most_steps = 1'000'000;  // along a slow motion
    Request limited = request;
    limited.most_steps = std::min(request.most_steps, most_steps);
    auto pass = choice.name == "stoermer-cowell"
                    ? multistep_pass(estimating, limited, acceleration, std::move(y), tightness)
                    : macro_pass(estimating, choice, limited, acceleration, std::move(y), tightness, longer);
    pass.scales.assign(pass.final_state.size(), 0.0);
    SampleStore::Reader samples(pass.samples);
    for (std::size_t k = 0; k < samples.size(); ++k) {
        const In state = samples[k];
        for (std::size_t i = 0; i < state.size(); ++i) {
            pass.scales[i] = larger(pass.scales[i], std::abs(state[i]));
        }
    }
    return pass;
}

}  // namespace lento
