#include "average/flow_field.hpp"

#include <fmt/format.h>

#include "base/number.hpp"

namespace lento {
namespace {

/// How far y moves along the flow, and how a direction turns there.
struct Excursion {
    std::vector<double> scales, direction, moved, turned;

    explicit Excursion(In y) : scales(y.size()), moved(y.size()), turned(y.size()) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double size = y[i] == 0 ? 1.0 : std::abs(y[i]);
            direction.push_back(size * std::cos(1.0 + static_cast<double>(i)));
        }
    }
    void include(In y) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            scales[i] = std::max({scales[i], std::abs(y[i] + moved[i]), std::abs(direction[i] + turned[i])});
        }
    }
};

}  // namespace

FlowField::FlowField(const Problem& problem)
    : PhaseField(problem), problem_(problem), forces_(problem.forces.blocks()), flow_(problem.exact->flow()) {}

std::optional<std::string> FlowField::not_periodic(In y, double periods, double tolerance) {
    if (!period() || y.size() != dimension()) {
        return std::nullopt;
    }
    const double T = *period();
    Excursion excursion(y);
    constexpr int looks = 8;
    for (int k = 0; k <= looks; ++k) {
        const double tau = k * T / looks;
        if (!flow_->increment(tau, y, excursion.moved) ||
            !flow_->carry(tau, y, excursion.direction, excursion.turned)) {
            return fmt::format("the exactly solved part has no motion from the start over {:.6g}: {}", tau,
                               flow_->failure().value_or("it is not finite"));
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
                "the exactly solved part does not have the period {:.12g}: after it {} is {:.3g} away from its start, "
                "{:.2g} of its size, where {:.2g} is allowed",
                T, names()[i], excursion.moved[i], std::abs(excursion.moved[i]) / scale, most);
        }
        if (!(std::abs(excursion.turned[i]) <= std::max(most, rounding_near) * scale)) {
            return fmt::format(
                "the exactly solved part has the period {:.12g} only at the start, not near it: there {} changes by "
                "{:.2g} of its distance from the start; a factor of the rates has to make all periods equal",
                T, names()[i], std::abs(excursion.turned[i]) / scale);
        }
    }
    return std::nullopt;
}

void FlowField::blocks(int degree, double t, In z, In, Out a) {
    degree == 0 ? rates<double>(degree, t, z, a) : rates<Taylor>(degree, t, z, a);
}

template <class S>
void FlowField::rates(int degree, double t, In z, Out a) {
    const std::size_t n = dimension();
    const BlockLayout layout{n, points()};
    const S nothing(NAN);
    std::vector<S> start(n), y(n), rest(n), large(n), result(n);
    std::vector<bool> lost(points());  // where there is no motion along the flow
    points_on_flow_.resize(z.size());
    rates_.resize(z.size());
    for (std::size_t k = 0; k < points(); ++k) {
        layout.gather(degree, z, k, start);
        lost[k] = !flow_->increment(time_at(k), std::span<const S>(start), std::span<S>(y));
        if (lost[k]) {
            fail();
            std::ranges::fill(y, nothing);
        } else {
            std::ranges::transform(y, start, y.begin(), std::plus<>());
        }
        layout.scatter(degree, y, k, points_on_flow_);
    }
    (*forces_)(block(degree, t, points_on_flow_, {}, problem_.parameters), rates_);
    for (std::size_t k = 0; k < points(); ++k) {
        layout.gather(degree, points_on_flow_, k, y);
        layout.gather(degree, rates_, k, rest);
        const std::span<const S> point(y);
        flow_->field(point, std::span<S>(large));
        std::ranges::transform(rest, large, rest.begin(), std::minus<>());
        if (!lost[k] && !flow_->carry(-time_at(k), point, std::span<const S>(rest), std::span<S>(result))) {
            fail();
            lost[k] = true;
        }
        if (lost[k]) {
            std::ranges::fill(result, nothing);
        } else {
            std::ranges::transform(result, rest, result.begin(), std::plus<>());
        }
        layout.scatter(degree, result, k, a);
    }
}

void FlowField::move(double tau, Out y) {
    std::vector<double> du(y.size());
    if (!flow_->increment(tau, In(y), Out(du))) {
        fail();
        std::ranges::fill(y, NAN);
        return;
    }
    add_to(y, 1, du);
}

}  // namespace lento
