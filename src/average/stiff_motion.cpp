#include "lento/average/stiff_motion.hpp"

#include <cmath>
#include <cstddef>

#include <Eigen/Core>

namespace lento {

double StiffMotion::spring_energy(double t, std::span<const double> x, std::span<const double> v) const {
    std::vector<double> g(measures()), dg(measures());
    values(t, x, g);
    rates(t, x, v, dg);
    double energy = 0;
    for (const auto& spring : springs_) {
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            energy += spring.strength / 2 * (g[m] * g[m] + std::pow(dg[m] / spring.frequency, 2));
        }
    }
    return energy;
}

double StiffMotion::kinetic_energy(std::span<const double> v) const {
    if (mass_.is_diagonal()) {
        double energy = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            energy += v[i] * v[i] / mass_.inverse_entry(i, i) / 2;
        }
        return energy;
    }
    const Eigen::Map<const Eigen::VectorXd> velocity(v.data(), static_cast<Eigen::Index>(v.size()));
    return velocity.dot(mass_.matrix() * velocity) / 2;
}

}  // namespace lento
