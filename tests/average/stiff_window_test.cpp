/// Windows over stiff springs: no allocation in a micro-step, however many springs there are.
#include "average/stiff_window.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "allocation_count.hpp"
#include "lento/lento.hpp"

namespace lento {
namespace {

/// A straight chain of springs of length 1 with unit masses.
Problem chain(std::size_t masses, double omega) {
    return stiff_system(
        masses,
        [](auto x, auto, auto, auto f) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                f[i] = cos(x[i]);
            }
        },
        std::vector<double>(masses, omega),
        [](auto x, auto, auto g) {
            for (std::size_t i = 0; i < g.size(); ++i) {
                g[i] = (i == 0 ? x[0] : x[i] - x[i - 1]) - 1;
            }
        });
}

TEST(StiffWindow, is_free_of_heap_allocation) {
    const double omega = 1e3;
    const double period = 2 * std::numbers::pi / omega;
    for (const std::size_t n : {1U, 2U, 3U, 10U, 60U}) {
        const auto problem = chain(n, omega);
        StiffWindow window(problem, "verlet", {.fastest = period, .slowest = period, .common_period = {}, .ratios = {}},
                           {FilterWeights(Filter("cubic"), 18), 6, Sides::both, VelocityUse::possible});
        std::vector<double> x;
        for (std::size_t i = 0; i < n; ++i) {
            x.push_back(static_cast<double>(i) + 1.001);
        }
        const std::vector<double> v(n, 0.1);
        // NOTE: a thread takes the work space of problems with many coordinates in its first evaluation of one.
        window(0, x, v);
        const std::size_t before = allocations;
        window(0, x, v);
        window.start_from_last();
        window.follow(v);
        EXPECT_EQ(allocations - before, 0U) << n;
        EXPECT_TRUE(std::isfinite(window.acceleration()[0]));
    }
}

}  // namespace
}  // namespace lento
