#include "builtin.hpp"

#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include "lento/lento.hpp"

namespace lento::app {
namespace {

double value(const Values& values, std::string_view name) {
    return values.find(name)->second;
}

Builtin inverted_pendulum() {
    return {
        .name = "inverted-pendulum",
        .title = "Inverted pendulum on a vibrating pivot",
        .look_at = "the angle q from the upward vertical: the vibration holds the pendulum up",
        .parameters = {{"l", 0.2, "length"},
                       {"g", 9.8, "acceleration of gravity"},
                       {"v_max", 4, "largest velocity of the pivot"},
                       {"omega", 2e6 * std::numbers::pi,
                        "angular frequency of the pivot: a million vibrations a second"},
                       {"phase", 0, "phase of the pivot at t = 0"},
                       {"damping", 0, "friction in the pivot, per unit of angular velocity"},
                       {"bias", 0, "constant part of the pivot's acceleration, as a share of its oscillation"},
                       {"q_start", 0.5, "angle at the start"},
                       {"q_velocity", 0, "angular velocity at the start"}},
        .coordinates = {"q"},
        .observed = {"tip"},
        .solve =
            [](const Values& values, Request request) {
                const double l = value(values, "l");
                const double g = value(values, "g");
                const double omega = value(values, "omega");
                const double acceleration = value(values, "v_max") * omega;
                const double damping = value(values, "damping");
                const double bias = value(values, "bias");
                const auto system = vibrated_system<1>(omega, [=](auto q, auto v, auto, auto theta, auto f) {
                    f[0] = (g + acceleration * (bias + cos(theta))) / l * sin(q[0]) - damping * v[0];
                });
                request.start = {value(values, "q_start")};
                request.velocity = {value(values, "q_velocity")};
                return lento::solve(system.with_names({"q"}).with_phase_start({value(values, "phase")}), request);
            },
        .observe = [](const Values& values, std::span<const double> x,
                      std::span<const double>) { return std::vector<double>{value(values, "l") * std::cos(x[0])}; },
        .period = [](const Values& values) { return 2 * std::numbers::pi / value(values, "omega"); },
    };
}

Builtin coupled_pendulums() {
    return {
        .name = "coupled-pendulums",
        .title = "Two pendulums on one vibrating support, coupled by a spring and by inertia",
        .look_at = "both angles stay up and exchange their energy",
        .parameters = {{"l1", 0.2, "length of the first"},
                       {"l2", 0.25, "length of the second"},
                       {"g", 9.8, "acceleration of gravity"},
                       {"v_max", 4, "largest velocity of the support"},
                       {"omega", 1e5, "angular frequency of the support"},
                       {"k", 20, "stiffness of the spring between them, over m l^2"},
                       {"m1", 1, "mass matrix entry (1,1)"},
                       {"m2", 1, "mass matrix entry (2,2)"},
                       {"m12", 0.2, "mass matrix entry (1,2)"}},
        .coordinates = {"q1", "q2"},
        .observed = {},
        .solve =
            [](const Values& values, Request request) {
                const double l1 = value(values, "l1");
                const double l2 = value(values, "l2");
                const double g = value(values, "g");
                const double k = value(values, "k");
                const double omega = value(values, "omega");
                const double acceleration = value(values, "v_max") * omega;
                const auto system = vibrated_system<2>(omega, [=](auto q, auto, auto, auto theta, auto f) {
                    const auto lift = g + acceleration * cos(theta);
                    f[0] = lift / l1 * sin(q[0]) - k * (q[0] - q[1]);
                    f[1] = lift / l2 * sin(q[1]) - k * (q[1] - q[0]);
                });
                const double m12 = value(values, "m12");
                const auto mass =
                    Mass::full((Eigen::Matrix2d() << value(values, "m1"), m12, m12, value(values, "m2")).finished());
                request.start = {0.5, 0.1};
                request.velocity = {0, 0};
                return lento::solve(system.with_names({"q1", "q2"}).with_mass(mass), request);
            },
        .observe = [](const Values&, std::span<const double>,
                      std::span<const double>) { return std::vector<double>{}; },
        .period = [](const Values& values) { return 2 * std::numbers::pi / value(values, "omega"); },
    };
}

}  // namespace

const std::vector<Builtin>& builtins() {
    static const std::vector<Builtin> all{inverted_pendulum(), coupled_pendulums()};
    return all;
}

}  // namespace lento::app
