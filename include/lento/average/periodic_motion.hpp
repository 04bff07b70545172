/// Systems with a fast period behind one face, so that methods for them are compiled once. Only what is called once a stretch of the fast
/// motion is indirect.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/average/constrained_flow.hpp"
#include "lento/average/micro_flow.hpp"
#include "lento/average/motion_facts.hpp"
#include "lento/average/splitting_flow.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/split_system.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/step/catalogue.hpp"

namespace lento {

class PeriodicMotion : public MotionFacts {
public:
    virtual ~PeriodicMotion() = default;

    virtual std::vector<std::string> micros() const = 0;
    virtual std::string usual_micro() const = 0;
    /// The fast motion with the micro-stepper of that name, phases starting as they stand at t_start. Misuse if there is none of that name.
    virtual std::unique_ptr<MicroFlow> flow(std::string_view micro, double t_start) const = 0;
    /// The constraints, if there are any.
    virtual std::unique_ptr<Ground> ground() const { return nullptr; }

protected:
    using MotionFacts::MotionFacts;
};

template <class System>
class PeriodicVariables final : public PeriodicMotion {
public:
    explicit PeriodicVariables(System system)
        : PeriodicMotion(system, Unknowns::variables), system_(std::move(system)) {}

    std::vector<std::string> micros() const override { return rate_stepper_names(); }
    std::string usual_micro() const override { return "dopri8"; }
    std::unique_ptr<MicroFlow> flow(std::string_view micro, double t_start) const override {
        return with_rate_stepper(micro, "micro", [&](auto choice) -> std::unique_ptr<MicroFlow> {
            using Made = RateFlow<System, decltype(choice)::template Stepper>;
            return std::make_unique<Made>(system_, clock(t_start));
        });
    }

private:
    System system_;
};

/// With an exactly solvable part: splittings, and every stepper for the whole.
template <class Rate, ExactFlow Flow>
class PeriodicSplit final : public PeriodicMotion {
public:
    explicit PeriodicSplit(SplitSystem<Rate, Flow> system)
        : PeriodicMotion(system, Unknowns::variables), system_(std::move(system)), whole_(system_.whole()) {}

    std::vector<std::string> micros() const override {
        auto names = splitting_names();
        names.insert(names.end(), rate_stepper_names().begin(), rate_stepper_names().end());
        return names;
    }
    std::string usual_micro() const override { return "aba104"; }
    std::unique_ptr<MicroFlow> flow(std::string_view micro, double t_start) const override {
        require_one_of("micro", micro, micros());
        if (const auto coefficients = splitting_of(micro)) {
            return std::make_unique<SplittingFlow<Rate, Flow>>(system_, *coefficients, clock(t_start));
        }
        return whole_.flow(micro, t_start);
    }

private:
    SplitSystem<Rate, Flow> system_;
    PeriodicVariables<FirstOrderSystem<Rate>> whole_;
};

template <class System>
class PeriodicCoordinates final : public PeriodicMotion {
public:
    explicit PeriodicCoordinates(System system)
        : PeriodicMotion(system, Unknowns::coordinates), system_(std::move(system)) {}

    std::vector<std::string> micros() const override {
        auto names = stepper_names();
        names.push_back("dopri8");
        return names;
    }
    std::string usual_micro() const override { return "dopri8"; }
    std::unique_ptr<MicroFlow> flow(std::string_view micro, double t_start) const override {
        const auto made = [&](auto choice) -> std::unique_ptr<MicroFlow> {
            using Made = MotionFlow<System, decltype(choice)::template Stepper>;
            return std::make_unique<Made>(system_, clock(t_start));
        };
        if (micro == "dopri8") {
            return made(StepperChoice<PrinceDormandOnMotion>{});
        }
        return with_stepper(micro, "micro", made);
    }

private:
    System system_;
};

template <class Free, class Constraints>
class PeriodicOnConstraints final : public PeriodicMotion {
public:
    using System = ConstrainedSystem<Free, Constraints>;

    explicit PeriodicOnConstraints(System system)
        : PeriodicMotion(system, Unknowns::coordinates), system_(std::move(system)) {}

    std::vector<std::string> micros() const override { return {"herk3", "herk4", "dopri8"}; }
    std::string usual_micro() const override { return "dopri8"; }
    std::unique_ptr<MicroFlow> flow(std::string_view micro, double t_start) const override {
        require_one_of("micro", micro, micros());
        if (micro == "herk3") {
            return std::make_unique<HalfExplicitFlow<Free, Constraints, HalfExplicit3>>(system_, clock(t_start));
        }
        if (micro == "herk4") {
            return std::make_unique<HalfExplicitFlow<Free, Constraints, HalfExplicit4>>(system_, clock(t_start));
        }
        return std::make_unique<ReducedFlow<Free, Constraints>>(system_, clock(t_start));
    }
    std::unique_ptr<Ground> ground() const override {
        return std::make_unique<ManifoldGround<Constraints>>(system_.mass(), system_.constraints());
    }

private:
    System system_;
};

}  // namespace lento
