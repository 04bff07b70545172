#include "lento/method/relaxed.hpp"

namespace lento {

double relaxation_frequency(double slow_time, double rtol) {
    const double separation = std::sqrt(1e5 / rtol);
    return std::clamp(separation, 1e4, 1e7) / slow_time;
}

}  // namespace lento
