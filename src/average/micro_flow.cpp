#include "average/micro_flow.hpp"

#include <utility>

#include "average/constrained_flow.hpp"
#include "average/splitting_flow.hpp"
#include "average/stepped_flow.hpp"
#include "lento/base/misuse.hpp"
#include "problem/time_scales.hpp"
#include "step/catalogue.hpp"

namespace lento {

PhaseClock::PhaseClock(const std::vector<Phase>& phases, std::optional<double> period, double t_start)
    : theta_(phases.size()) {
    for (const auto& phase : phases) {
        start_.push_back(phase.at(t_start));
        turns_.push_back(period ? std::round(*period / phase.period()) : 0.0);
    }
}

PhaseClock::PhaseClock(const Problem& problem, double t_start)
    : PhaseClock(problem.phases, common_period(problem), t_start) {}

std::vector<std::string> micro_steppers(const Problem& problem) {
    if (problem.constraints) {
        return {"herk3", "herk4", "dopri8"};
    }
    if (problem.second_order) {
        auto names = stepper_names();
        names.push_back("dopri8");
        return names;
    }
    auto names = problem.exact ? splitting_names() : std::vector<std::string>();
    names.insert(names.end(), rate_stepper_names().begin(), rate_stepper_names().end());
    return names;
}

std::string usual_micro_stepper(const Problem& problem) {
    return problem.exact ? "aba104" : "dopri8";
}

std::unique_ptr<MicroFlow> micro_flow(const Problem& problem, std::string_view micro, double t_start) {
    if (problem.constraints) {
        require_one_of("micro", micro, micro_steppers(problem));
        if (micro == "herk3") {
            return std::make_unique<HalfExplicitFlow<HalfExplicit3>>(problem, t_start);
        }
        if (micro == "herk4") {
            return std::make_unique<HalfExplicitFlow<HalfExplicit4>>(problem, t_start);
        }
        return std::make_unique<ReducedFlow>(problem, t_start);
    }
    if (problem.second_order) {
        const auto made = [&](auto choice) -> std::unique_ptr<MicroFlow> {
            if (problem.dimension() == 1) {
                return std::make_unique<MotionFlow<decltype(choice)::template Stepper, 1>>(problem, t_start);
            }
            return std::make_unique<MotionFlow<decltype(choice)::template Stepper>>(problem, t_start);
        };
        return micro == "dopri8" ? made(StepperChoice<PrinceDormandOnMotion>{}) : with_stepper(micro, "micro", made);
    }
    if (problem.exact) {
        require_one_of("micro", micro, micro_steppers(problem));
        if (const auto coefficients = splitting_of(micro)) {
            return std::make_unique<SplittingFlow>(problem, *coefficients, t_start);
        }
    }
    return with_rate_stepper(micro, "micro", [&](auto choice) -> std::unique_ptr<MicroFlow> {
        return std::make_unique<RateFlow<decltype(choice)::template Stepper>>(problem, t_start);
    });
}

}  // namespace lento
