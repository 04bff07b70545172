/// Section 2.3 of the paper reversible: the kernel (2.9), and how fast averages with it fall (2.12).
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "average/filter.hpp"
#include "base/number.hpp"
#include "reproduction.hpp"

namespace lento::papers {
namespace {

/// exp(sign 5/4 / ((t - 1) (t + 1))), up to its mass; the paper prints a minus sign.
double kernel(double t, double sign) {
    return std::exp(sign * 1.25 / ((t - 1) * (t + 1)));
}

/// int |K^(q)| over int K, by differences of order q on a fine grid.
double variation(int q) {
    constexpr int n = 4000;
    std::vector<double> values;
    for (int k = -n; k <= n; ++k) {
        values.push_back(std::abs(k) == n ? 0.0 : kernel(double(k) / n, 1));
    }
    double mass = 0;
    for (const double value : values) {
        mass += value / n;
    }
    for (int order = 0; order < q; ++order) {
        for (std::size_t k = 0; k + 1 < values.size(); ++k) {
            values[k] = (values[k + 1] - values[k]) * n;
        }
        values.pop_back();
    }
    double sum = 0;
    for (const double value : values) {
        sum += std::abs(value) / n;
    }
    return sum / mass;
}

Result kernel_and_averages() {
    Result result;
    const Filter filter("gentle");
    const double printed = kernel(0.99, -1) / kernel(0, -1);
    const double mended = kernel(0.99, 1) / kernel(0, 1);
    result.claims.push_back(
        {"the kernel exp(-(5/4)/((t-1)(t+1))), zero outside (-1, 1), is smooth: its value at t = 0.99 over that at 0",
         printed, printed < 1, Source::paper,
         fmt::format("With the printed minus sign it grows without bound towards both ends. Without it, "
                     "exp((5/4)/((t-1)(t+1))) "
                     "is smooth, {:.2g} there: the program's `gentle`",
                     mended)});
    result.claims.push_back({"the kernel has unit mass and a vanishing first moment, without that sign: both errors",
                             larger(std::abs(filter.moment(0) - 1), std::abs(filter.moment(1))),
                             larger(std::abs(filter.moment(0) - 1), std::abs(filter.moment(1))) <= 1e-12});
    double worst = 0;
    for (const double periods : {2.0, 4.0, 6.2, 8.0, 16.0, 32.0, 60.0}) {
        const double error = std::abs(filter.leakage(periods));
        result.rows.push_back({fmt::format("{}", periods), "what is left of cos(2 pi t/eps)", {}, error});
        for (const int q : {1, 2, 3, 4}) {
            worst = larger(worst, error / (variation(q) * std::pow(periods, -q)));
        }
    }
    result.claims.push_back(
        {"(2.12) holds for beta = cos with a constant C: for q = 1 to 4 and eta/eps = 2 to 60, C is "
         "at least",
         worst, worst <= 1 / std::numbers::pi});
    return result;
}

}  // namespace

std::vector<Reproduction> reversible_kernel() {
    return {{"reversible/section-2.3", "The kernel (2.9) and its averages", "reversible",
             "K up to its mass as printed, and with the other sign; the mean of cos(2 pi t/eps) over windows of the "
             "width eta, "
             "labelled by eta/eps. Integrating by parts q times gives (2.12) with C = pi^-q.",
             kernel_and_averages}};
}

}  // namespace lento::papers
