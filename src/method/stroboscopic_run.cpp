#include "method/stroboscopic_run.hpp"

#include <fmt/format.h>

#include "average/flow_field.hpp"
#include "base/number.hpp"
#include "judge/first_return.hpp"
#include "lento/base/misuse.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

constexpr double micro_share = 0.3;  // of the tolerance that micro-steps may take
constexpr std::size_t most_micro_steps = 4096;

std::size_t given_steps(const Options& options, double period) {
    require_not_both(options, "micro_step", "micro_steps_per_period");
    if (options.micro_step) {
        require_positive(*options.micro_step, "micro_step");
        return static_cast<std::size_t>(std::max(1.0, std::ceil(period / *options.micro_step - 1e-9)));
    }
    return options.micro_steps_per_period.value_or(0);
}

/// The largest of |difference| over the scale, in ulps.
double ulps(In difference, In scales) {
    return largest_of(scales.size(), [&](std::size_t i) { return std::abs(difference[i]) / scales[i]; }) /
           std::numeric_limits<double>::epsilon();
}

}  // namespace

StroboscopicRun::StroboscopicRun(Run& run, Declared declared)
    : MethodRun(run),
      declared_(declared),
      period_(common_period(run.problem())),
      ground_(run.problem().constraints ? std::make_shared<Ground>(run.problem()) : nullptr) {
    micro_ = run.options().micro.value_or(usual_micro_stepper(run.problem()));
    flow_ = micro_flow(run.problem(), micro_, run.request().t_start);
    run.count_with([this] { count(); });
    const auto& given = run.options();
    estimates_ = declared == Declared::guess && run.estimates() && given.macro.value_or("adams") == "adams" &&
                 !given.periods_per_step && !given.steps && !given.micro_step && !given.micro_steps_per_period;
    tightness_ = estimates_ ? looser * first_tightness : 1;
    set_budget();
    for (auto check : {&StroboscopicRun::find_period, &StroboscopicRun::require_slow_time,
                       &StroboscopicRun::choose_micro_steps, &StroboscopicRun::judge_map}) {
        if (ready()) {
            (this->*check)();
        }
    }
    next_look_ = run.request().t_start;
}

std::vector<double> StroboscopicRun::start() const {
    auto z = run_->start();
    z.push_back(request().t_start);
    return z;
}

void StroboscopicRun::find_period() {
    const auto z = start();
    const double length = run_->length();
    std::vector<double> rate(d());
    flow_->rate(request().t_start, std::span(z).first(d()), rate);
    if (const auto culprit = first_not_finite(rate)) {
        return run_->refuse(Outcome::diverged,
                            fmt::format("the rate of {} is not a finite number at the start, t = {}",
                                        problem().names[*culprit % problem().names.size()], request().t_start));
    }
    const auto returned = known_period() && declared_ == Declared::guess && !has_exact_period()
                              ? return_near(*period_, sizes_within(*period_, 1))
                              : std::nullopt;
    if (returned && turns_along_orbit(*period_, *returned)) {
        tell_of_return(*period_, *returned, "that is followed, and how it changes");
        guess_ = std::exchange(period_, std::nullopt);
        scales_ = sizes_within(*returned, 1);
        map_ = std::make_shared<FirstReturn>(*flow_, *returned, given_steps(options(), *returned), scales_);
    } else if (known_period()) {
        take_declared();
    } else {
        const auto found = first_return(*flow_, run_->interval(), {z.begin(), z.end() - 1}, problem().second_order,
                                        {1e-8, 1e-11, request().scales}, request().stop);
        if (!found.failure.empty()) {
            return run_->refuse(Outcome::refused, found.failure);
        }
        map_ = std::make_shared<FirstReturn>(*flow_, found.period, given_steps(options(), found.period), found.scales);
        scales_ = found.scales;
    }
    first_period_ = map_->period();
    if (estimates_) {
        sudden_ = suddenness(problem(), run_->outset());
        sharp_ = sharpness(problem(), run_->outset());
        constexpr double share = 0.5;  // of what the force does by itself in time, that a micro-step may be
        fewest_ = static_cast<std::size_t>(
            std::min(std::ceil(first_period_ / (share * std::min(sudden_.time, sharp_.time))), 1e4));
    }
    micro_steps_given_ = map_->steps_per_period() > 0;
    if (map_->period() * 3 > length) {
        run_->refuse(Outcome::no_scale_separation,
                     fmt::format("the whole run lasts {:.3g} periods of {:.6g}: there is nothing to stride over",
                                 length / map_->period(), map_->period()),
                     Remedy::resolve);
    }
}

