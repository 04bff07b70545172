/// Systems with slow variables behind one face, so that methods for them are compiled once. Only what is called once a window is indirect.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/average/micro_flow.hpp"
#include "lento/average/motion_facts.hpp"
#include "lento/average/slow_rate.hpp"
#include "lento/base/misuse.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/partition.hpp"
#include "lento/problem/slow_variables.hpp"
#include "lento/problem/vibrated_system.hpp"
#include "lento/step/catalogue.hpp"
#include "lento/step/partitioned_verlet.hpp"

namespace lento {

class SlowProblem : public MotionFacts {
public:
    virtual ~SlowProblem() = default;

    virtual const std::vector<SlowName>& slow_names() const = 0;

    static std::vector<std::string> micros() { return {"verlet", "rk4", "dopri8"}; }
    /// Windows with the micro-stepper of that name, phases starting as they stand at t_start. Misuse if there is none of that name, or if it does
    /// not fit the system.
    virtual std::unique_ptr<SlowAverage> average(std::string_view micro, double t_start,
                                                 std::span<const double> start) const = 0;
    /// Which unknowns are positions and which momenta, if the system is of that kind.
    virtual std::optional<Partition> partition(double t_start, std::span<const double> start) const = 0;

protected:
    using MotionFacts::MotionFacts;
};

template <class System, class Slow>
class SlowVariables final : public SlowProblem {
public:
    SlowVariables(System system, Slow slow)
        : SlowProblem(system, Unknowns::variables), system_(std::move(system)), slow_(std::move(slow)) {}

    const std::vector<SlowName>& slow_names() const override { return slow_.names(); }

    std::unique_ptr<SlowAverage> average(std::string_view micro, double t_start,
                                         std::span<const double> start) const override {
        require_one_of("micro", micro, micros());
        if (micro == "rk4") {
            return made<RungeKutta4>(t_start);
        }
        if (micro == "dopri8") {
            return made<PrinceDormand>(t_start);
        }
        auto parts = partition(t_start, start);
        if (!parts) {
            throw Misuse(
                "micro = verlet needs variables that are positions and momenta, q' = B p with B constant and p' = g(q, "
                "t), and "
                "these are not; take rk4 or dopri8");
        }
        return made<PartitionedVerlet>(t_start, PartitionedVerlet<double>(std::move(*parts)));
    }

    std::optional<Partition> partition(double t_start, std::span<const double> start) const override {
        return partition_of(
            [&](std::span<const double> y, int probe, std::span<double> rate) {
                constexpr double aside = 0.37;
                std::vector<double> theta;
                for (const auto& phase : phases()) {
                    theta.push_back(phase.at(t_start) + aside * probe);
                }
                system_.template rate<double>(y, t_start + aside * probe, theta, rate);
            },
            start);
    }

private:
    template <template <class, std::size_t> class Stepper, class... Given>
    std::unique_ptr<SlowAverage> made(double t_start, Given... stepper) const {
        return std::make_unique<SlowAverageOf<RateFlow<System, Stepper>, Slow>>(
            slow_, phases(), clock(t_start), system_, clock(t_start), std::move(stepper)...);
    }

    System system_;
    Slow slow_;
};

template <class System, class Slow>
class SlowCoordinates final : public SlowProblem {
public:
    SlowCoordinates(System system, Slow slow)
        : SlowProblem(system, Unknowns::coordinates), system_(std::move(system)), slow_(std::move(slow)) {}

    const std::vector<SlowName>& slow_names() const override { return slow_.names(); }

    std::unique_ptr<SlowAverage> average(std::string_view micro, double t_start,
                                         std::span<const double>) const override {
        require_one_of("micro", micro, micros());
        return micro == "verlet" ? made<Verlet>(t_start)
               : micro == "rk4"  ? made<RungeKutta4OnMotion>(t_start)
                                 : made<PrinceDormandOnMotion>(t_start);
    }

    std::optional<Partition> partition(double, std::span<const double>) const override {
        Partition parts;
        for (std::size_t i = 0; i < names().size(); ++i) {
            parts.positions.push_back(i);
            parts.momenta.push_back(names().size() + i);
        }
        return parts;
    }

private:
    template <template <class, std::size_t> class Stepper>
    std::unique_ptr<SlowAverage> made(double t_start) const {
        return std::make_unique<SlowAverageOf<MotionFlow<System, Stepper>, Slow>>(slow_, phases(), clock(t_start),
                                                                                  system_, clock(t_start));
    }

    System system_;
    Slow slow_;
};

template <class Force, std::size_t Extent, class Slow>
std::shared_ptr<const SlowProblem> slow_problem(const SlowSystem<VibratedSystem<Force, Extent>, Slow>& given) {
    return std::make_shared<SlowCoordinates<VibratedSystem<Force, Extent>, Slow>>(given.system, given.slow);
}
template <class Rate, class Slow>
std::shared_ptr<const SlowProblem> slow_problem(const SlowSystem<FirstOrderSystem<Rate>, Slow>& given) {
    return std::make_shared<SlowVariables<FirstOrderSystem<Rate>, Slow>>(given.system, given.slow);
}

}  // namespace lento
