#include "lento/method/bounded_derivative.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "expanded_motion.hpp"
#include "lento/base/number.hpp"
#include "lento/method/spring_start.hpp"
#include "lento/method/stiff_scales.hpp"
#include "slow_march.hpp"

namespace lento {
namespace {

class BoundedDerivativeRun {
public:
    BoundedDerivativeRun(const StiffMotion& springs, const Request& request, const DirectRun& direct)
        : began_(std::chrono::steady_clock::now()),
          springs_(springs),
          direct_(direct),
          request_(checked(request, springs.dimension())),
          motion_(springs, request_),
          march_(request_, slow_march_choice(request_)) {
        require_options_apply(request_.options, bounded_derivative_description);
    }

    Solution solve() {
        if (!motion_.violation()) {
            judge_start();
        }
        if (motion_.violation() || violation_) {
            return not_started();
        }
        if (request_.by_auto && direct_ && names_of_set(request_.options).empty() &&
            expected_evaluations() > evaluations_to_resolve()) {
            return by_direct();
        }
        const double least = std::min(first_tightness, 1e-14 / request_.rtol);  // below it there is only rounding
        double tightness = first_tightness;
        auto last = pass(sweeps_ + 1, looser * tightness, 2);
        for (int passes = 1; passes < most_passes; ++passes) {
            // NOTE: steps that are given may be short enough where twice as long ones are not.
            if (last.result.outcome != Outcome::completed && !(march_.choice().step && passes == 1)) {
                break;
            }
            if (sweeps_fall_short()) {
                ++sweeps_;
            }
            auto next = pass(last_sweeps_ == sweeps_ ? sweeps_ + 1 : sweeps_, tightness, 1);
            const double worst = estimate(last, next);
            last = std::move(next);
            stalled_ = worst > 0.3 * excess_;
            excess_ = worst;
            if (worst <= 1 || tightness == least || march_.choice().step || request_.options.sweeps) {
                break;
            }
            tightness = std::max(least, tightness * std::clamp(0.3 / worst, 1e-2, 0.3));
        }
        return finished(std::move(last));
    }

private:
    /// Chooses the fewest sweeps that leave out less of the force than the tolerance allows: what is left out becomes an error of the motion
    /// within the slow time.
    void judge_start() {
        const auto y = motion_.start(0);
        if (motion_.violation()) {
            return;
        }
        const auto d = springs_.dimension();
        const auto& size = motion_.size();
        if (auto warning = fast_start(springs_, request_, std::span(y).first(d), std::span(y).last(d),
                                      motion_.expansion().acceleration(), size)) {
            record_.warnings.push_back(*std::move(warning));
        }
        allowed_ = 0.3 * (request_.atol + request_.rtol * size.length) / (size.time * size.time);
        const auto corrections = motion_.corrections(y);
        if (motion_.violation()) {
            return;
        }
        const auto next = std::span(corrections).subspan(1);
        auto enough = std::ranges::find_if(next, [&](double correction) { return correction <= allowed_; });
        if (enough == next.end()) {
            enough = std::ranges::min_element(next);
        }
        sweeps_ = static_cast<int>(request_.options.sweeps.value_or(static_cast<std::size_t>(enough - next.begin())));
        if (*enough > 100 * allowed_ && !request_.options.sweeps) {
            violation_ = {
                Outcome::no_scale_separation,
                fmt::format("after {} sweeps the force of the springs still changes by {:.1g}, where the "
                            "tolerance allows {:.1g}: the springs are not fast enough against the slow motion; "
                            "loosen rtol and atol, or use the method direct",
                            sweeps_, *enough, allowed_)};
        }
    }

