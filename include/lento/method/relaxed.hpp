/// Constraints through springs, "DAEs without algebraic equations" (slow-manifold, section 6.5): each constraint becomes a stiff spring, and
/// a method for springs does the rest. The multipliers of the result are those of the constraints at its states.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/stiff_motion.hpp"
#include "lento/base/misuse.hpp"
#include "lento/method/hmm_stiff.hpp"
#include "lento/method/ipa.hpp"
#include "lento/method/request.hpp"
#include "lento/method/slow_size.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/probe.hpp"
#include "lento/problem/reduced_system.hpp"
#include "lento/problem/relaxed_system.hpp"
#include "lento/solution/solution.hpp"

namespace lento {

/// The frequency of the springs that stand for constraints. The slow motion of the springs is (omega T)^-2 off that of the constraints, T the
/// slow time, with a factor of some hundreds; what rounding leaves in windows grows as omega T 1e-16. The first is kept to a hundredth
/// of the tolerance, as far as the second allows.
double relaxation_frequency(double slow_time, double rtol);

/// Not more than thirty times the frequency of other springs, which windows have to cover while they resolve these.
double relaxation_frequency_beside(const std::vector<SpringEntry>& springs, double frequency);

/// k_j such that each spring by itself has the given frequency at x: omega^2 / (g' M^-1 g'^T)_jj.
template <class Free, class Constraints>
std::vector<double> relaxation_strengths(const ConstrainedSystem<Free, Constraints>& system, std::span<const double> x,
                                         double t, double frequency) {
    const auto& pattern = system.constraints().pattern();
    std::vector<double> gradient(pattern.entries());
    system.constraints().gradient(x, t, gradient);
    std::vector<double> strengths;
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        double square = 0;
        for (std::size_t a = pattern.start(j); a < pattern.start(j + 1); ++a) {
            for (std::size_t b = pattern.start(j); b < pattern.start(j + 1); ++b) {
                square += gradient[a] * gradient[b] * system.mass().inverse_entry(pattern.column(a), pattern.column(b));
            }
        }
        if (!(square > 0) || !std::isfinite(square)) {
            throw Misuse(
                fmt::format("the constraint {} has a vanishing gradient at the start; as a spring it has no "
                            "frequency there. Write it so that its gradient is not zero",
                            system.constraints().names()[j]));
        }
        strengths.push_back(frequency * frequency / square);
    }
    return strengths;
}

template <class System>
struct RelaxedSystem {
    System system;
    double frequency;
};

/// Adds the multipliers of the constraints to a state y = (x, v).
template <class Free, class Constraints>
class WithMultipliers {
public:
    explicit WithMultipliers(const ConstrainedSystem<Free, Constraints>& system)
        : force_(std::make_shared<ReducedForce<Free, Constraints>>(system)), dimension_(system.dimension()) {}

    void operator()(double t, std::vector<double>& y) const {
        std::vector<double> f(dimension_);
        (*force_)(std::span(y).first(dimension_), std::span(y).subspan(dimension_, dimension_), t, {}, f);
        y.resize(2 * dimension_);
        for (int copies = 0; copies < 2; ++copies) {  // without a vibration the mean total ones are the same
            y.insert(y.end(), force_->multipliers().begin(), force_->multipliers().end());
        }
    }

private:
    std::shared_ptr<ReducedForce<Free, Constraints>> force_;
    std::size_t dimension_;
};

/// The springs that stand for the constraints in a run.
template <class Free, class Constraints>
auto relaxed_for(const ConstrainedSystem<Free, Constraints>& system, const Request& request) {
    const auto without_multipliers = reduced(system);
    Acceleration acceleration(without_multipliers);
    const auto a = probe_detail::acceleration_at(acceleration, request.start, request.velocity, request.t_start,
                                                 system.free().phases_at(request.t_start));
    const double run = std::isfinite(request.t_end) ? request.t_end - request.t_start : HUGE_VAL;
    const SlowSize size(request.start, request.velocity, a, run);
    const double time = std::isfinite(size.time) && size.time > 0 ? size.time : 1;
    const auto with = [&](double frequency) {
        return relaxed(system, frequency, relaxation_strengths(system, request.start, request.t_start, frequency));
    };
    const double wanted = relaxation_frequency(time, request.rtol);
    const double frequency = relaxation_frequency_beside(with(wanted).springs().entries(), wanted);
    auto stiff = with(frequency);
    return RelaxedSystem<decltype(stiff)>{std::move(stiff), frequency};
}

template <class Free, class Constraints>
Solution solve_relaxed(const ConstrainedSystem<Free, Constraints>& system, const Request& given) {
    Request request = checked(given, system.dimension());
    if (!system.phases().empty()) {
        throw Misuse(fmt::format(
            "method {} relaxes constraints to springs and has no place for the phase {}; use rattle-shake or direct",
            request.method, system.phases().front().name));
    }
    const auto [stiff, frequency] = relaxed_for(system, request);
    const WithMultipliers<Free, Constraints> complete(system);
    if (request.sink) {
        request.sink = [complete, sink = request.sink](double t, std::span<const double> y) {
            std::vector<double> whole(y.begin(), y.end());
            complete(t, whole);
            sink(t, whole);
        };
    }
    const SpringsMotion motion(stiff);
    auto solution = request.method == ipa_description.name ? ipa(motion, request) : hmm_stiff(motion, request);
    return std::move(solution)
        .with_option({"relaxed_to", fmt::format("springs of frequency {:.3g}", frequency)})
        .completed_by(complete);
}

}  // namespace lento
