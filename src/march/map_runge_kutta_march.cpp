/// Multirevolution Runge-Kutta methods.
#include <utility>

#include "march/map_journey.hpp"
#include "step/map_runge_kutta.hpp"

namespace lento {
namespace map_march {
namespace {

/// The cubic P with P(0) = z_0, P(N) = z_1, P(1) - P(0) = D_0, P(N+1) - P(N) = D_1.
StepPolynomial cubic_of_map(double N, const State& z0, const State& D0, const State& z1, const State& D1) {
    StepPolynomial p{std::vector<State>(4, State(z0.size(), 0.0))};
    const double e = 1 / N;
    for (std::size_t i = 0; i < z0.size(); ++i) {
        const double whole = z1[i] - z0[i];
        const double B = (D1[i] - D0[i]) / e;
        const double G = N > 1 ? (D0[i] / e - whole) / (e - 1) : B / 2;
        const double c = (B - 2 * G) / (1 + e);
        const double b = 3 * G - B;
        p.coefficients[0][i] = z0[i];
        p.coefficients[1][i] = whole - b - c;
        p.coefficients[2][i] = b;
        p.coefficients[3][i] = c;
    }
    return p;
}

}  // namespace
}  // namespace map_march

MapMarch march_map_runge_kutta(const MapChange& change, const MapMarchSettings& settings, std::vector<double>& z,
                               const StepListener& listener, const std::stop_token& stop) {
    using namespace map_march;
    Journey journey(change, settings, z, listener);
    const auto stages = static_cast<std::size_t>(settings.order);
    std::vector<State> Z(stages), D(stages, State(z.size()));
    while (journey.goes_on(stop)) {
        const double N = journey.within_reach(static_cast<double>(settings.periods_per_step.value_or(1)));
        State next = journey.z();
        State there(z.size());
        if (N <= static_cast<double>(stages)) {  // as many maps are exact
            next = plus(next, journey.D());
            for (int m = 1; m < static_cast<int>(N); ++m) {
                journey.evaluate(next, there);
                next = plus(next, there);
            }
        } else {
            const auto tableau = multirevolution_tableau(settings.order, N);
            D[0] = journey.D();
            for (std::size_t s = 0; s < stages; ++s) {
                Z[s] = journey.z();
                for (std::size_t j = 0; j < s; ++j) {
                    for (std::size_t i = 0; i < z.size(); ++i) {
                        Z[s][i] += tableau.a[s][j] * D[j][i];
                    }
                }
                if (s > 0) {
                    journey.evaluate(Z[s], D[s]);
                }
                for (std::size_t i = 0; i < z.size(); ++i) {
                    next[i] += tableau.b[s] * D[s][i];
                }
            }
            if (stages > 1) {  // of order 4 they are at the same time
                journey.note_slope(N, Z[stages - 2 - stages / 4], D[stages - 2 - stages / 4],
                                   Z[stages - 1 - stages / 4], D[stages - 1 - stages / 4]);
            }
        }
        journey.evaluate(next, there);
        auto culprit = first_not_finite(next);
        culprit = culprit ? culprit : first_not_finite(there);
        if (culprit) {
            journey.fail_after(journey.t(), *culprit);
            break;
        }
        const auto polynomial = cubic_of_map(N, journey.z(), journey.D(), next, there);
        journey.arrive(N, std::move(next), std::move(there), polynomial);
    }
    return std::move(journey).finished();
}

}  // namespace lento
