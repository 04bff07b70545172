#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

#include "lento/base/jet.hpp"
#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "lento/problem/mass.hpp"
#include "problem/acceleration.hpp"
#include "problem/probe.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

RC_GTEST_PROP(Mass, to_acceleration_inverts_the_matrix, ()) {
    const auto n = *rc::gen::inRange(1, 7);
    Eigen::MatrixXd factor(n, n);
    Eigen::VectorXd a(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        a[i] = *rc::gen::inRange(-1000, 1000) / 100.0;
        for (Eigen::Index j = 0; j < n; ++j) {
            factor(i, j) = *rc::gen::inRange(-1000, 1000) / 1000.0;
        }
    }
    const Eigen::MatrixXd matrix = factor * factor.transpose() + Eigen::MatrixXd::Identity(n, n);
    const auto mass = Mass::full((matrix + matrix.transpose()) / 2);
    const auto size = static_cast<std::size_t>(n);
    auto f = mass.times(std::span<const double>(a.data(), size));
    const Eigen::VectorXd expected = (matrix + matrix.transpose()) / 2 * a;
    RC_ASSERT((Eigen::Map<const Eigen::VectorXd>(f.data(), n) - expected).cwiseAbs().maxCoeff() < 1e-12);
    std::vector<double> scratch(size);
    mass.to_acceleration(std::span<double>(f), std::span<double>(scratch));
    RC_ASSERT((Eigen::Map<const Eigen::VectorXd>(f.data(), n) - a).cwiseAbs().maxCoeff() < 1e-11);
}

TEST(Mass, matrices_that_are_no_masses_are_refused_with_the_reason) {
    const auto message = [](auto&& make) {
        try {
            make();
        } catch (const Misuse& misuse) {
            return std::string(misuse.what());
        }
        return std::string();
    };
    EXPECT_NE(
        message([] { Mass::full((Eigen::Matrix2d() << 1, 2, 2, 1).finished()); }).find("smallest eigenvalue is -1"),
        std::string::npos);
    EXPECT_NE(message([] { Mass::full((Eigen::Matrix2d() << 1, 0.5, 0, 1).finished()); }).find("not symmetric"),
              std::string::npos);
    EXPECT_NE(message([] { Mass::full(Eigen::MatrixXd::Ones(2, 3)); }).find("square"), std::string::npos);
    EXPECT_NE(message([] { Mass::diagonal(std::vector<double>{1, -1}); }).find("mass 2 of 2 is -1"), std::string::npos);
    EXPECT_NE(message([] { Mass::full((Eigen::Matrix2d() << 1, 0, 0, std::nan("")).finished()); }).find("finite"),
              std::string::npos);
}

TEST(VibratedSystem, counts_its_evaluations_and_passes_series_through) {
    auto system = vibrated_system(
        1, 10.0, [](auto x, auto v, auto t, auto theta, auto f) { f[0] = sin(x[0]) * cos(theta) - v[0] * t; });
    Acceleration acceleration(system);
    const std::vector<double> x{0.3};
    const std::vector<double> v{0.5};
    const std::vector<double> theta{0.2};
    std::vector<double> a(1);
    for (int k = 0; k < 3; ++k) {
        acceleration(x, v, 2.0, theta, a);
    }
    EXPECT_EQ(acceleration.evaluations(), 3);
    EXPECT_DOUBLE_EQ(a[0], std::sin(0.3) * std::cos(0.2) - 1.0);

    // Along x = 0.3 + s, with v and the phase as they are, and the time running: t = 2 + s.
    const auto blocks = system.forces.blocks();
    ASSERT_TRUE(blocks);
    const std::vector<double> t{2.0};
    const std::vector<double> along{0.3, 1, 0};
    const std::vector<double> steady{0.5, 0, 0};
    std::vector<double> f(3);
    (*blocks)({.degree = 2, .lanes = 1, .t = t, .x = along, .v = steady, .theta = theta}, f);
    EXPECT_DOUBLE_EQ(f[0], a[0]);
    EXPECT_NEAR(f[1], std::cos(0.3) * std::cos(0.2) - 0.5, 1e-15);
    EXPECT_NEAR(f[2], -std::sin(0.3) * std::cos(0.2) / 2, 1e-15);
}

