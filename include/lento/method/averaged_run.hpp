/// What the averaging methods for vibrated systems share: checks, initial data, the size of the window, the march.
///
/// A method says how a window starts; this does the rest.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/fast_part.hpp"
#include "lento/average/filter.hpp"
#include "lento/average/slow_state.hpp"
#include "lento/average/window.hpp"
#include "lento/base/misuse.hpp"
#include "lento/method/macro.hpp"
#include "lento/method/options.hpp"
#include "lento/method/request.hpp"
#include "lento/method/window_size.hpp"
#include "lento/problem/probe.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/solution/solution.hpp"
#include "lento/step/catalogue.hpp"

namespace lento {

template <class System>
class AveragedRun {
    static constexpr std::size_t extent = System::extent;

public:
    AveragedRun(const System& system, Request request, const MethodDescription& method)
        : began_(std::chrono::steady_clock::now()),
          system_(std::make_shared<const System>(system)),
          request_(checked(std::move(request), system.dimension())),
          acceleration_(*system_),
          scales_(time_scales(*system_)),
          probes_(request_.start, request_.velocity, request_.t_start) {
        require_options_apply(request_.options, method);
        record_.method = method.name;
        record_.requested_method = request_.method;
        record_.slow_is = method.slow_is;
        record_.t_end = request_.t_start;
        if (initial() != "true-state" && initial() != "averaged") {
            throw Misuse(fmt::format("initial = '{}' is neither true-state nor averaged", initial()));
        }
        velocity_matters_ = depends_on_velocity(acceleration_, probes_);
    }

    const System& system() const { return *system_; }
    const Request& request() const { return request_; }
    const TimeScales& scales() const { return scales_; }
    const ProbeStates& probes() const { return probes_; }
    Acceleration<System>& acceleration() { return acceleration_; }
    bool velocity_matters() const { return velocity_matters_; }
    void warn(std::string warning) { record_.warnings.push_back(std::move(warning)); }

    /// What a method makes of a window: the averaged acceleration `force(t, X, V, F)`.
    using MakeForce = std::function<AveragedAcceleration(AnyWindow<System>&)>;

    /// Averages with windows through `filter` and marches. With `time` running, the windows follow the phase.
    Solution solve(const Filter& filter, Sides sides, ExplicitTime time, const MakeForce& make_force) {
        if (auto ended = obstacle()) {
            return std::move(*ended);
        }
        // NOTE: without a phase the fast motion is the system's own, met only off its slow motion; there a window has
        // to be symmetric and of high order to let nothing of the stiff force through.
        const bool own_oscillation = system_->phases().empty();
        micro_ = request_.options.micro.value_or(own_oscillation && !velocity_matters_ ? "verlet8" : "dopri5");
        if (velocity_matters_ && is_composition(micro_)) {
            throw Misuse(composition_needs_positions("micro", micro_));
        }
        const auto [X, V] = slow_start();
        const auto window = settled_window(filter, sides, make_force, own_oscillation ? request_.start : X, V);
        const double length = request_.t_end - request_.t_start;
        if (window->width() >= length) {
            return finished(Outcome::no_scale_separation,
                            fmt::format("one averaging window lasts {:.3g}, the whole run {:.3g}: the vibration is not "
                                        "fast against it; use the "
                                        "method direct, or a shorter window",
                                        window->width(), length),
                            {}, {request_.t_start, X, V});
        }
        const auto force = make_force(*window);
        if (const double growth = own_oscillation ? spurious_growth(force, X, V) : 0; growth * length > 10) {
            return finished(Outcome::unstable,
                            fmt::format("windows of {} steps a period with micro = {} and filter = {} let enough of "
                                        "the fast force through to make "
                                        "the slow motion grow like exp({:.3g} t); take more micro_steps_per_period, "
                                        "micro = verlet8, or filter = cos8",
                                        window->steps_per_period(), micro_, filter.name(), growth),
                            {}, {request_.t_start, X, V});
        }
        if (time == ExplicitTime::running) {
            raise_tolerance_to_phase_noise(force, X, V);
        }
        auto marched = march(force, X, V);
        record_.statistics.micro_steps += window->micro_steps();
        note_options(filter, *window);
        warn_of_leakage(*window);
        return finished(marched.result.outcome, explanation_of(marched.result), std::move(marched.trajectory),
                        std::move(marched.final_state));
    }

private:
    VelocityUse velocity_use() const { return velocity_matters_ ? VelocityUse::possible : VelocityUse::none; }
    std::string initial() const { return request_.options.initial.value_or("true-state"); }

