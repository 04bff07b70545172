#include "lento/method/stiff_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "lento/base/number.hpp"
#include "lento/method/spring_start.hpp"
#include "lento/method/window_size.hpp"

namespace lento {

namespace {

double largest(std::span<const double> x) {
    double size = 0;
    for (const double component : x) {
        size = larger(size, std::abs(component));
    }
    return size;
}

/// The frequency of each spring by itself at x: sqrt(k_j (g' M^-1 g'^T)_jj); the declared one for potentials of another form.
std::vector<double> spring_frequencies(const StiffMotion& motion, double t, std::span<const double> x) {
    const auto& pattern = motion.pattern();
    std::vector<double> gradient(pattern.entries()), frequencies;
    motion.gradient(t, x, gradient);
    for (const auto& spring : motion.springs()) {
        double square = 0;
        for (std::size_t a = pattern.start(spring.first); a < pattern.start(spring.first + 1); ++a) {
            for (std::size_t b = pattern.start(spring.first); b < pattern.start(spring.first + 1); ++b) {
                square += gradient[a] * gradient[b] * motion.mass().inverse_entry(pattern.column(a), pattern.column(b));
            }
        }
        frequencies.push_back(spring.has_elongation ? std::sqrt(spring.strength * square) : spring.frequency);
    }
    return frequencies;
}

}  // namespace

StiffRun::StiffRun(const StiffMotion& motion, Request request, const MethodDescription& method,
                   const WindowDefaults& defaults)
    : began_(std::chrono::steady_clock::now()),
      motion_(&motion),
      request_(checked(std::move(request), motion.dimension())),
      scales_(spring_scales(motion.springs())) {
    require_options_apply(request_.options, method);
    if (!motion.phases().empty()) {
        throw Misuse(
            fmt::format("method {} is for stiff springs without a fast phase; this system has the phase {}: use direct",
                        method.name, motion.phases().front().name));
    }
    record_.method = method.name;
    record_.requested_method = request_.method;
    record_.slow_is = method.slow_is;
    record_.t_end = request_.t_start;
    require_finite_force();
    spectrum_ = motion.spectrum(request_.t_start, request_.start);
    if (!violation_ && !spectrum_.vanishing) {
        options_ = with_window(request_.options, defaults, scales_, spectrum_, length());
        make_window();
    }
    if (!violation_) {
        violation_ = first_violation();
    }
}

void StiffRun::require_finite_force() {
    std::vector<double> a(motion_->dimension());
    motion_->acceleration()(request_.t_start, request_.start, request_.velocity, a);
    if (const auto culprit = first_not_finite(a)) {
        refuse(Outcome::diverged,
               fmt::format("the force on {} is not a finite number at the start, t = {}; check the parameters and the "
                           "starting values",
                           motion_->names()[*culprit], request_.t_start));
    }
}

void StiffRun::make_window() {
    const Filter filter(*options_.filter);
    if (filter.is_one_period()) {
        throw Misuse(
            "filter = period is for vibrations of a known phase; springs need a kernel, such as exponential "
            "or cubic");
    }
    const std::string micro = options_.micro.value_or("verlet");
    const auto steps = *given_steps_per_period(options_, scales_);
    const auto size = window_size(filter, scales_, options_, steps);
    window_ = motion_->window(
        micro, scales_,
        WindowShape{FilterWeights(filter, size.each_side), size.steps_per_period, Sides::both, VelocityUse::possible});
    // The first passes through the filter may still see more of the springs than of the slow motion.
    Filtered slow = filtered(request_.t_start, request_.start, request_.velocity);
    for (int pass = 0; pass < 2; ++pass) {
        slow = filtered(request_.t_start, slow.position, slow.velocity);
    }
    size_ = SlowSize(request_.start, slow.velocity, slow.acceleration, length());
    ProjectionTolerance tolerance =
        usual_projection_tolerance(spectrum_.slowest, size_, request_.rtol,
                                   leaked_share(window_->weights(), micro, window_->micro_step(), spectrum_));
    if (options_.projection_tolerance) {
        require_positive(*options_.projection_tolerance, "projection_tolerance");
        tolerance = {*options_.projection_tolerance, *options_.projection_tolerance};
    }
    // What springs off by this hold is a millionth of the slow motion's kinetic energy.
    const double speed = 1e-3 * size_.length / size_.time;
    projection_ = std::make_unique<Projection>(*window_, *motion_, tolerance,
                                               ProjectionTolerance{speed * scales_.fastest / 6.3, speed});
}

std::optional<Violation> StiffRun::first_violation() const {
    if (auto violation = vanishing_spring(*motion_, spectrum_)) {
        return violation;
    }
    if (window_->width() >= length()) {
        return Violation{Outcome::no_scale_separation,
                         fmt::format("one averaging window lasts {:.3g}, the whole run {:.3g}: the springs (the "
                                     "slowest period is {:.3g}) are not fast against it; use the method direct, or "
                                     "a shorter window",
                                     window_->width(), length(), scales_.slowest)};
    }
    const double turn = window_->micro_step() * spectrum_.fastest;
    if (options_.micro.value_or("verlet") == "verlet" && turn >= 2) {
        return Violation{
            Outcome::unstable,
            fmt::format("the fastest motion of the springs has a frequency of {:.4g} at the start, and "
                        "micro-steps of {:.3g} are unstable for it; take at least {:.0f} "
                        "micro_steps_per_period",
                        spectrum_.fastest, window_->micro_step(), std::ceil(window_->steps_per_period() * turn / 1.9))};
    }
    return separation_violation(SlowSize(request_.start, request_.velocity, {}, length()));
}

std::optional<Violation> StiffRun::separation_violation(const SlowSize& size) const {
    const double width = window_->width();
    if (!(width > 0.5 * size.time)) {
        return std::nullopt;
    }
    return Violation{Outcome::no_scale_separation,
                     fmt::format("one window lasts {:.3g} ({:.3g} periods of the slowest spring), and the slow motion "
                                 "changes by its own size in {:.3g}: the springs are not fast against it; use the "
                                 "method direct, or a shorter window",
                                 width, width / scales_.slowest, size.time)};
}

void StiffRun::require_frequencies(double t, std::span<const double> x) {
    constexpr double most_slower = 2.5;
    const auto now = spring_frequencies(*motion_, t, x);
    if (start_frequencies_.empty()) {
        start_frequencies_ = spring_frequencies(*motion_, request_.t_start, request_.start);
    }
    for (std::size_t j = 0; j < now.size(); ++j) {
        const double slower = start_frequencies_[j] / now[j];
        if (!(slower <= most_slower)) {
            refuse(Outcome::no_scale_separation,
                   fmt::format("at t = {:.6g} the spring {} is {:.3g} times slower than at the start, and windows no "
                               "longer cover it; give a larger window_periods, or use the method direct",
                               t, motion_->springs()[j].name, slower));
        } else if (window_->micro_step() * spectrum_.fastest > 1.9 * slower) {
            refuse(
                Outcome::unstable,
                fmt::format("at t = {:.6g} the spring {} is {:.3g} times faster than at the start, and micro-steps no "
                            "longer resolve it; take {:.0f} micro_steps_per_period",
                            t, motion_->springs()[j].name, 1 / slower,
                            std::ceil(2 * static_cast<double>(window_->steps_per_period()) / slower)));
        }
    }
}

void StiffRun::require_budget() {
    constexpr double least = 1e7;
    constexpr double most_times_direct = 5;
    const double direct = evaluations_to_resolve(spectrum_, length());
    if (static_cast<double>(window_->force_evaluations()) > std::max(least, most_times_direct * direct)) {
        refuse(
            Outcome::not_converged,
            fmt::format("{} force evaluations have been spent, where resolving every oscillation to the end would take "
                        "about {:.0f}: use the method direct",
                        window_->force_evaluations(), direct));
    }
}

void StiffRun::require_separation(const SlowSize& size) {
    if (const auto violation = separation_violation(size)) {
        refuse(violation->outcome, violation->sentence);
    }
}

void StiffRun::refuse(Outcome outcome, std::string sentence) {
    if (!violation_) {
        violation_ = {outcome, std::move(sentence)};
    }
}

const StiffRun::Filtered& StiffRun::filtered(double t, std::span<const double> x, std::span<const double> v) {
    if (last_.t == t && std::ranges::equal(last_.x, x) && std::ranges::equal(last_.v, v)) {
        return last_;
    }
    require_budget();
    if (violation_) {
        const std::vector<double> none(x.size(), std::numeric_limits<double>::quiet_NaN());
        return last_ = {t, {x.begin(), x.end()}, {v.begin(), v.end()}, none, none, none};
    }
    (*window_)(t, x, v);
    const auto copied = [](std::span<const double> values) {
        return std::vector<double>(values.begin(), values.end());
    };
    Filtered next{t, copied(x), copied(v), copied(x), copied(window_->velocity()), copied(window_->acceleration())};
    for (std::size_t i = 0; i < x.size(); ++i) {
        next.position[i] += window_->move()[i];
    }
    return last_ = std::move(next);
}

std::optional<ProjectedPoint> StiffRun::projected(double t, std::span<const double> x, std::span<const double> v) {
    require_budget();
    if (violation_) {
        return std::nullopt;
    }
    std::vector<double> from(x.begin(), x.end());
    std::vector<double> with(v.begin(), v.end());
    if (guess_) {
        (*guess_)(t, from, with);
    }
    auto point = (*projection_)(t, from, with);
    failure_.reset();
    if (point.ending == ProjectedPoint::Ending::failed) {
        failure_ = failed_projection(t, point);
        return std::nullopt;
    }
    stalled_ = larger(stalled_, point.ending == ProjectedPoint::Ending::stalled ? point.residual : 0);
    all_glides_ +=
        point.iterations * larger(point.glide / size_.length, point.velocity_glide * size_.time / size_.length);
    if (guess_) {
        guess_->learn(t, point);
    }
    return point;
}

void StiffRun::guess_projections() {
    const auto guess = request_.options.guess.value_or("elongations");
    const bool elongations =
        std::ranges::all_of(motion_->springs(), [](const auto& spring) { return spring.has_elongation; });
    const bool possible = elongations && spectrum_.known && spectrum_.independent;
    if (guess == "elongations" && possible) {
        guess_.emplace(*motion_);
    }
    note("guess", guess_ ? "elongations" : "none");
}

std::string StiffRun::failed_projection(double t, const ProjectedPoint& point) const {
    return fmt::format(
        "the projection onto the slow manifold at t = {:.6g} does not converge: after {} iterations "
        "elongations still change by {:.2g} times the tolerance ({:.2g} times in the first). The "
        "springs hold too much energy for it ({:.2g} at the start, the slow motion has {:.2g}), or "
        "the window is too short for them; start nearer to where the springs are at rest, take a "
        "smaller macro_step, or a larger window_periods",
        t, point.iterations, point.residual, point.first_residual,
        motion_->spring_energy(request_.t_start, request_.start, request_.velocity),
        motion_->kinetic_energy(request_.velocity));
}

double StiffRun::largest_measure(double t, std::span<const double> x) const {
    std::vector<double> values(motion_->measures());
    motion_->values(t, x, values);
    return largest(values);
}

void StiffRun::judge_start(std::span<const double> x, std::span<const double> v, std::span<const double> acceleration) {
    size_ = SlowSize(x, v, acceleration, length());
    if (const auto far = far_start(request_, x, size_)) {
        refuse(far->outcome, far->sentence);
        return;
    }
    require_separation(size_);
    if (violation_) {
        return;
    }
    if (auto warning = fast_start(*motion_, request_, x, v, acceleration, size_)) {
        start_was_fast_ = true;
        warn(*std::move(warning));
    }
}

void StiffRun::judge_glide(std::span<const double> x, std::span<const double> v) {
    const auto& again = filtered(request_.t_start, x, v);
    glide_ = larger(glide_, size_.move(x, v, again.position, again.velocity));
}

void StiffRun::raise_tolerance_to_glide() {
    if (!request_.options.macro_step && !request_.options.steps && 3 * glide_ > request_.rtol) {
        warn(fmt::format(
            "projections are uncertain by {:.2g} of the slow motion (windows of filter = {} and {:.3g} periods "
            "see it change); rtol was raised from {:.2g} to {:.2g}",
            glide_, *options_.filter, window_->width() / scales_.slowest, request_.rtol, 3 * glide_));
        request_.rtol = 3 * glide_;
    }
}

void StiffRun::schedule(const std::string& project, SlowMotion& motion) {
    const auto times = request_.options.project_times.value_or(std::vector<double>{});
    if ((project == "times") != request_.options.project_times.has_value()) {
        throw Misuse("project = times and project_times = [...] belong together: give both, or neither");
    }
    for (const double t : times) {
        if (!(t > request_.t_start && t < request_.t_end)) {
            throw Misuse(fmt::format("project_times has {}, which is not inside the run from {} to {}", t,
                                     request_.t_start, request_.t_end));
        }
        motion.projection_times.push_back(t);
    }
    auto& sorted = motion.projection_times;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    note("project", project);
    if (!sorted.empty()) {
        note("project_times", fmt::format("{}", fmt::join(sorted, ",")));
    }
}

}  // namespace lento