std::vector<double> StroboscopicRun::sizes_within(double T, double share) {
    // How far an oscillation goes counts, not where in it the map looks.
    constexpr std::size_t looks = 16;
    const auto y = run_->start();
    std::vector<double> increments(looks * d()), sizes;
    flow_->follow({.t = request().t_start, .h = T / (2 * looks), .turns = 0.5 / looks, .steps = 2, .marks = looks}, y,
                  increments);
    for (std::size_t i = 0; i < d(); ++i) {
        double size = std::abs(y[i]);
        for (std::size_t k = 0; k < looks; ++k) {
            size = larger(size, std::abs(y[i] + increments[k * d() + i]));
        }
        sizes.push_back(size);
    }
    level(sizes, problem().second_order, share, request().scales);
    return sizes;
}

/// Phases have the period that is declared, and exact parts whose motions all have it. NOTE: revolutions of constrained
/// motions are not looked for.
bool StroboscopicRun::has_exact_period() const {
    if (!problem().phases.empty() || ground_) {
        return true;
    }
    // NOTE: of an exact part that takes double alone nobody can ask; it is believed.
    return problem().exact &&
           !(problem().exact->takes_series() && problem().takes_series() &&
             FlowField(problem()).not_periodic(request().start, revolutions_of(*period_), request().rtol));
}

void StroboscopicRun::take_declared() {
    const double period = *period_;
    map_ = std::make_shared<FixedPeriod>(*flow_, period, given_steps(options(), period));
    scales_ = sizes_within(period, 0.1);
}

/// A map over the declared period turns along the orbit where that is not the motion's. NOTE: little of that, over the
/// whole run, is a slow motion as any other; and where slow variables change much within a revolution, what is found as
/// its length is off by that.
bool StroboscopicRun::turns_along_orbit(double declared, double returned) const {
    constexpr double little = 1;  // radian
    return 2 * std::numbers::pi * revolutions_of(declared) * std::abs(declared - returned) / declared > little;
}

std::optional<double> StroboscopicRun::return_near(double declared, const std::vector<double>& scales) {
    constexpr std::size_t steps = 64;  // enough for orbits that are not very eccentric; others are searched for
    constexpr double near = 0.25;      // of the size of the motion
    constexpr double another = 0.5;    // of the period: farther away it is not the motion that was meant
    if (first_not_finite(scales)) {
        return std::nullopt;
    }
    const auto z = start();
    std::vector<double> change(d() + 1);
    FirstReturn map(*flow_, declared, steps, scales);
    map.change(z, change);
    if (!first_not_finite(change) &&
        largest_of(d(), [&](std::size_t i) { return std::abs(change[i]) / scales[i]; }) < near) {
        return change[d()];
    }
    const auto found = first_return(*flow_, {request().t_start, request().t_start + 2 * declared}, run_->start(),
                                    problem().second_order, {1e-8, 1e-11}, request().stop);
    return found.failure.empty() && std::abs(found.period - declared) < another * declared ? std::optional(found.period)
                                                                                           : std::nullopt;
}

/// Where the declared period is off by more than perturbations usually make it.
void StroboscopicRun::tell_of_return(double declared, double returned, std::string_view consequence) {
    constexpr double usual = 2e-3;
    if (std::abs(declared - returned) > usual * declared) {
        run_->warn(fmt::format("the declared period {:.6g} is {:.2g} % too {}: the motion returns after {:.6g}; {}",
                               declared, 100 * std::abs(declared - returned) / declared,
                               declared > returned ? "long" : "short", returned, consequence));
    }
}

