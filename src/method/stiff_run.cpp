#include "method/stiff_run.hpp"

#include <fmt/format.h>

#include "base/number.hpp"
#include "judge/price.hpp"
#include "judge/window_size.hpp"
#include "lento/base/misuse.hpp"
#include "method/expanded_motion.hpp"
#include "problem/acceleration.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {
namespace {

/// The frequency of each spring by itself at x: sqrt(k_j (g' M^-1 g'^T)_jj), or the declared one of another potential.
std::vector<double> spring_frequencies(const Problem& problem, double t, In x) {
    const auto& pattern = problem.springs->measures->pattern();
    std::vector<double> gradient(pattern.entries()), frequencies;
    problem.springs->measures->gradient(x, t, gradient);
    const Mass mass = problem.mass.at(x, t);
    for (const auto& spring : problem.springs->entries) {
        const double square = normal_entry(pattern, mass, gradient, spring.first);
        frequencies.push_back(spring.has_elongation ? std::sqrt(spring.strength * square) : spring.frequency);
    }
    return frequencies;
}

}  // namespace

StiffRun::StiffRun(Run& run, const WindowDefaults& defaults)
    : MethodRun(run), scales_(spring_scales(run.problem().springs->entries)) {
    run.count_with([this] { count(); });
    const auto a = Acceleration(problem()).at(request().start, request().velocity, request().t_start, {});
    if (const auto culprit = first_not_finite(a)) {
        run.refuse(Outcome::diverged,
                   fmt::format("the force on {} is not a finite number at the start, t = {}; check the parameters and "
                               "the starting values",
                               problem().names[*culprit], request().t_start));
    }
    spectrum_ = spring_spectrum(problem(), request().start, request().t_start);
    if (run.goes_on() && !spectrum_.vanishing) {
        chosen_ = with_window(options(), defaults, scales_, spectrum_, run.length());
        make_window();
    }
    if (run.goes_on()) {
        if (auto violation = first_violation()) {
            run.refuse(*violation);
        }
    }
}