TEST(VibratedSystem, sizes_that_do_not_fit_are_refused) {
    const auto force = [](auto, auto, auto, auto, auto f) { f[0] = 0; };
    EXPECT_THROW(vibrated_system(1, 0.0, force), Misuse);
    EXPECT_THROW(vibrated_system(1, -5.0, force), Misuse);
    EXPECT_THROW(vibrated_system(0, 5.0, force), Misuse);
    EXPECT_THROW(vibrated_system(1, 5.0, force).with_mass(Mass(2)), Misuse);
    EXPECT_THROW(vibrated_system(1, 5.0, force).with_names({"a", "b"}), Misuse);
    EXPECT_THROW(vibrated_system(1, 5.0, force).with_phase_start({0, 0}), Misuse);
}

TEST(TimeScales, cover_the_slowest_beat_and_find_the_common_period) {
    const auto scales_of = [](std::vector<double> frequencies) {
        std::vector<Phase> phases;
        for (const double frequency : frequencies) {
            phases.push_back({.frequency = frequency, .start = 0, .name = "p"});
        }
        return time_scales(Problem{.names = {"x"}, .phases = phases});
    };
    const auto one = scales_of({100});
    EXPECT_DOUBLE_EQ(one.fastest, 2 * pi / 100);
    EXPECT_DOUBLE_EQ(*one.common_period, 2 * pi / 100);
    const auto three_two = scales_of({300, 200});
    EXPECT_NEAR(*three_two.common_period, 2 * pi / 100, 1e-15);
    EXPECT_NEAR(three_two.slowest, 2 * pi / 100, 1e-15);
    const auto close = scales_of({1000, 1100 * std::sqrt(1.0001)});
    EXPECT_FALSE(close.common_period);
    EXPECT_NEAR(close.slowest, 2 * pi / (1100 * std::sqrt(1.0001) - 1000), 1e-12);
    EXPECT_THROW(time_scales(Problem{.names = {"x"}}), Misuse);
}

SymmetryPhase symmetry_of(const Problem& system) {
    Acceleration acceleration(system);
    const std::vector<double> x(system.dimension(), 0.5);
    const std::vector<double> v(system.dimension(), 0.1);
    return symmetry_phase(acceleration, ProbeStates(x, v, 0, 1), time_scales(system));
}

TEST(Probe, finds_the_phase_about_which_a_force_is_even) {
    const auto cosine = symmetry_of(
        vibrated_system(1, 1e3, [](auto x, auto, auto, auto theta, auto f) { f[0] = 1e3 * cos(theta) * sin(x[0]); }));
    EXPECT_EQ(cosine.phases[0], 0.0);
    EXPECT_LT(cosine.odd_fraction, 1e-14);

    const auto sine = symmetry_of(
        vibrated_system(1, 1e3, [](auto x, auto, auto, auto theta, auto f) { f[0] = 1e3 * sin(theta) * sin(x[0]); }));
    EXPECT_NEAR(std::abs(sine.phases[0]), pi / 2, 1e-12);
    EXPECT_LT(sine.odd_fraction, 1e-12);

    // Even about 0.4 only (and 0.4 + pi): first and second harmonic share that phase.
    const auto shifted = symmetry_of(vibrated_system(1, 1e3, [](auto x, auto, auto, auto theta, auto f) {
        f[0] = 1e3 * (cos(2 * (theta - 0.4)) + 0.3 * cos(theta - 0.4)) * sin(x[0]);
    }));
    EXPECT_NEAR(shifted.phases[0], 0.4, 1e-12);
    EXPECT_LT(shifted.odd_fraction, 1e-12);

    const auto none = symmetry_of(vibrated_system(1, 1e3, [](auto x, auto, auto, auto theta, auto f) {
        f[0] = 1e3 * (cos(theta) + sin(2 * theta)) * sin(x[0]);
    }));
    EXPECT_GT(none.odd_fraction, 0.1);
}

TEST(Probe, sees_velocity_and_time) {
    const auto check = [](auto force, bool velocity, bool time) {
        auto system = vibrated_system(1, 1e3, force);
        Acceleration acceleration(system);
        const std::vector<double> x{0.5};
        const std::vector<double> v{0.0};
        const ProbeStates probes(x, v, 0, 1);
        EXPECT_EQ(velocity_dependence(acceleration, probes).any, velocity);
        EXPECT_EQ(depends_on_time(acceleration, probes), time);
    };
    check([](auto x, auto, auto, auto, auto f) { f[0] = x[0]; }, false, false);
    check([](auto x, auto v, auto, auto, auto f) { f[0] = x[0] - 0.1 * v[0]; }, true, false);
    check([](auto x, auto, auto t, auto, auto f) { f[0] = x[0] + t; }, false, true);
    check([](auto x, auto v, auto, auto theta, auto f) { f[0] = x[0] + v[0] * sin(theta); }, true, false);
}

}  // namespace
}  // namespace lento