/// The time in rates is taken for slow. Where it turns with the period, each map would see another motion.
void StroboscopicRun::require_slow_time() {
    constexpr std::size_t looks = 8;
    const auto z = start();
    const auto y = std::span(z).first(d());
    const double T = map_->period();
    std::vector<double> increments(looks * d());
    flow_->follow({.t = request().t_start, .h = T / (4 * looks), .turns = 0.25 / looks, .steps = 4, .marks = looks}, y,
                  increments);
    std::vector<double> point(y.begin(), y.end());
    std::vector<double> here(d()), part(d()), whole(d());
    for (std::size_t k = 0; k < looks; ++k) {
        flow_->rate(request().t_start, point, here);
        flow_->rate(request().t_start + T, point, whole);
        for (const double share : {0.21, 0.5}) {
            flow_->rate(request().t_start + share * T, point, part);
            for (std::size_t i = 0; i < d(); ++i) {
                const double within = std::abs(part[i] - here[i]);
                if (within * run_->length() > tolerance_of(i, z) && within > 10 * std::abs(whole[i] - here[i]) &&
                    within > 1e-10 * std::abs(here[i])) {
                    return run_->refuse(
                        Outcome::refused,
                        fmt::format("the rate of {} depends on t itself as fast as the period {:.6g}: it changes by "
                                    "{:.2g} in {} of it. Maps start at any time, so t must be slow: declare a phase "
                                    "([vibration.NAME]) and write the rate with it",
                                    problem().names[i % problem().names.size()], T, within, share));
                }
            }
        }
        point.assign(y.begin(), y.end());
        add_to(point, 1, In(increments).subspan(k * d(), d()));
    }
}

double StroboscopicRun::tolerance_of(std::size_t i, In z) const {
    if (i == d()) {  // a phase in radians within rtol; where the period is known there is no error
        return tightness_ * request().rtol * map_->period() / (2 * std::numbers::pi);
    }
    return tightness_ * request().tolerance().of(i, std::max(std::abs(z[i]), scales_[i]));
}

double StroboscopicRun::over_tolerance(In difference, In z) const {
    return largest_of(difference.size(), [&](std::size_t i) { return std::abs(difference[i]) / tolerance_of(i, z); });
}

void settle(const std::shared_ptr<Ground>& ground, double t, Out y) {
    if (ground && !ground->settle(t, y).converged) {
        std::ranges::fill(y, std::numeric_limits<double>::quiet_NaN());
    }
}

MapField::Settle StroboscopicRun::onto_constraints() const {
    return [ground = ground_](double t, Out y) { settle(ground, t, y); };
}

/// What errors of the map make over the whole run, over the tolerance. They add up, R e after R revolutions; and where
/// nothing ties the motion to a phase, what has added up makes each later revolution too long or too short:
/// R/2 (D(z + R e) - D(z)). `difference` is e.
double StroboscopicRun::micro_error(In z, std::vector<double>& difference) {
    const double R = revolutions();
    const std::size_t steps = map_->steps_per_period();
    std::vector<double> coarse(d() + 1), fine(d() + 1), later(d() + 1), moved(z.begin(), z.end());
    map_->change(z, coarse);
    map_->set_steps_per_period(2 * steps);
    map_->change(z, fine);
    map_->set_steps_per_period(steps);
    difference = coarse;
    add_to(difference, -1, fine);
    const double direct = R * over_tolerance(difference, z);
    const bool far_off = !(direct * tightness_ * request().rtol < 0.1);
    if (far_off || !problem().phases.empty()) {  // phases do not drift
        return direct;
    }
    add_to(moved, R, In(difference).first(d()));
    settle(ground_, z[d()], std::span(moved).first(d()));
    map_->change(moved, later);
    add_to(later, -1, coarse);
    return direct + R / 2 * over_tolerance(later, z);
}

