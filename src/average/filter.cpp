#include "average/filter.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/compensated_sum.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr int largest_power = 64;

/// The power P in a name that is `family` followed by it, or 0 if it is not.
int power_in(std::string_view name, std::string_view family) {
    if (!name.starts_with(family)) {
        return 0;
    }
    int power = 0;
    const auto [end, error] = std::from_chars(name.begin() + family.size(), name.end(), power);
    const bool is_power = error == std::errc() && end == name.end();
    return is_power && power >= 2 && power <= largest_power && power % 2 == 0 ? power : 0;
}

/// The integral over [-1, 1] of an even integrand that may have corners at 0 and +-1/2: Gauss-Legendre with 10 points
/// on panels that respect them, fine enough for `oscillations` periods over the whole interval.
double even_integral(const std::function<double(double)>& integrand, double oscillations) {
    struct Node {
        double at, weight;
    };
    static constexpr Node nodes[5] = {{0.1488743389816312, 0.2955242247147529},
                                      {0.4333953941292472, 0.2692667193099963},
                                      {0.6794095682990244, 0.2190863625159821},
                                      {0.8650633666889845, 0.1494513491505806},
                                      {0.9739065285171717, 0.0666713443086881}};
    const int panels = 2 * (16 + static_cast<int>(oscillations));
    const double half = 0.5 / panels;
    CompensatedSum<double> sum;
    for (int k = 0; k < panels; ++k) {
        const double middle = (2 * k + 1) * half;
        for (const auto& node : nodes) {
            sum.add(node.weight * half * integrand(middle - half * node.at));
            sum.add(node.weight * half * integrand(middle + half * node.at));
        }
    }
    return 2 * sum.value();
}

}  // namespace

Filter::Filter(std::string_view name) : name_(name), shape_(Shape::period) {
    power_ = std::max(power_in(name, "cos"), power_in(name, "flat"));
    if (name == "exponential" || name == "gentle" || name == "cubic") {
        shape_ = name == "cubic" ? Shape::cubic : name == "gentle" ? Shape::gentle : Shape::exponential;
    } else if (power_ > 0 && name.starts_with("cos")) {
        shape_ = Shape::cosine;
    } else if (power_ > 0) {
        shape_ = Shape::flat;
        const auto second_moment = [&](double xi) { return raised_cosine(xi) * xi * xi; };
        wave_ = -even_integral(second_moment, 1) /
                even_integral([&](double xi) { return second_moment(xi) * std::cos(std::numbers::pi * xi); }, 1);
    } else if (name != "period") {
        const std::vector<std::string> known{"exponential", "gentle", "cubic", "cos4",
                                             "cos8",        "flat4",  "flat8", "period"};
        throw Misuse(
            fmt::format("filter '{}' is not known{}; there are exponential, gentle, cubic, period, and cosP and flatP "
                        "with an even power P up to {} (cos4, cos8, flat4, ...)",
                        name, suggestion(name, known), largest_power));
    }
}

double Filter::usual_periods() const {
    return shape_ == Shape::period   ? 1
           : shape_ == Shape::cubic  ? 6  // slow-manifold, section 5.2
           : shape_ == Shape::cosine ? power_ / 2.0 + 8
           : shape_ == Shape::flat   ? power_ / 2.0 + 4
                                     : 40;  // vibrated, section 2.2
}

double Filter::shape(double xi) const {
    const double r = std::abs(xi);
    if (r > 1) {
        return 0;
    }
    switch (shape_) {
        case Shape::exponential:
            return r < 1 ? std::exp(5 / (r * r - 1)) : 0.0;
        case Shape::gentle:
            return r < 1 ? std::exp(1.25 / (r * r - 1)) : 0.0;
        case Shape::cubic:
            return r <= 0.5 ? 2 - 2 * r - 8 * r * r + 8 * r * r * r : 2 - 22 * r / 3 + 8 * r * r - 8 * r * r * r / 3;
        case Shape::cosine:
            return raised_cosine(r);
        case Shape::flat:
            return raised_cosine(r) * (1 + wave_ * std::cos(std::numbers::pi * r));
        case Shape::period:
            return 1;
    }
    return 0;
}

double Filter::raised_cosine(double xi) const {
    // NOTE: sin of the distance to the end, so that the zero at |xi| = 1 is exact.
    return std::pow(std::sin(std::numbers::pi / 2 * (1 - std::abs(xi))), power_);
}

double Filter::mean(const std::function<double(double)>& f, double oscillations) const {
    return even_integral([&](double xi) { return shape(xi) * f(xi); }, oscillations) /
           even_integral([&](double xi) { return shape(xi); }, 0);
}

double Filter::moment(int k) const {
    return k % 2 != 0 ? 0 : mean([k](double xi) { return std::pow(xi, k); }, 0);
}

int Filter::vanishing_moments() const {
    int mu = 1;  // K is even
    while (std::abs(moment(mu + 1)) < 1e-12) {
        mu += 2;
    }
    return mu;
}

double Filter::smoothness() const {
    return power_ > 0 ? power_ + 1 : shape_ == Shape::period ? 1 : shape_ == Shape::cubic ? 2 : HUGE_VAL;
}

double Filter::bias() const {
    const int k = vanishing_moments() + 1;
    return moment(k) / std::tgamma(k + 1);
}

double Filter::leakage(double periods) const {
    return mean([periods](double xi) { return std::cos(std::numbers::pi * periods * xi); }, periods);
}

FilterWeights::FilterWeights(const Filter& filter, std::size_t each_side)
    : FilterWeights(filter, each_side, static_cast<double>(each_side)) {}

FilterWeights FilterWeights::over(const Filter& filter, double half) {
    // NOTE: a whole number is one in spite of rounding.
    const double whole = std::round(half);
    const bool is_whole = std::abs(half - whole) < 1e-9 * whole;
    return {filter, static_cast<std::size_t>(is_whole ? whole : std::floor(half)), is_whole ? whole : half};
}

FilterWeights::FilterWeights(const Filter& filter, std::size_t each_side, double half) {
    if (each_side == 0) {
        throw Misuse("a window needs at least one micro-step on each side");
    }
    CompensatedSum<double> sum;
    for (std::size_t k = 0; k <= each_side; ++k) {
        double weight = filter.shape(static_cast<double>(k) / half);
        if (filter.is_one_period() && k == each_side) {
            weight /= 2;
        }
        weights_.push_back(weight);
        sum.add(k == 0 ? weight : 2 * weight);
    }
    for (auto& weight : weights_) {
        weight /= sum.value();
    }
}

double FilterWeights::leakage(double steps_per_period) const {
    CompensatedSum<double> sum;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
        const double turns = static_cast<double>(k) / steps_per_period;
        sum.add((k == 0 ? 1 : 2) * weights_[k] * std::cos(2 * std::numbers::pi * (turns - std::floor(turns))));
    }
    return sum.value();
}

}  // namespace lento