    PhasePoint slow_start() {
        const auto& [q, v, t] = std::tie(request_.start, request_.velocity, request_.t_start);
        if (initial() == "averaged") {
            return {q, v};
        }
        if (!system_->phases().empty()) {
            return averaged_state(acceleration_, q, v, t);
        }
        constexpr std::size_t steps_per_period = 32;
        const Filter filter("cos8");
        const auto each_side = static_cast<std::size_t>(filter.usual_periods()) * steps_per_period / 2;
        const auto window =
            make_window(micro_, acceleration_, scales_,
                        {FilterWeights(filter, each_side), steps_per_period, Sides::both, velocity_use()});
        auto slow = filtered_state(*window, q, v, t);
        record_.statistics.micro_steps += window->micro_steps();
        return slow;
    }

    std::unique_ptr<AnyWindow<System>> window_of(const Filter& filter, Sides sides, std::size_t steps_per_period) {
        const auto size = window_size(filter, scales_, request_.options, steps_per_period);
        return make_window(micro_, acceleration_, scales_,
                           {FilterWeights(filter, size.each_side), size.steps_per_period, sides, velocity_use()});
    }

    /// The window with the micro-steps a period asked for; else with twice as many until the averaged force at the
    /// start no longer changes by a tenth of rtol, or of the fast period over the length of the run: below the method's
    /// own error O(1/omega) there is nothing to gain.
    std::unique_ptr<AnyWindow<System>> settled_window(const Filter& filter, Sides sides, const MakeForce& make_force,
                                                      const std::vector<double>& X, const std::vector<double>& V) {
        if (const auto given = given_steps_per_period(request_.options, scales_)) {
            return window_of(filter, sides, *given);
        }
        constexpr std::size_t fewest = 8;
        constexpr std::size_t most = 512;
        const double target = 0.1 * std::max(request_.rtol, scales_.fastest / (request_.t_end - request_.t_start));
        std::vector<double> coarse(X.size());
        std::vector<double> fine(X.size());
        double change = 0;
        for (std::size_t steps = fewest; steps <= most; steps *= 2) {
            const auto window = window_of(filter, sides, steps);
            make_force (*window)(request_.t_start, X, V, fine);
            record_.statistics.micro_steps += window->micro_steps();
            double size = 0;
            const double last_change = change;
            change = 0;
            for (std::size_t i = 0; i < X.size(); ++i) {
                change = std::max(change, std::abs(fine[i] - coarse[i]));
                size = std::max(size, std::abs(fine[i]));
            }
            const bool converged = change <= target * size;
            const bool at_rounding = change <= 1e-6 * size && change > 0.25 * last_change;
            if (steps > fewest && (converged || at_rounding)) {
                return window_of(filter, sides, steps);
            }
            coarse = fine;
        }
        warn(fmt::format(
            "with {} micro-steps a period the averaged force still changes by {:.2g} at the start; a micro-stepper of "
            "higher order (--option micro=verlet8) may settle it",
            most, change));
        return window_of(filter, sides, most);
    }

    /// The rate at which the averaged force drives a stiff coordinate away from its slow motion. The average of a stiff
    /// force -w^2 z is to vanish; what the window lets through, kappa z, grows like exp(sqrt(kappa) t) if kappa > 0.
    double spurious_growth(const AveragedAcceleration& force, const std::vector<double>& X,
                           const std::vector<double>& V) {
        const std::size_t d = X.size();
        std::vector<double> here(d);
        std::vector<double> there(d);
        std::vector<double> raw_here(d);
        std::vector<double> raw_there(d);
        const auto raw = [&](const std::vector<double>& x, std::vector<double>& a) {
            acceleration_(view<extent>(std::span<const double>(x)), view<extent>(std::span<const double>(V)),
                          request_.t_start, {}, view<extent>(std::span<double>(a)));
        };
        force(request_.t_start, X, V, here);
        raw(X, raw_here);
        double growth = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double offset = 1e-4 * (1e-2 + std::abs(X[i]));
            std::vector<double> displaced = X;
            displaced[i] += offset;
            raw(displaced, raw_there);
            const double stiffness = (raw_there[i] - raw_here[i]) / offset;
            if (std::abs(stiffness) * scales_.fastest * scales_.fastest < 4) {
                continue;  // slow along this coordinate
            }
            force(request_.t_start, displaced, V, there);
            growth = std::max(growth, std::sqrt(std::max(0.0, (there[i] - here[i]) / offset)));
        }
        return growth;
    }