    /// Of two marches, with one sweep more in the first.
    double expected_evaluations() const {
        constexpr double sides_a_slow_time = 40;
        constexpr std::array<double, 5> evaluations_a_side{1, 6, 20, 50, 100};
        const auto n = static_cast<std::size_t>(sweeps_);
        return sides_a_slow_time * (request_.t_end - request_.t_start) / motion_.size().time *
               (evaluations_a_side[n] + evaluations_a_side[n + 1]);
    }
    double evaluations_to_resolve() const {
        return lento::evaluations_to_resolve(motion_.spectrum(), request_.t_end - request_.t_start);
    }
    Solution by_direct() {
        Request request = request_;
        request.options = {};
        return direct_(request).handed_over(
            request_.method,
            fmt::format("the springs oscillate about {:.2g} times in the time of the slow motion: resolving that is "
                        "cheaper than an expansion, so direct was used",
                        motion_.spectrum().fastest * motion_.size().time / (2 * std::numbers::pi)),
            motion_.force_evaluations());
    }

    /// Whether the last march has met larger corrections on the way, or shorter steps did not help.
    bool sweeps_fall_short() const {
        const bool larger_on_the_way = last_sweeps_ == sweeps_ + 1 && motion_.last_correction() > allowed_;
        return (larger_on_the_way || stalled_) && !request_.options.sweeps && sweeps_ < ExpandedMotion::most_sweeps;
    }

    SlowPass pass(int sweeps, double tightness, int longer) {
        last_sweeps_ = sweeps;
        const auto y = motion_.start(sweeps);
        SlowPass result;
        if (const auto& violation = motion_.violation()) {
            result.result = {.outcome = violation->outcome, .reached = request_.t_start};
            result.result.explanation = violation->sentence;
            result.final_state = y;
        } else {
            result = march_.run(motion_.acceleration(sweeps), y, tightness, longer);
        }
        auto& statistics = record_.statistics;
        statistics.macro_steps += result.result.steps;
        statistics.rejected_steps += result.result.rejected;
        statistics.newton_iterations += result.result.newton_iterations;
        statistics.projections += 1;
        statistics.projection_iterations += motion_.manifold().iterations();
        return result;
    }

    /// Two passes differ in sweeps and in steps: their difference is what the worse of them is wrong by. The largest, over its tolerance.
    double estimate(const SlowPass& one, const SlowPass& other) {
        if (one.result.outcome != Outcome::completed) {
            return HUGE_VAL;
        }
        constexpr double safety = 2;
        const double rounding =
            std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(other.result.steps + 1));
        record_.error_estimate = march_.differences(one, other);
        double worst = 0;
        for (std::size_t i = 0; i < other.scales.size(); ++i) {
            record_.error_estimate[i] = safety * record_.error_estimate[i] + rounding * other.scales[i];
            worst = larger(worst, record_.error_estimate[i] / (request_.atol + request_.rtol * other.scales[i]));
        }
        return worst;
    }

    Solution not_started() {
        const auto& violation = violation_ ? *violation_ : *motion_.violation();
        SlowPass none;
        none.result = {.outcome = violation.outcome, .reached = request_.t_start};
        none.result.explanation = violation.sentence;
        none.final_state = request_.start;
        none.final_state.insert(none.final_state.end(), request_.velocity.begin(), request_.velocity.end());
        return finished(std::move(none));
    }

    Solution finished(SlowPass pass) {
        auto& result = pass.result;
        if (const auto& failure = motion_.failure(); failure && result.outcome == Outcome::diverged) {
            result.outcome = failure->outcome;
            result.explanation = failure->sentence;
        } else if (result.culprit) {
            result.explanation +=
                fmt::format(" (first in {})", springs_.names()[*result.culprit % springs_.dimension()]);
        }
        describe(result);
        march_.send_samples(pass);
        return Solution(std::move(record_), std::move(pass.trajectory),
                        snapshot_of(result.reached, pass.final_state, springs_.dimension(), 0), {});
    }

