/// Dense outputs of a march of y' = (y_1, -y_0) from (1, 0), which is cos(t): that they tile the way, and how right
/// they are.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lento/march/recorder.hpp"

namespace lento {

struct OscillatorTiles {
    double end = 0, last = 1;    // of the tile before
    double error = 0, jump = 0;  // the largest, and where tiles meet
    std::int64_t count = 0;

    static void rate(double, std::span<const double> y, std::span<double> dy) {
        dy[0] = y[1];
        dy[1] = -y[0];
    }

    StepListener listener() {
        return {[](double) { return true; }, [this](const DenseStep& dense) { take(dense); }};
    }

private:
    void take(const DenseStep& dense) {
        constexpr int looks = 20;
        std::vector<double> value(2);
        EXPECT_EQ(dense.from(), end);
        end = dense.to();
        dense.value(dense.from(), value);
        jump = std::max(jump, std::abs(value[0] - last));
        for (int k = 0; k <= looks; ++k) {
            const double t = dense.from() + (dense.to() - dense.from()) * k / looks;
            dense.value(t, value);
            error = std::max(error, std::abs(value[0] - std::cos(t)));
        }
        last = value[0];
        ++count;
    }
};

}  // namespace lento
