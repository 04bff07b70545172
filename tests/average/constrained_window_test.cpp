/// Windows on constraints: no allocation in a micro-step, cost and memory in proportion to the number of links, half
/// windows.
#include <gtest/gtest.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include <Eigen/Dense>

#include "allocation_count.hpp"
#include "average/window.hpp"
#include "papers/chain.hpp"
#include "step/catalogue.hpp"

namespace lento {
namespace {

using papers::Chain;

/// A window over a chain, with everything it needs.
class ChainWindow {
public:
    ChainWindow(const Chain& chain, double omega, const std::string& micro, Sides sides, const char* filter = "period",
                double periods = 1)
        : ChainWindow(chain.vibrated(omega), micro, sides, filter, periods) {}
    ChainWindow(const Problem& problem, const std::string& micro, Sides sides, const char* filter = "period",
                double periods = 1)
        : problem_(problem),
          acceleration_(problem_.free()),
          manifold_(problem_),
          window_(make_constrained_window(
              micro, acceleration_, manifold_, time_scales(problem_),
              {FilterWeights(Filter(filter), static_cast<std::size_t>(periods * 16)), 32, sides, VelocityUse::none})),
          rest_(problem_.dimension(), 0.0),
          phase_(1, 0.0) {}

    void operator()(std::span<const double> x, std::span<double> F) {
        window_->average_acceleration({.x = x, .v = rest_, .phases = phase_}, F);
    }
    std::optional<std::string> failure() const { return window_->failure(); }

private:
    Problem problem_;
    Acceleration acceleration_;
    Manifold manifold_;
    std::unique_ptr<Window> window_;
    std::vector<double> rest_, phase_;
};

std::vector<double> wave(const Chain& chain) {
    std::vector<double> angles;
    for (std::size_t j = 0; j < chain.links(); ++j) {
        angles.push_back(0.3 * std::sin(0.1 * static_cast<double>(j)));
    }
    return chain.position(angles);
}

TEST(ConstrainedWindow, is_free_of_heap_allocation_for_few_constraints) {
    for (const auto& micro : names_of(constrained_steppers)) {
        const auto chain = papers::double_pendulum();
        ChainWindow window(chain, 1e4, micro, Sides::both);
        const auto x = wave(chain);
        std::vector<double> F(6);
        window(x, F);
        const std::size_t before = allocations;
        window(x, F);
        EXPECT_EQ(allocations - before, 0U) << micro;
        EXPECT_FALSE(window.failure());
    }
}

TEST(ConstrainedWindow, half_a_window_equals_the_whole_for_even_forces) {
    const auto chain = papers::double_pendulum();
    const auto x = wave(chain);
    for (const auto& micro : names_of(constrained_steppers)) {
        std::vector<double> half(6);
        std::vector<double> whole(6);
        ChainWindow(chain, 1e4, micro, Sides::forward)(x, half);
        ChainWindow(chain, 1e4, micro, Sides::both)(x, whole);
        for (std::size_t i = 0; i < 6; ++i) {
            EXPECT_NEAR(half[i], whole[i], 1e-6 * (1 + std::abs(whole[i]))) << micro;
        }
    }
}

/// A matrix of masses that is not known to be diagonal has no window of fixed size.
TEST(ConstrainedWindow, of_fixed_size_is_that_of_any_size) {
    for (std::size_t n = 1; n <= 10; ++n) {
        const auto chain = Chain::rope(n, 0.1 * static_cast<double>(n), 2.0);
        const auto fixed = chain.vibrated(1e4);
        auto any = fixed;
        any.mass = Mass::full(
            Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(2 * n), static_cast<Eigen::Index>(2 * n)).eval());
        const auto x = wave(chain);
        for (const auto sides : {Sides::both, Sides::forward}) {
            std::vector<double> first(3 * n), second(3 * n);
            ChainWindow(fixed, "shake", sides)(x, first);
            ChainWindow(any, "shake", sides)(x, second);
            for (std::size_t i = 0; i < 3 * n; ++i) {
                EXPECT_NEAR(first[i], second[i], 1e-7 * (1 + std::abs(second[i]))) << n << " links, " << i;
            }
        }
    }
}

TEST(ConstrainedWindow, kernel_and_one_period_filter_agree) {
    const auto chain = papers::double_pendulum();
    const auto x = wave(chain);
    std::vector<double> period(6);
    std::vector<double> kernel(6);
    ChainWindow(chain, 1e6, "rattle6", Sides::forward)(x, period);
    ChainWindow(chain, 1e6, "rattle6", Sides::forward, "cos8", 12)(x, kernel);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_NEAR(period[i], kernel[i], 1e-3 * (1 + std::abs(kernel[i]))) << i;
    }
}

