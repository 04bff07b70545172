#include "method/stiff_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "judge/spring_start.hpp"
#include "judge/window_size.hpp"
#include "lento/base/misuse.hpp"
#include "problem/acceleration.hpp"
#include "problem/spring_energy.hpp"

namespace lento {

namespace {

/// The frequency of each spring by itself at x: sqrt(k_j (g' M^-1 g'^T)_jj); the declared one for potentials of another form.
std::vector<double> spring_frequencies(const Problem& problem, double t, std::span<const double> x) {
    const auto& pattern = problem.springs->measures->pattern();
    std::vector<double> gradient(pattern.entries()), frequencies;
    problem.springs->measures->gradient(x, t, gradient);
    for (const auto& spring : problem.springs->entries) {
        double square = 0;
        for (std::size_t a = pattern.start(spring.first); a < pattern.start(spring.first + 1); ++a) {
            for (std::size_t b = pattern.start(spring.first); b < pattern.start(spring.first + 1); ++b) {
                square += gradient[a] * gradient[b] * problem.mass.inverse_entry(pattern.column(a), pattern.column(b));
            }
        }
        frequencies.push_back(spring.has_elongation ? std::sqrt(spring.strength * square) : spring.frequency);
    }
    return frequencies;
}

}  // namespace

StiffRun::StiffRun(Run& run, const WindowDefaults& defaults)
    : run_(&run), scales_(spring_scales(run.problem().springs->entries)) {
    if (run.goes_on()) {
        require_finite_force();
    }
    spectrum_ = spring_spectrum(problem(), request().start, request().t_start);
    if (run.goes_on() && !spectrum_.vanishing) {
        options_ = with_window(request().options, defaults, scales_, spectrum_, run.length());
        make_window();
    }
    if (run.goes_on()) {
        if (auto violation = first_violation()) {
            run.refuse(*violation);
        }
    }
}

void StiffRun::require_finite_force() {
    const auto a = Acceleration(problem()).at(request().start, request().velocity, request().t_start, {});
    if (const auto culprit = first_not_finite(a)) {
        refuse(Outcome::diverged, fmt::format("the force on {} is not a finite number at the start, t = {}; check the "
                                              "parameters and the starting values",
                                              problem().names[*culprit], request().t_start));
    }
}

void StiffRun::make_window() {
    const Filter filter(*options_.filter);
    if (filter.is_one_period()) {
        throw Misuse(
            "filter = period is for vibrations of a known phase; springs need a kernel, such as exponential or cubic");
    }
    const std::string micro = options_.micro.value_or("verlet");
    const auto steps = *given_steps_per_period(options_, scales_);
    const auto size = window_size(filter, scales_, options_, steps);
    window_ = std::make_unique<StiffWindow>(
        problem(), micro, scales_,
        WindowShape{FilterWeights(filter, size.each_side), size.steps_per_period, Sides::both, VelocityUse::possible});
    // The first passes through the filter may still see more of the springs than of the slow motion.
    Filtered slow = filtered(request().t_start, request().start, request().velocity);
    for (int pass = 0; pass < 2; ++pass) {
        slow = filtered(request().t_start, slow.position, slow.velocity);
    }
    size_ = SlowSize(request().start, slow.velocity, slow.acceleration, run_->length());
    ProjectionTolerance tolerance =
        usual_projection_tolerance(spectrum_.slowest, size_, request().rtol,
                                   leaked_share(window_->weights(), micro, window_->micro_step(), spectrum_));
    if (options_.projection_tolerance) {
        require_positive(*options_.projection_tolerance, "projection_tolerance");
        tolerance = {*options_.projection_tolerance, *options_.projection_tolerance};
    }
    // What springs off by this hold is a millionth of the slow motion's kinetic energy.
    const double speed = 1e-3 * size_.length / size_.time;
    projection_ = std::make_unique<Projection>(*window_, problem(), tolerance,
                                               ProjectionTolerance{speed * scales_.fastest / 6.3, speed});
}

std::optional<Violation> StiffRun::first_violation() const {
    if (auto violation = vanishing_spring(problem(), spectrum_)) {
        return violation;
    }
    if (window_->width() >= run_->length()) {
        return Violation{
            Outcome::no_scale_separation,
            fmt::format("one averaging window lasts {:.3g}, the whole run {:.3g}: the springs (the slowest period is "
                        "{:.3g}) are not fast against it; take a shorter window, or use the method {}",
                        window_->width(), run_->length(), scales_.slowest, method::direct.name)};
    }
    const double turn = window_->micro_step() * spectrum_.fastest;
    if (options_.micro.value_or("verlet") == "verlet" && turn >= 2) {
        return Violation{
            Outcome::unstable,
            fmt::format("the fastest motion of the springs has a frequency of {:.4g} at the start, and micro-steps of "
                        "{:.3g} are unstable for it; take at least {:.0f} micro_steps_per_period",
                        spectrum_.fastest, window_->micro_step(), std::ceil(window_->steps_per_period() * turn / 1.9))};
    }
    return separation_violation(SlowSize(request().start, request().velocity, {}, run_->length()));
}

std::optional<Violation> StiffRun::separation_violation(const SlowSize& size) const {
    const double width = window_->width();
    if (!(width > 0.5 * size.time)) {
        return std::nullopt;
    }
    return Violation{
        Outcome::no_scale_separation,
        fmt::format(
            "one window lasts {:.3g} ({:.3g} periods of the slowest spring), and the slow motion changes by its own "
            "size in {:.3g}: the springs are not fast against it; take a shorter window, or use the method {}",
            width, width / scales_.slowest, size.time, method::direct.name)};
}

void StiffRun::require_frequencies(double t, std::span<const double> x) {
    constexpr double most_slower = 2.5;
    const auto now = spring_frequencies(problem(), t, x);
    if (start_frequencies_.empty()) {
        start_frequencies_ = spring_frequencies(problem(), request().t_start, request().start);
    }
    for (std::size_t j = 0; j < now.size(); ++j) {
        const double slower = start_frequencies_[j] / now[j];
        if (!(slower <= most_slower)) {
            refuse(Outcome::no_scale_separation,
                   fmt::format("at t = {:.6g} the spring {} is {:.3g} times slower than at the start, and windows no "
                               "longer cover it; give a larger window_periods, or use the method {}",
                               t, problem().springs->entries[j].name, slower, method::direct.name));
        } else if (window_->micro_step() * spectrum_.fastest > 1.9 * slower) {
            refuse(Outcome::unstable,
                   fmt::format("at t = {:.6g} the spring {} is {:.3g} times faster than at the start, and micro-steps "
                               "no longer resolve it; take {:.0f} micro_steps_per_period",
                               t, problem().springs->entries[j].name, 1 / slower,
                               std::ceil(2 * static_cast<double>(window_->steps_per_period()) / slower)));
        }
    }
}

void StiffRun::require_budget() {
    constexpr double least = 1e7;
    constexpr double most_times_direct = 5;
    const double direct = price_of_direct(spectrum_, run_->length(), request().rtol);
    if (static_cast<double>(window_->force_evaluations()) > std::max(least, most_times_direct * direct)) {
        refuse(Outcome::not_converged,
               fmt::format("{} force evaluations have been spent, where resolving every oscillation to the end would "
                           "take about {:.0f}",
                           window_->force_evaluations(), direct),
               Remedy::resolve);
    }
}

void StiffRun::require_separation(const SlowSize& size) {
    if (const auto violation = separation_violation(size)) {
        run_->refuse(*violation);
    }
}

const StiffRun::Filtered& StiffRun::filtered(double t, std::span<const double> x, std::span<const double> v) {
    if (last_.t == t && std::ranges::equal(last_.x, x) && std::ranges::equal(last_.v, v)) {
        return last_;
    }
    require_budget();
    if (violation()) {
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
    if (violation()) {
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
    const auto guess = request().options.guess.value_or("elongations");
    const bool elongations =
        std::ranges::all_of(problem().springs->entries, [](const auto& spring) { return spring.has_elongation; });
    const bool possible = elongations && spectrum_.known && spectrum_.independent;
    if (guess == "elongations" && possible) {
        guess_.emplace(problem());
    }
    run_->note("guess", guess_ ? "elongations" : "none");
}

std::string StiffRun::failed_projection(double t, const ProjectedPoint& point) const {
    return fmt::format(
        "the projection onto the slow manifold at t = {:.6g} does not converge: after {} iterations elongations still "
        "change by {:.2g} times the tolerance ({:.2g} times in the first). The springs hold too much energy for it "
        "({:.2g} at the start, the slow motion has {:.2g}), or the window is too short for them; start nearer to where "
        "the springs are at rest, take a smaller macro_step, or a larger window_periods",
        t, point.iterations, point.residual, point.first_residual,
        spring_energy(problem(), request().t_start, request().start, request().velocity),
        kinetic_energy(problem(), request().velocity));
}

double StiffRun::largest_measure(double t, std::span<const double> x) const {
    std::vector<double> values(problem().springs->measures->count());
    problem().springs->measures->values(x, t, values);
    return largest(values);
}

void StiffRun::judge_start(std::span<const double> x, std::span<const double> v, std::span<const double> acceleration) {
    size_ = SlowSize(x, v, acceleration, run_->length());
    if (const auto far = far_start(run_->outset(), x, size_)) {
        run_->refuse(*far);
        return;
    }
    require_separation(size_);
    if (violation()) {
        return;
    }
    if (auto warning = fast_start(problem(), run_->outset(), x, v, acceleration, size_)) {
        start_was_fast_ = true;
        run_->warn(*std::move(warning));
    }
}

void StiffRun::judge_glide(std::span<const double> x, std::span<const double> v) {
    const auto& again = filtered(request().t_start, x, v);
    glide_ = larger(glide_, size_.move(x, v, again.position, again.velocity));
}

void StiffRun::raise_tolerance_to_glide() {
    if (!request().options.macro_step && !request().options.steps && 3 * glide_ > request().rtol) {
        run_->warn(
            fmt::format("projections are uncertain by {:.2g} of the slow motion (windows of filter = {} and {:.3g} "
                        "periods see it change); rtol was raised from {:.2g} to {:.2g}",
                        glide_, *options_.filter, window_->width() / scales_.slowest, request().rtol, 3 * glide_));
        run_->loosen(3 * glide_, request().atol);
    }
}

void StiffRun::schedule(const std::string& project, SlowMotion& motion) {
    const auto times = request().options.project_times.value_or(std::vector<double>{});
    if ((project == "times") != request().options.project_times.has_value()) {
        throw Misuse("project = times and project_times = [...] belong together: give both, or neither");
    }
    for (const double t : times) {
        if (!(t > request().t_start && t < request().t_end)) {
            throw Misuse(fmt::format("project_times has {}, which is not inside the run from {} to {}", t,
                                     request().t_start, request().t_end));
        }
        motion.projection_times.push_back(t);
    }
    auto& sorted = motion.projection_times;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    run_->note("project", project);
    if (!sorted.empty()) {
        run_->note("project_times", fmt::format("{}", fmt::join(sorted, ",")));
    }
}

}  // namespace lento
