/// A first-order system with a large part whose flow is periodic and known, y' = A(y) + B(y, t, theta), in unknowns that the large part leaves
/// alone. With phi the flow of A, T its period and tau = t mod T
///
///     y = phi_tau(z),     z' = D phi_{-tau}(y) [B(y, t, theta)]
///
/// a rate of the size of B that depends on time slowly and through tau. It is evaluated at tau_k = k T / m.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/average/phase_field.hpp"
#include "lento/base/jet.hpp"
#include "lento/problem/exact_flow.hpp"
#include "lento/problem/split_system.hpp"

namespace lento {

template <class Rate, SeriesFlow Flow>
class FlowField final : public PhaseField {
public:
    explicit FlowField(const SplitSystem<Rate, Flow>& system)
        : PhaseField(system, false, PhaseFrom::flow),
          whole_(system.whole()),
          flow_(system.exact()),
          numbers_(5 * dimension()),
          series_(5 * dimension()) {}

    void enter(double t, std::span<double> y) override { move(-time_of_flow(phase(t)), y); }
    void leave(double t, std::span<double> z) override { move(time_of_flow(phase(t)), z); }

    /// Why the last motion along the flow that was not possible was not, if that was so.
    std::optional<std::string> failure() const { return failure_; }

    /// Why the declared period T is not one of the flow, if it is not: phi_T has to leave y alone, and the points near it. What it moves them
    /// by adds up over the periods of a run, and has to stay below the tolerance, relative to the sizes of the components.
    std::optional<std::string> not_periodic(std::span<const double> y, double periods, double tolerance) {
        if (!period() || y.size() != dimension()) {
            return std::nullopt;
        }
        const double T = *period();
        Excursion excursion(y);
        constexpr int looks = 8;
        for (int k = 0; k <= looks; ++k) {
            if (!flow_.increment(k * T / looks, y, std::span(excursion.moved)) ||
                !carry<double>(flow_, k * T / looks, y, excursion.direction, excursion.turned)) {
                return fmt::format("the exactly solved part has no motion from the start over {:.6g}: {}",
                                   k * T / looks, flow_.failure().value_or("it is not finite"));
            }
            excursion.include(y);
        }
        constexpr double rounding = 1e-11;
        constexpr double rounding_near = 1e-6;  // near the centre of an orbit directions turn fast
        const double most = std::max(rounding, tolerance / std::max(periods, 1.0));
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double scale = excursion.scales[i];
            if (!(std::abs(excursion.moved[i]) <= most * scale)) {
                return fmt::format(
                    "the exactly solved part does not have the period {:.12g}: after it {} is {:.3g} away from its "
                    "start, {:.2g} of its size, where {:.2g} is allowed",
                    T, names()[i], excursion.moved[i], std::abs(excursion.moved[i]) / scale, most);
            }
            if (!(std::abs(excursion.turned[i]) <= std::max(most, rounding_near) * scale)) {
                return fmt::format(
                    "the exactly solved part has the period {:.12g} only at the start, not near it: there {} changes "
                    "by {:.2g} of its distance from the start; a factor of the rates has to make all periods equal",
                    T, names()[i], std::abs(excursion.turned[i]) / scale);
            }
        }
        return std::nullopt;
    }

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double>,
                std::span<double> a) override {
        if (degree == 0) {
            rates<double>(degree, t, x, a, numbers_);
        } else {
            rates<Taylor>(degree, Taylor::variable(t, degree), x, a, series_);
        }
    }

    /// At all phases, with S the numbers to calculate with.
    template <class S>
    void rates(int degree, const S& t, std::span<const double> x, std::span<double> a, std::vector<S>& space) {
        const phase_field_detail::Layout layout{dimension(), points()};
        const std::size_t n = dimension();
        const std::span<S> whole(space);
        const auto z = whole.first(n);
        const auto result = whole.subspan(n, n);
        std::vector<S> angles(phases().size());
        for (std::size_t k = 0; k < points(); ++k) {
            if constexpr (std::is_same_v<S, double>) {
                layout.gather(x, k, z);
            } else {
                layout.gather(degree, x, k, z);
            }
            std::copy(theta(k).begin(), theta(k).end(), angles.begin());
            rate<S>(time_at(k), t, angles, z, result, whole.subspan(2 * n));
            if constexpr (std::is_same_v<S, double>) {
                layout.scatter(result, k, a);
            } else {
                layout.scatter(degree, result, k, a);
            }
        }
    }

    /// z' at one phase; the space is for y, B and A.
    template <class S>
    void rate(double tau, const S& t, std::span<const S> angles, std::span<const S> z, std::span<S> result,
              std::span<S> space) {
        const std::size_t n = dimension();
        const auto y = space.first(n);
        const auto rest = space.subspan(n, n);
        const auto large = space.subspan(2 * n, n);
        if (!flow_.increment(tau, z, y)) {
            return fail<S>(result);
        }
        for (std::size_t i = 0; i < n; ++i) {
            y[i] += z[i];
        }
        const std::span<const S> point(y);
        whole_.template rate<S>(point, t, angles, rest);
        flow_.field(point, large);
        for (std::size_t i = 0; i < n; ++i) {
            rest[i] -= large[i];
        }
        if (!carry<S>(flow_, -tau, point, std::span<const S>(rest), result)) {
            return fail<S>(result);
        }
        for (std::size_t i = 0; i < n; ++i) {
            result[i] += rest[i];
        }
    }

    void move(double tau, std::span<double> y) {
        std::vector<double> du(y.size());
        if (!flow_.increment(tau, std::span<const double>(y), std::span(du))) {
            return fail<double>(y);
        }
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] += du[i];
        }
    }

    template <class S>
    void fail(std::span<S> result) {
        failure_ = flow_.failure();
        std::fill(result.begin(), result.end(), S(std::numeric_limits<double>::quiet_NaN()));
    }

    double time_of_flow(double phase) const { return phase / frequency(); }
    /// tau_k, backwards where that is shorter.
    double time_at(std::size_t k) const { return (turns(k) > 0.5 ? turns(k) - 1 : turns(k)) * *period(); }

    /// How far y moves along the flow, and how a direction turns there.
    struct Excursion {
        std::vector<double> scales, direction, moved, turned;

        explicit Excursion(std::span<const double> y) : scales(y.size()), moved(y.size()), turned(y.size()) {
            for (std::size_t i = 0; i < y.size(); ++i) {
                const double size = y[i] == 0 ? 1.0 : std::abs(y[i]);
                direction.push_back(size * std::cos(1.0 + static_cast<double>(i)));
            }
        }
        void include(std::span<const double> y) {
            for (std::size_t i = 0; i < y.size(); ++i) {
                scales[i] = std::max({scales[i], std::abs(y[i] + moved[i]), std::abs(direction[i] + turned[i])});
            }
        }
    };

    FirstOrderSystem<Rate> whole_;
    Flow flow_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
    std::optional<std::string> failure_;
};

}  // namespace lento