    /// An averaged force that depends on the phase at which its window starts is known only up to that dependence,
    /// O(1/omega): a step-size control with a tighter tolerance would chase it with ever smaller steps.
    void raise_tolerance_to_phase_noise(const AveragedAcceleration& force, const std::vector<double>& X,
                                        const std::vector<double>& V) {
        if (request_.options.macro_step || request_.options.steps) {
            return;
        }
        std::vector<double> first(X.size());
        std::vector<double> other(X.size());
        force(request_.t_start, X, V, first);
        double change = 0;
        double size = 0;
        for (const double share : {1.0 / 3, 2.0 / 3}) {
            force(request_.t_start + share * scales_.fastest, X, V, other);
            for (std::size_t i = 0; i < X.size(); ++i) {
                change = std::max(change, std::abs(other[i] - first[i]));
                size = std::max(size, std::abs(first[i]));
            }
        }
        if (0.1 * change > request_.rtol * size) {
            warn(
                fmt::format("the averaged force depends on the phase at which its window starts, by {:.2g} of its "
                            "size; rtol was raised from "
                            "{:.2g} to a tenth of that (hmm-async has no such dependence)",
                            change / size, request_.rtol));
            request_.rtol = 0.1 * change / size;
        }
    }

    /// A force that is not finite, or whose leading part does not average to zero (3.3).
    std::optional<Solution> obstacle() {
        const auto& start = request_.start;
        const auto& names = system_->names();
        std::vector<double> mean(start.size());
        std::vector<double> swing(start.size());
        if (system_->phases().empty()) {
            acceleration_(view<extent>(std::span<const double>(start)),
                          view<extent>(std::span<const double>(request_.velocity)), request_.t_start, {},
                          view<extent>(std::span<double>(mean)));
        } else {
            auto profile = FastPart<System>(acceleration_, start, request_.velocity, request_.t_start)
                               .profile(start, request_.velocity, request_.t_start, scales_);
            mean = std::move(profile.mean);
            swing = std::move(profile.velocity_swing);
        }
        if (const auto culprit = first_not_finite(mean)) {
            return finished(
                Outcome::diverged,
                fmt::format("the force on {} is {} at the start, t = {}; check the parameters and the starting values",
                            names[*culprit], mean[*culprit], request_.t_start),
                {}, {request_.t_start, start, request_.velocity});
        }
        leading_amplitude_ = 0;
        const double largest = *std::max_element(swing.begin(), swing.end());
        for (std::size_t i = 0; i < swing.size(); ++i) {
            leading_amplitude_ = std::max(leading_amplitude_, swing[i] / 2 * 2 * std::numbers::pi / scales_.fastest);
            // NOTE: a coordinate that the vibration hardly moves has only slow forces; there is nothing to judge.
            const bool vibrated = swing[i] > 1e-3 * largest;
            const double kick = std::abs(mean[i]) * scales_.slowest;
            if (vibrated && kick > 0.1 * swing[i] && request_.options.mean_force.value_or("refuse") != "accept") {
                return finished(
                    Outcome::refused,
                    fmt::format(
                        "the leading force on {} does not average to zero: its mean acceleration {:.4g} changes the "
                        "velocity by "
                        "{:.3g} in one period, more than a tenth of the swing {:.3g} of the fast velocity. Averaging "
                        "needs a "
                        "vibration that dominates; if this mean is an ordinary slow force beside a weak vibration, "
                        "--option mean_force=accept runs all the same",
                        names[i], mean[i], kick, swing[i]),
                    {}, {request_.t_start, start, request_.velocity});
            }
        }
        return std::nullopt;
    }

