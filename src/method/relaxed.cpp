#include "lento/method/relaxed.hpp"

namespace lento {

double relaxation_frequency(double slow_time, double rtol) {
    const double separation = std::sqrt(1e5 / rtol);
    return std::clamp(separation, 1e4, 1e7) / slow_time;
}

double relaxation_frequency_beside(const std::vector<SpringEntry>& springs, double frequency) {
    constexpr double most_apart = 30;
    double limit = frequency;
    for (const auto& spring : springs) {
        if (spring.frequency < frequency / most_apart) {
            limit = std::min(limit, most_apart * spring.frequency);
        }
    }
    return limit;
}

}  // namespace lento
