// A force is evaluated with numbers of several types. One that knows double alone still runs, with fewer methods.
#include <cmath>
#include <cstdio>
#include <span>

#include <lento/lento.hpp>

constexpr double omega = 1e5;

/// Helpers are templates too. A branch decides by the value of a series.
template <class S>
S stop(const S& angle) {
    const S beyond = lento::max(abs(angle), S(0.4)) - 0.4;  // both of one type: not max(abs(angle), 0.4)
    return angle < 0 ? 5000 * pow(beyond, 3) : -5000 * pow(beyond, 3);
}

/// A force from elsewhere.
double pivot(double theta, double angle) {
    return (9.8 + 4 * omega * std::cos(theta)) / 0.2 * std::sin(angle);
}

int main() {
    const auto with_series = lento::vibrated_system(1, omega, [](auto x, auto v, auto, auto theta, auto f) {
        typename decltype(f)::value_type sum = 0;  // not auto sum = 0.0, which would be a double
        sum += (9.8 + 4 * omega * cos(theta)) / 0.2 * sin(x[0]);
        sum -= 0.2 * v[0];
        f[0] = sum + stop(x[0]);
    });
    // Its types say that this one takes double alone.
    const auto with_double = lento::vibrated_system(
        1, omega, [](std::span<const double> x, std::span<const double> v, double, double theta, std::span<double> f) {
            f[0] = pivot(theta, x[0]) - 0.2 * v[0] + stop(x[0]);
        });

    const lento::Request request{.start = {0.3}, .velocity = {3}, .t_end = 1};
    for (const lento::Problem& problem : {with_series, with_double}) {
        const auto solution = lento::solve(problem, request);
        std::printf("%-13s %-10s %.5f, %s after %ld force evaluations\n",
                    problem.takes_series() ? "takes series:" : "double alone:", solution.record().method.c_str(),
                    solution.fast(1).position[0], lento::name_of(solution.outcome()).data(),
                    static_cast<long>(solution.statistics().force_evaluations));
    }
}