    /// What the filter lets through of the vibration, beside the averaged force it was to find.
    void warn_of_leakage(const AnyWindow<System>& window) {
        const double slowest_steps = static_cast<double>(window.steps_per_period()) * scales_.slowest / scales_.fastest;
        const double leakage = std::abs(window.weights().leakage(slowest_steps));
        const double leaked = leakage * leading_amplitude_;
        if (leakage > 1e-15 && leaked > request_.rtol * largest_force_) {
            warn(
                fmt::format("the filter lets {:.2e} of the vibration through: an acceleration of up to {:.2g} beside "
                            "averaged ones of up to "
                            "{:.3g}; a cos8 filter over a whole number of periods lets nothing through",
                            leakage, leaked, largest_force_));
        }
    }

    void note_options(const Filter& filter, const AnyWindow<System>& window) {
        record_.options.insert(record_.options.end(),
                               {{"micro", micro_},
                                {"micro_steps_per_period", fmt::format("{}", window.steps_per_period())},
                                {"filter", filter.name()},
                                {"window_periods", fmt::format("{:.6g}", window.width() / scales_.slowest)},
                                {"initial", initial()}});
    }

    Marched march(const AveragedAcceleration& force, const std::vector<double>& X, const std::vector<double>& V) {
        const auto macro = macro_choice(request_.options, {request_.t_start, request_.t_end});
        if (velocity_matters_ && is_composition(macro.name)) {
            throw Misuse(composition_needs_positions("macro", macro.name));
        }
        record_.options.push_back({"macro", macro.name});
        if (macro.step) {
            record_.options.push_back({"macro_step", fmt::format("{}", *macro.step)});
        }
        const auto watched = [&](double t, std::span<const double> x, std::span<const double> v, std::span<double> a) {
            force(t, x, v, a);
            for (const double component : a) {
                largest_force_ = std::max(largest_force_, std::abs(component));
            }
        };
        auto marched = march_macro(macro, watched, request_, X, V);
        record_.statistics.macro_steps = marched.result.steps;
        record_.statistics.rejected_steps = marched.result.rejected;
        record_.t_end = marched.result.reached;
        return marched;
    }

    std::string explanation_of(const MarchResult& result) const {
        if (!result.culprit) {
            return result.explanation;
        }
        return fmt::format("{} (first in {}); try a smaller macro_step, or a tighter rtol where the step is adaptive",
                           result.explanation, system_->names()[*result.culprit % system_->dimension()]);
    }

    Solution finished(Outcome outcome, std::string explanation, Trajectory trajectory, Snapshot final_state) {
        record_.outcome = outcome;
        record_.explanation = std::move(explanation);
        record_.statistics.force_evaluations = acceleration_.evaluations();
        const double direct = 40 * (record_.t_end - request_.t_start) / scales_.fastest;
        if (outcome == Outcome::completed && static_cast<double>(record_.statistics.force_evaluations) > direct) {
            warn(
                fmt::format("{} force evaluations, where resolving every vibration would take about {:.0f}: the method "
                            "direct is the "
                            "better choice here",
                            record_.statistics.force_evaluations, direct));
        }
        record_.statistics.wall_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
        return Solution(std::move(record_), std::move(trajectory), std::move(final_state), reconstruction());
    }

    /// x = X + Delta, v = V + W at the true phase.
    Reconstruction reconstruction() const {
        if (system_->phases().empty()) {
            return {};
        }
        return [system = system_](const Snapshot& slow) {
            Acceleration<System> acceleration(*system);
            auto state = true_state(acceleration, slow.position, slow.velocity, slow.t);
            return Snapshot{slow.t, std::move(state.position), std::move(state.velocity)};
        };
    }

    static std::string composition_needs_positions(std::string_view role, std::string_view name) {
        return fmt::format(
            "{} = {} keeps its order only for forces that do not depend on the velocity, and this one does; use rk4 or "
            "dopri5 (verlet runs too, with order 2)",
            role, name);
    }

    std::chrono::steady_clock::time_point began_;
    std::shared_ptr<const System> system_;
    Request request_;
    Acceleration<System> acceleration_;
    TimeScales scales_;
    ProbeStates probes_;
    RunRecord record_;
    std::string micro_;  // the stepper inside windows
    bool velocity_matters_ = false;
    double leading_amplitude_ = 0;  // of the oscillating acceleration at the start
    double largest_force_ = 0;      // of the averaged accelerations met
};

}  // namespace lento