void StiffRun::make_window() {
    const Filter filter(*chosen_.filter);
    if (filter.is_one_period()) {
        throw Misuse(
            "filter = period is for vibrations of a known phase; springs need a kernel, such as exponential or cubic");
    }
    const std::string micro = chosen_.micro.value_or("verlet");
    const auto steps = *given_steps_per_period(chosen_, scales_);
    const FilterWeights weights(filter, steps_each_side(filter, scales_, chosen_, steps));
    window_ = std::make_unique<StiffWindow>(problem(), micro, scales_,
                                            WindowShape{weights, steps, Sides::both, VelocityUse::possible});
    // The first passes through the filter may still see more of the springs than of the slow motion.
    Filtered slow = filtered(request().t_start, request().start, request().velocity);
    for (int pass = 0; pass < 2; ++pass) {
        slow = filtered(request().t_start, slow.position, slow.velocity);
    }
    size_ = SlowSize(request().start, slow.velocity, slow.acceleration, run_->length());
    auto tolerance = usual_projection_tolerance(spectrum_.slowest, size_, request().rtol,
                                                leakage(weights, micro, window_->micro_step(), spectrum_).share);
    if (chosen_.projection_tolerance) {
        require_positive(*chosen_.projection_tolerance, "projection_tolerance");
        tolerance = {*chosen_.projection_tolerance, *chosen_.projection_tolerance};
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
    if (chosen_.micro.value_or("verlet") == "verlet" && turn >= 2) {
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

void StiffRun::require_frequencies(double t, In x) {
    constexpr double most_slower = 2.5;
    const auto now = spring_frequencies(problem(), t, x);
    if (start_frequencies_.empty()) {
        start_frequencies_ = spring_frequencies(problem(), request().t_start, request().start);
    }
    for (std::size_t j = 0; j < now.size(); ++j) {
        const double slower = start_frequencies_[j] / now[j];
        if (!(slower <= most_slower)) {
            run_->refuse(
                Outcome::no_scale_separation,
                fmt::format("at t = {:.6g} the spring {} is {:.3g} times slower than at the start, and windows no "
                            "longer cover it; give a larger window_periods, or use the method {}",
                            t, problem().springs->entries[j].name, slower, method::direct.name));
        } else if (window_->micro_step() * spectrum_.fastest > 1.9 * slower) {
            run_->refuse(
                Outcome::unstable,
                fmt::format("at t = {:.6g} the spring {} is {:.3g} times faster than at the start, and micro-steps "
                            "no longer resolve it; take {:.0f} micro_steps_per_period",
                            t, problem().springs->entries[j].name, 1 / slower,
                            std::ceil(2 * static_cast<double>(window_->steps_per_period()) / slower)));
        }
    }
}

void StiffRun::require_budget() {
    constexpr double least = 1e7;
    constexpr double most_times_direct = 1;
    const double direct = price_of_direct(problem(), spectrum_, run_->length(), request().rtol);
    if (static_cast<double>(window_->force_evaluations()) > std::max(least, most_times_direct * direct)) {
        run_->refuse(
            Outcome::not_converged,
            fmt::format("{} force evaluations have been spent, where resolving every oscillation to the end would "
                        "take about {:.0f}",
                        window_->force_evaluations(), direct),
            Remedy::resolve);
    }
}

void StiffRun::require_separation() {
    if (const auto violation = separation_violation(size_)) {
        run_->refuse(*violation);
    }
}

const StiffRun::Filtered& StiffRun::filtered(double t, In x, In v) {
    if (last_.t == t && std::ranges::equal(last_.x, x) && std::ranges::equal(last_.v, v)) {
        return last_;
    }
    require_budget();
    if (violation()) {
        const std::vector<double> none(x.size(), std::numeric_limits<double>::quiet_NaN());
        return last_ = {t, {x.begin(), x.end()}, {v.begin(), v.end()}, none, none, none};
    }
    (*window_)(t, x, v);
    const auto copied = [](In values) { return std::vector<double>(values.begin(), values.end()); };
    Filtered next{t, copied(x), copied(v), copied(x), copied(window_->velocity()), copied(window_->acceleration())};
    add_to(next.position, 1, window_->move());
    return last_ = std::move(next);
}

std::optional<ProjectedPoint> StiffRun::projected(double t, In x, In v) {
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
        failure_ = fmt::format(
            "the projection onto the slow manifold at t = {:.6g} does not converge: after {} iterations elongations "
            "still change by {:.2g} times the tolerance ({:.2g} times in the first). The springs hold too much energy "
            "for it ({:.2g} at the start, the slow motion has {:.2g}), or the window is too short for them; start "
            "nearer to where the springs are at rest, take a smaller macro_step, or a larger window_periods",
            t, point.iterations, point.residual, point.first_residual,
            spring_energy(problem(), request().t_start, request().start, request().velocity),
            kinetic_energy(problem(), request().t_start, request().start, request().velocity));
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
    const bool elongations =
        std::ranges::all_of(problem().springs->entries, [](const auto& spring) { return spring.has_elongation; });
    if (options().guess.value_or("elongations") == "elongations" && elongations && spectrum_.known &&
        spectrum_.independent) {
        guess_.emplace(problem());
    }
    run_->note("guess", guess_ ? "elongations" : "none");
}

double StiffRun::largest_measure(double t, In x) const {
    std::vector<double> values(problem().springs->measures->count());
    problem().springs->measures->values(x, t, values);
    return largest(values);
}

void StiffRun::judge_start(In x, In v, In acceleration) {
    size_ = SlowSize(x, v, acceleration, run_->length());
    if (const auto far = far_start(run_->outset(), x, size_)) {
        run_->refuse(*far);
        return;
    }
    require_separation();
    if (violation()) {
        return;
    }
    take_fast_energy(x, v);
    if (fast_energy_ || violation()) {
        return;
    }
    if (auto warning = fast_start(problem(), run_->outset(), x, v, acceleration, size_)) {
        start_was_fast_ = true;
        run_->warn(*std::move(warning));
    }
}

void StiffRun::take_fast_energy(In x, In v) {
    fast_energy_.reset();
    if (!spectrum_.known || !spectrum_.independent) {
        return;
    }
    const auto fast = fast_oscillation(problem(), run_->outset(), x, v, size_);
    auto found = fast_energy_of_run(problem(), options(), run_->outset(), x, v, fast, size_, request().tolerance());
    if (found.warning) {
        run_->warn(*std::move(found.warning));
    }
    if (found.violation) {
        run_->refuse(*found.violation);
        return;
    }
    fast_energy_ = std::move(found.energy);
    if (!fast_energy_) {
        return;
    }
    run_->warn(
        fmt::format("the start has an energy of {:.2g} in fast oscillations of the springs; the slow motion "
                    "leaves them out, but for what they do to it in the mean",
                    fast.energy));
    slow_start_ = put_together(x, v);
    if (!problem().springs->slow.takes_series()) {
        return;
    }
    ExpandedMotion expanded(problem(), request());
    const auto y = expanded.violation() ? std::vector<double>() : expanded.start(0);
    if (!expanded.violation()) {
        expanded.push_by(FastEnergy(problem(), run_->outset(), In(y).first(x.size()), In(y).last(x.size())),
                         run_->outset());
    }
    if (!expanded.violation()) {
        fast_energy_ = expanded.fast_energy();
        slow_start_ = expanded.start(0);
    }
}

void StiffRun::push(double t, In x, In v, Out acceleration) {
    // A step may be too long, and meet what the motion does not; where the motion itself does, every step meets it.
    constexpr int most_refused = 50;
    if (!fast_energy_ || fast_energy_->push(t, x, v, acceleration)) {
        return;
    }
    std::ranges::fill(acceleration, std::numeric_limits<double>::quiet_NaN());
    if (++refused_ >= most_refused && fast_energy_->violation()) {
        run_->refuse(*fast_energy_->violation());
    }
}

void StiffRun::judge_glide(In x, In v) {
    const auto& again = filtered(request().t_start, x, v);
    glide_ = larger(glide_, size_.move(x, v, again.position, again.velocity));
}

void StiffRun::raise_tolerance_to_glide() {
    if (!options().macro_step && !options().steps && 3 * glide_ > request().rtol) {
        run_->warn(
            fmt::format("projections are uncertain by {:.2g} of the slow motion (windows of filter = {} and {:.3g} "
                        "periods see it change); rtol was raised from {:.2g} to {:.2g}",
                        glide_, *chosen_.filter, window_->width() / scales_.slowest, request().rtol, 3 * glide_));
        run_->loosen(3 * glide_, request().atol);
    }
}

void StiffRun::schedule(const std::string& project, SlowMotion& motion) {
    auto& times = motion.projection_times;
    times = options().project_times.value_or(std::vector<double>{});
    if ((project == "times") != options().project_times.has_value()) {
        throw Misuse("project = times and project_times = [...] belong together: give both, or neither");
    }
    for (const double t : times) {
        if (!(t > request().t_start && t < request().t_end)) {
            throw Misuse(fmt::format("project_times has {}, which is not inside the run from {} to {}", t,
                                     request().t_start, request().t_end));
        }
    }
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    run_->note("project", project);
    if (!times.empty()) {
        run_->note("project_times", fmt::format("{}", fmt::join(times, ",")));
    }
}

Solution StiffRun::solve(const SlowMotion& motion, const MacroSolvers& solvers, std::vector<double> y) {
    const auto macro = macro_choice(options(), run_->interval(), solvers);
    run_->note(macro);
    run_->allow_steps(most_steps_);
    auto marched = taken_apart(march_macro(macro, motion, request(), std::move(y)));
    auto& result = marched.result;
    const double moved = accumulated_glide(result.steps);
    if (const auto& violation = run_->violation()) {
        end_as(result, violation->outcome, violation->sentence);
    } else if (result.outcome == Outcome::completed && moved > 0.3) {
        end_as(result, Outcome::no_scale_separation,
               fmt::format("windows of {:.3g} see the slow motion change, and move it by about {:.1g} of its size in "
                           "all: the springs are not fast against it",
                           window_->width(), moved));
    } else if (fast_energy_ && fast_energy_->violation() && result.outcome != Outcome::completed) {
        const auto& resonance = *fast_energy_->violation();
        end_as(result, resonance.outcome, Run::sentence_of(resonance));
    } else if (failure_ && result.outcome == Outcome::diverged) {
        end_as(result, Outcome::not_converged, *failure_);
    }
    warn_at_the_end(result);
    const double length = result.reached - request().t_start;
    return run_->finished({.result = std::move(result),
                           .trajectory = std::move(marched.trajectory),
                           .final_state = std::move(marched.final_state),
                           .advice = "; try a smaller macro_step, or a tighter rtol where the step is adaptive",
                           .price_of_direct = price_of_direct(problem(), spectrum_, length, run_->asked_rtol())});
}

void StiffRun::count() {
    if (!window_) {
        return;
    }
    auto& statistics = run_->statistics();
    statistics.micro_steps = window_->micro_steps();
    statistics.force_evaluations += window_->force_evaluations();
    statistics.projections = projection_->projections();
    statistics.projection_iterations = projection_->iterations();
    statistics.projection_residual = projection_->largest_residual();
    run_->note("micro", chosen_.micro.value_or("verlet"));
    run_->note("micro_steps_per_period", fmt::format("{}", window_->steps_per_period()));
    run_->note("filter", *chosen_.filter);
    run_->note("fast_energy", fast_energy_ ? "adiabatic" : "none");
    run_->note("window_periods", fmt::format("{:.6g}", window_->width() / scales_.slowest));
}

double StiffRun::accumulated_glide(std::int64_t macro_steps) const {
    const auto projections = static_cast<double>(std::max<std::int64_t>(1, projection_->projections()));
    const double applied = course.steps_start_projected ? static_cast<double>(macro_steps) / projections : 1;
    return all_glides_ * applied;
}

void StiffRun::warn_at_the_end(const MarchResult& result) {
    const bool completed = result.outcome == Outcome::completed;
    // An averaged force is off by as much as a filter moves the state it is averaged around, at all times.
    const double averaging =
        course.averages_forces ? glide_ * std::pow((result.reached - request().t_start) / size_.time, 2) : 0;
    if (const double moved = std::max(accumulated_glide(result.steps), averaging);
        completed && moved > 10 * request().rtol) {
        run_->warn(
            fmt::format("windows of filter = {} and {:.3g} periods see the slow motion change: an error of {:.0g} of "
                        "its size. Stiffer springs make that less, and so do shorter windows and filters of three "
                        "vanishing moments (cubic, flat4); the method {} avoids it",
                        *chosen_.filter, window_->width() / scales_.slowest, moved, method::direct.name));
    }
    if (completed && !start_was_fast_ && course.moved > 10 * request().rtol) {
        run_->warn(
            fmt::format("the motion left the slow manifold and was projected back {} times, by {:.1g} of its size in "
                        "all: its error is of that order. A tighter rtol, or the method {}, makes it less",
                        projection_->projections() - 1, course.moved, method::ipa.name));
    }
    if (course.drifted_at) {
        run_->warn(
            fmt::format("from t = {:.4g} on, the energy that the springs have gathered changes the averaged force by a "
                        "few percent or more: the slow motion may be far off; project = auto projects in time",
                        *course.drifted_at));
    }
    if (!spectrum_.known) {
        run_->warn(
            "the springs depend on each other, and are too many to find their lowest frequency: the window is that of "
            "the nominal ones; give a larger window_periods if projections do not converge");
    }
    if (stalled_ > 10 && scales_.slowest * 1e7 < size_.time) {
        run_->warn(fmt::format(
            "springs this stiff are at the limit of rounding: projections stop at changes of {:.2g} times the "
            "tolerance, and the slow motion is uncertain accordingly. It differs from that of infinitely stiff springs "
            "by {:.1g} of its size; frequencies a hundred times lower give the same, without the noise",
            stalled_, 100 * std::pow(scales_.slowest / size_.time, 2)));
    } else if (stalled_ > 10) {
        run_->warn(
            fmt::format("projections stop at changes of {:.2g} times the tolerance: beyond that the iteration only "
                        "glides along the slow manifold; a larger projection_tolerance or a shorter window avoids it",
                        stalled_));
    }
}

}  // namespace lento
