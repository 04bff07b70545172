#include "average/slow_average.hpp"

#include <utility>

#include "average/stepped_flow.hpp"
#include "lento/base/misuse.hpp"
#include "step/catalogue.hpp"
#include "step/partitioned_verlet.hpp"

namespace lento {
namespace {

template <template <class, std::size_t> class Stepper, class... Given>
std::unique_ptr<SlowAverage> on_variables(const Problem& problem, double t_start, Given... stepper) {
    return std::make_unique<SlowAverageOf<RateFlow<Stepper>>>(problem, t_start, std::move(stepper)...);
}

template <template <class, std::size_t> class Stepper>
std::unique_ptr<SlowAverage> on_coordinates(const Problem& problem, double t_start) {
    return std::make_unique<SlowAverageOf<MotionFlow<Stepper>>>(problem, t_start);
}

}  // namespace

std::vector<std::string> slow_micro_steppers() {
    return {"verlet", "rk4", "dopri8"};
}

std::unique_ptr<SlowAverage> slow_average(const Problem& problem, std::string_view micro, double t_start, In start) {
    require_one_of("micro", micro, slow_micro_steppers());
    if (problem.second_order) {
        return micro == "verlet" ? on_coordinates<Verlet>(problem, t_start)
               : micro == "rk4"  ? on_coordinates<RungeKutta4OnMotion>(problem, t_start)
                                 : on_coordinates<PrinceDormandOnMotion>(problem, t_start);
    }
    if (micro == "rk4") {
        return on_variables<RungeKutta4>(problem, t_start);
    }
    if (micro == "dopri8") {
        return on_variables<PrinceDormand>(problem, t_start);
    }
    auto parts = partition_of(problem, t_start, start);
    if (!parts) {
        throw Misuse(
            "micro = verlet needs variables that are positions and momenta, q' = B p with B constant and p' = g(q, t), "
            "and these are not; take rk4 or dopri8");
    }
    return on_variables<PartitionedVerlet>(problem, t_start, PartitionedVerlet<double>(std::move(*parts)));
}

std::optional<Partition> partition_of(const Problem& problem, double t_start, In start) {
    if (problem.second_order) {
        Partition parts;
        for (std::size_t i = 0; i < problem.dimension(); ++i) {
            parts.positions.push_back(i);
            parts.momenta.push_back(problem.dimension() + i);
        }
        return parts;
    }
    return partition_of(
        [&](In y, int probe, Out rate) {
            constexpr double aside = 0.37;
            std::vector<double> theta;
            for (const auto& phase : problem.phases) {
                theta.push_back(phase.at(t_start) + aside * probe);
            }
            problem.forces.at(y.data(), nullptr, t_start + aside * probe, theta.data(), problem.parameters.data(),
                              rate.data());
        },
        start);
}

}  // namespace lento