TEST(ConstrainedWindow, says_why_it_could_not_be_run) {
    // A vibration that moves the masses by many lengths of the rods within a micro-step.
    auto chain = papers::double_pendulum();
    chain.v_max = 1e4;
    for (const std::string micro : {"shake", "rattle6"}) {
        ChainWindow window(chain, 1e4, micro, Sides::both);
        std::vector<double> F(6);
        window(wave(chain), F);
        ASSERT_TRUE(window.failure()) << micro;
        EXPECT_NE(window.failure()->find("micro_steps_per_period"), std::string::npos) << *window.failure();
        EXPECT_TRUE(std::isnan(F[0]));
        // and the next window starts afresh
        window(wave(papers::double_pendulum()), F);
    }
}

/// The same link everywhere, so that only the number of links differs.
Chain links(std::size_t n) {
    return Chain::rope(n, 0.1 * static_cast<double>(n), 2.0);
}

double seconds_a_window(std::size_t n) {
    const auto chain = links(n);
    ChainWindow window(chain, 1e6, "shake", Sides::forward);
    const auto x = wave(chain);
    std::vector<double> F(2 * n);
    window(x, F);
    EXPECT_FALSE(window.failure());
    double best = HUGE_VAL;
    for (int attempt = 0; attempt < 5; ++attempt) {
        const auto began = std::chrono::steady_clock::now();
        for (std::size_t repeat = 0; repeat < 20'000 / n; ++repeat) {
            window(x, F);
        }
        const double taken = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        best = std::min(best, taken / static_cast<double>(20'000 / n));
    }
    return best;
}

#if defined(LENTO_SANITIZED)
constexpr bool measures = false;  // sanitizers have their own heap and their own costs
#else
constexpr bool measures = true;
#endif

TEST(ConstrainedWindow, cost_grows_linearly_in_the_number_of_links) {
    if (!measures) {
        GTEST_SKIP();
    }
    // NOTE: others use the machine and its caches too, which makes the long chain the slower one: the best of several
    // times counts.
    double many = HUGE_VAL;
    double few = HUGE_VAL;
    for (int attempt = 0; attempt < 10 && !(many < 12 * few); ++attempt) {
        many = std::min(many, seconds_a_window(10'000));
        few = std::min(few, seconds_a_window(1'000));
    }
    const double ratio = many / few;
    RecordProperty("ratio", std::to_string(ratio));
    EXPECT_LT(ratio, 12) << "1,000 to 10,000 links";
}

TEST(ConstrainedWindow, memory_grows_linearly_in_the_number_of_links) {
    if (!measures) {
        GTEST_SKIP();
    }
    const auto bytes = [](std::size_t n) {
        const auto before = mallinfo2();
        const auto chain = links(n);
        ChainWindow window(chain, 1e6, "shake", Sides::forward);
        const auto x = wave(chain);
        std::vector<double> F(2 * n);
        window(x, F);
        const auto after = mallinfo2();
        return static_cast<double>((after.uordblks + after.hblkhd) - (before.uordblks + before.hblkhd));
    };
    const double few = bytes(1'000);
    const double many = bytes(10'000);
    EXPECT_GT(few, 1'000 * 100);
    EXPECT_LT(many / few, 12);
}

}  // namespace
}  // namespace lento