void StroboscopicRun::choose_micro_steps() {
    const auto z = start();
    std::vector<double> difference;
    const bool by_tolerance = !options().macro_step && !options().steps && !options().periods_per_step;
    if (micro_steps_given_) {
        if (const double error = by_tolerance ? micro_error(z, difference) : 0.0; error > 10) {
            run_->warn(fmt::format(
                "{} micro-steps a period, as given, leave an error of about {:.2g} times the tolerance, over the run",
                map_->steps_per_period(), error));
        }
        return;
    }
    double before = HUGE_VAL;
    const std::size_t fewest = known_period() ? 4 : 16;
    for (std::size_t steps = std::clamp(fewest_, fewest, most_micro_steps); steps <= most_micro_steps; steps *= 2) {
        if (!known_period()) {  // returns found with too few steps are none
            map_ = std::make_shared<FirstReturn>(*flow_, first_period_, steps, scales_);
        }
        map_->set_steps_per_period(steps);
        const double error = micro_error(z, difference);
        if (error <= micro_share) {
            return;
        }
        // NOTE: differences of some ulps of the swing are rounding, and some more if more steps do not make them less.
        const double rounding = ulps(difference, scales_);
        if (rounding < 16 || (rounding < 500 && error > 0.5 * before)) {
            // They are random, and add up like the root of the number of maps: some hundred, of which a step sees one.
            const double factor = std::max(1.0, 0.05 * error);
            if (estimates_) {  // a single step may err by less than that
                constexpr double of_a_step = 0.05;
                map_error_ = 0.05 * error * tightness_;
                if (constexpr double hopeless = 1e4; map_error_ > hopeless) {
                    run_->refuse(Outcome::refused,
                                 fmt::format("rounding in the map is worth {:.1g} times the tolerance, over the run: "
                                             "double precision cannot follow it",
                                             map_error_));
                }
                tightness_ = std::max(tightness_, of_a_step * map_error_);
                return;
            }
            if (factor > 1) {
                run_->warn(
                    fmt::format("a period changes the state by so little that rounding in the map is worth {:.2g} "
                                "times the tolerance: rtol was raised from {:.2g} to {:.2g}",
                                0.05 * error, request().rtol, factor * request().rtol));
            }
            run_->loosen(factor * request().rtol, factor * request().atol);
            return;
        }
        // With the order of the stepper the next try often is more than enough.
        const double needed = static_cast<double>(steps) * std::pow(error / micro_share, 1.0 / flow_->order());
        if (std::isfinite(error) && before < HUGE_VAL && needed < 1.6 * static_cast<double>(steps)) {
            map_->set_steps_per_period(static_cast<std::size_t>(std::ceil(1.05 * needed)));
            return;
        }
        before = std::isfinite(error) ? error : HUGE_VAL;
    }
    if (!std::isfinite(before)) {
        return run_->refuse(Outcome::diverged,
                            map_->failure().value_or(fmt::format(
                                "the motion does not stay finite over its first period, {:.6g}", map_->period())));
    }
    if (estimates_) {
        map_error_ = before * tightness_;
        return;
    }
    run_->warn(
        fmt::format("with {} micro-steps a period the map is still wrong by {:.2g} times the tolerance, over the whole "
                    "run; a micro-stepper of higher order may do better, unless the force has kinks",
                    map_->steps_per_period(), before));
}

void StroboscopicRun::watch_micro_steps(In z) {
    constexpr int looks = 4;
    if (micro_steps_given_ || z[d()] < next_look_) {
        return;
    }
    const bool at_start = next_look_ == request().t_start;
    next_look_ = z[d()] + run_->length() / looks;
    if (at_start) {  // they were chosen there
        return;
    }
    std::vector<double> difference;
    const double error = micro_error(z, difference);
    if (!(error > micro_share) || ulps(difference, scales_) < 50) {
        return;
    }
    const std::size_t before = map_->steps_per_period();
    if (before >= most_micro_steps) {
        map_error_ = larger(map_error_, error * tightness_);
    }
    const double factor = std::clamp(std::pow(3 * error / micro_share, 1.0 / flow_->order()), 1.25, 4.0);
    map_->set_steps_per_period(std::max(
        before, std::min(most_micro_steps, static_cast<std::size_t>(std::ceil(static_cast<double>(before) * factor)))));
    if (error > 10 * micro_share && !estimates_) {
        run_->warn(fmt::format(
            "near t = {:.6g} {} micro-steps a period leave an error of about {:.2g} times the tolerance, over the run; "
            "from there on {} are taken. Give micro_steps_per_period to have them from the start",
            z[d()], before, error, map_->steps_per_period()));
    }
}

