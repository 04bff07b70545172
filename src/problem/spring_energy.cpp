#include "problem/spring_energy.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

namespace lento {

double spring_energy(const Problem& problem, double t, In x, In v) {
    const auto& measures = *problem.springs->measures;
    std::vector<double> g(measures.count()), dg(measures.count());
    measures.values(x, t, g);
    measures.rates(x, v, t, Clock::running, dg);
    double energy = 0;
    for (const auto& spring : problem.springs->entries) {
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            energy += spring.strength / 2 * (g[m] * g[m] + std::pow(dg[m] / spring.frequency, 2));
        }
    }
    return energy;
}

double kinetic_energy(const Problem& problem, In v) {
    const auto momentum = problem.mass.times(v);
    double energy = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        energy += v[i] * momentum[i] / 2;
    }
    return energy;
}

}  // namespace lento
