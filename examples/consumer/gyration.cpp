// A charged particle in a strong magnetic field, which turns it round so fast that only its drift is of interest. The turning alone is
// solved exactly, by a flow of one's own.
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>

#include <lento/lento.hpp>

/// x' = u, y' = v, u' = w v, v' = -w u: with a = w h, the velocity turns by -a and the position goes round a circle.
struct Gyration {
    double w;

    template <class S>
    void field(std::span<const S> y, std::span<S> rate) const {
        rate[0] = y[2];
        rate[1] = y[3];
        rate[2] = w * y[3];
        rate[3] = -w * y[2];
    }
    /// What the motion adds in the time h, without cancellation: 1 - cos a = 2 sin^2(a/2).
    template <class S>
    bool increment(double h, std::span<const S> y, std::span<S> du) {
        const double sine = std::sin(w * h), less = 2 * std::sin(w * h / 2) * std::sin(w * h / 2);
        du[0] = (sine * y[2] + less * y[3]) / w;
        du[1] = (sine * y[3] - less * y[2]) / w;
        du[2] = sine * y[3] - less * y[2];
        du[3] = -sine * y[2] - less * y[3];
        return true;
    }

    /// Why there was no such motion.
    std::optional<std::string> failure() const { return std::nullopt; }
};
static_assert(lento::SeriesFlow<Gyration>);  // field and increment are templates: the method harmonic takes it

int main() {
    const double w = 1e3;
    const auto whole = lento::first_order_system(4, [=](auto y, auto, auto rate) {
        rate[0] = y[2];
        rate[1] = y[3];
        rate[2] = w * y[3] - y[0] - y[1] / 4;
        rate[3] = -w * y[2] - y[0] / 4 - 2 * y[1];
    });
    const auto particle = lento::split(whole.with_period(2 * M_PI / w), Gyration{w});
    const auto solution = lento::solve(particle, {.start = {0.3, 0.2, 0.7, -0.2}, .t_end = 5000});
    for (const double t : {1000.0, 3000.0, 5000.0}) {
        const auto y = solution.fast(t).position;
        std::printf("t = %.0f  particle (%+.5f, %+.5f), centre (%+.5f, %+.5f)\n", t, y[0], y[1], y[0] + y[3] / w,
                    y[1] - y[2] / w);
    }
    const auto& record = solution.record();
    std::printf("%s by %s after %ld evaluations; error below %.1e\n", lento::name_of(record.outcome).data(),
                record.method.c_str(), static_cast<long>(record.statistics.force_evaluations),
                record.error_estimate.at(0));
    return record.outcome == lento::Outcome::completed ? 0 : 1;
}