void StroboscopicRun::change(In z, Out result) {
    std::vector<double> point(z.begin(), z.end());
    settle(ground_, z[d()], std::span(point).first(d()));
    watch_micro_steps(point);
    watch_price();
    map_->change(point, result);
}

/// Along a slow motion the changes of a map near the identity are smooth: they grow from one revolution to the next by
/// nearly as much as from that to the third.
void StroboscopicRun::judge_map() {
    const auto z = start();
    constexpr std::size_t revolutions = 3;
    std::vector<double> reached(revolutions * (d() + 1));
    map_->iterate(z, 1, revolutions, reached);
    if (first_not_finite(reached)) {
        return run_->refuse(Outcome::diverged,
                            map_->failure().value_or(fmt::format(
                                "the motion does not stay finite over its first periods of {:.6g}", map_->period())));
    }
    std::vector<double> first(d() + 1, 0.0), last(d() + 1, 0.0), bend(d() + 1, 0.0);
    for (std::size_t i = 0; i < d(); ++i) {
        const double one = reached[i];
        const double two = reached[d() + 1 + i];
        const double three = reached[2 * (d() + 1) + i];
        first[i] = one;
        last[i] = three - two;
        bend[i] = (three - two) - 2 * (two - one) + one;
    }
    const double whole = larger(over_tolerance(first, z), over_tolerance(last, z));
    const double bent = over_tolerance(bend, z) / whole;
    constexpr double most = 0.3;
    if (whole > 1 && !(bent < most)) {
        return run_->refuse(
            Outcome::no_scale_separation,
            fmt::format(
                "the map over one period of {:.6g} is not near the identity: what it changes bends by {:.0f} % of "
                "itself within three periods. The period is wrong, or the motion is not fast against its changes",
                map_->period(), 100 * bent),
            Remedy::resolve);
    }
    if (known_period() && problem().phases.empty()) {
        judge_period(first);
    }
}

/// A declared period that is not the motion's makes the map turn along the orbit.
void StroboscopicRun::judge_period(In change) {
    const auto z = start();
    std::vector<double> rate(d());
    flow_->rate(request().t_start, std::span(z).first(d()), rate);
    double along = 0;
    double speed = 0;
    double whole = 0;
    for (std::size_t i = 0; i < d(); ++i) {
        const double weight = 1 / (scales_[i] * scales_[i]);
        if (std::isfinite(weight)) {
            along += weight * rate[i] * change[i];
            speed += weight * rate[i] * rate[i];
            whole += weight * change[i] * change[i];
        }
    }
    const double late = along / speed;
    const double left = std::sqrt(std::max(0.0, whole - along * late) / whole);
    if (left < 0.3) {
        tell_of_return(map_->period(), map_->period() - late,
                       fmt::format("the map then turns along the orbit, by {:.2g} revolutions in this run, and steps "
                                   "must be short enough to follow that: declare the true period, or none, so that it "
                                   "is found",
                                   std::abs(late) / map_->period() * revolutions()));
    }
}

int StroboscopicRun::fitting_order(Recovery recovery, std::span<const int> orders) {
    const auto z = start();
    std::vector<double> coarse(d() + 1), fine(d() + 1);
    double error = 0;
    for (std::size_t k = 0; k + 1 < orders.size(); ++k) {
        MapField(recovery, orders[k])(*map_, z, coarse, onto_constraints());
        MapField(recovery, orders[k + 1])(*map_, z, fine, onto_constraints());
        add_to(coarse, -1, fine);
        error = revolutions() * over_tolerance(coarse, z);
        if (error < 0.3) {
            return orders[k];
        }
    }
    if (error > 3) {  // of the order below the last
        run_->warn(
            fmt::format("recovering the averaged rate with order {} leaves an error of up to {:.2g} times the "
                        "tolerance; {} has none of that kind",
                        orders.back(), error, method::multirevolution.name));
    }
    return orders.back();
}

}  // namespace lento