    void describe(const MarchResult& result) {
        record_.method = bounded_derivative_description.name;
        record_.requested_method = request_.method;
        record_.slow_is = bounded_derivative_description.slow_is;
        record_.outcome = result.outcome;
        record_.explanation = result.explanation;
        record_.t_end = result.reached;
        if (result.outcome != Outcome::completed) {
            record_.error_estimate.clear();
        } else if (excess_ > 1 && !record_.error_estimate.empty()) {
            record_.warnings.push_back(fmt::format("the estimate of the error is {:.1g} times the tolerance", excess_));
        }
        record_.options = {{"macro", march_.choice().name}, {"sweeps", fmt::format("{}", last_sweeps_)}};
        if (march_.choice().step) {
            record_.options.push_back({"macro_step", fmt::format("{}", *march_.choice().step)});
        }
        auto& statistics = record_.statistics;
        statistics.slow_evaluations = motion_.evaluations();
        statistics.force_evaluations = motion_.force_evaluations();
        const double direct = evaluations_to_resolve();
        if (result.outcome == Outcome::completed && static_cast<double>(statistics.force_evaluations) > direct) {
            record_.warnings.push_back(fmt::format(
                "{} force evaluations, where resolving every oscillation would take about {:.0f}: the method direct is "
                "the better choice here",
                statistics.force_evaluations, direct));
        }
        statistics.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    }

    static constexpr double first_tightness = 0.02;  // the share of the tolerance that a step may err by
    static constexpr double looser = 3;              // the first march, whose error is that of the second at most
    static constexpr int most_passes = 6;

    std::chrono::steady_clock::time_point began_;
    const StiffMotion& springs_;
    const DirectRun& direct_;
    Request request_;
    ExpandedMotion motion_;
    SlowMarch march_;
    std::optional<Violation> violation_;
    int sweeps_ = 0, last_sweeps_ = 0;
    double allowed_ = 0;        // correction of the acceleration
    double excess_ = HUGE_VAL;  // of the estimate, over the tolerance
    bool stalled_ = false;
    RunRecord record_;
};

}  // namespace

Solution bounded_derivative(const StiffMotion& motion, const Request& request, const DirectRun& direct) {
    return BoundedDerivativeRun(motion, request, direct).solve();
}

SlowPoint expanded_point(const StiffMotion& motion, const Request& given) {
    Request request = given;
    // NOTE: there is no run; the slow motion alone says how fast it is.
    request.t_end = request.t_start + 1e9 * spring_scales(motion.springs()).slowest;
    request.options = only(request.options, projection_option_names(bounded_derivative_description.name));
    request = checked(request, motion.dimension());
    ExpandedMotion expanded(motion, request);
    SlowPoint result;
    std::vector<double> y, corrections;
    if (!expanded.violation()) {
        y = expanded.start(0);
    }
    if (!expanded.violation()) {
        corrections = expanded.corrections(y);
    }
    if (!expanded.violation()) {
        // Expansions of this kind need not converge: they end with the least correction.
        const auto least = std::ranges::min_element(corrections) - corrections.begin();
        const auto most = std::min<std::ptrdiff_t>(least, ExpandedMotion::most_sweeps);
        y = expanded.start(static_cast<int>(request.options.sweeps.value_or(static_cast<std::size_t>(most))));
    }
    result.force_evaluations = expanded.force_evaluations();
    if (const auto& violation = expanded.violation()) {
        result.outcome = violation->outcome;
        result.explanation = violation->sentence;
        return result;
    }
    const auto middle = y.begin() + static_cast<std::ptrdiff_t>(motion.dimension());
    result.position.assign(y.begin(), middle);
    result.velocity.assign(middle, y.end());
    for (std::size_t j = 0; j < motion.springs().size(); ++j) {
        result.springs.push_back(motion.springs()[j].name);
        result.multipliers.push_back(expanded.expansion().multipliers()[j]);
        result.elongations.push_back(result.multipliers.back() / motion.springs()[j].strength);
    }
    result.iterations = expanded.manifold().iterations();
    result.residual = expanded.manifold().residual();
    const auto last = expanded.expansion().corrections();
    if (last.size() > 1 && last.back() > 1e-4 * last.front()) {
        result.warnings.push_back(
            fmt::format("multipliers are uncertain by about {:.1g} of their size, what the last sweep changed; stiffer "
                        "springs make "
                        "that less",
                        last.back() / last.front()));
    }
    return result;
}

}  // namespace lento
