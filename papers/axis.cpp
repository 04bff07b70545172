#include "axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace lento::papers {
namespace {

constexpr double most_labels = 8;

/// 1, 2 or 5 times a power of ten, some six of which fill the length.
double linear_step(double length) {
    const double rough = length / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double share : {1.0, 2.0, 5.0}) {
        if (share * power >= rough) {
            return share * power;
        }
    }
    return 10 * power;
}

/// Multiples of it.
std::vector<Tick> even_ticks(double from, double to) {
    std::vector<Tick> ticks;
    const double step = linear_step(to - from);
    for (double n = std::ceil(from / step); n * step <= to; ++n) {
        ticks.push_back({n * step, fmt::format("{:.6g}", n == 0 ? 0.0 : n * step)});  // no -0
    }
    return ticks;
}

/// The digits whose multiples of powers of ten are labelled between two of them: as few as give two labels, none if all
/// do not.
std::vector<int> labelled_digits(double from, double to) {
    const std::array<std::vector<int>, 3> choices{{{1}, {1, 2, 5}, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
    for (const auto& digits : choices) {
        int labels = 0;
        for (double power = std::floor(from); power <= to; ++power) {
            labels += static_cast<int>(std::ranges::count_if(digits, [&](int digit) {
                const double place = power + std::log10(digit);
                return place >= from && place <= to;
            }));
        }
        if (labels >= 2) {
            return digits;
        }
    }
    return {};
}

}  // namespace

double Axis::place(double value) const {
    if (scale_ == Scale::linear) {
        return value;
    }
    return value > 0 ? std::log10(value) : std::nan("");
}

void Axis::include(double value) {
    const double at = place(value);
    if (!std::isfinite(at)) {
        return;
    }
    const bool first = from_ > to_;
    from_ = first ? at : std::min(from_, at);
    to_ = first ? at : std::max(to_, at);
}

void Axis::widen() {
    if (from_ > to_) {
        from_ = 0;
        to_ = 1;
    }
    stretch(to_ > from_ ? 1.1 * length() : 1.0);
}

void Axis::stretch(double length) {
    const double more = (length - (to_ - from_)) / 2;
    from_ -= more;
    to_ += more;
}

std::vector<Tick> Axis::ticks() const {
    return scale_ == Scale::linear ? even_ticks(from_, to_) : logarithmic_ticks();
}

/// Powers of ten, or every other or third if there are many; the multiples between them are minor ticks.
std::vector<Tick> Axis::logarithmic_ticks() const {
    const auto digits = labelled_digits(from_, to_);
    if (digits.empty()) {
        return even_ticks(std::pow(10.0, from_), std::pow(10.0, to_));
    }
    std::vector<Tick> ticks;
    const double stride = std::ceil((to_ - from_) / most_labels);
    const bool only_powers = digits.size() == 1;
    for (double power = std::floor(from_); power <= to_; ++power) {
        for (int digit = 1; digit < 10; ++digit) {
            const double place = power + std::log10(digit);
            if (place < from_ || place > to_ || (digit > 1 && stride > 1)) {
                continue;
            }
            const double value = digit * std::pow(10.0, power);
            const bool labelled = std::ranges::count(digits, digit) > 0 && std::fmod(power, stride) == 0;
            ticks.push_back({value, !labelled     ? ""
                                    : only_powers ? fmt::format("10^{:.0f}", power)
                                                  : fmt::format("{:.6g}", value)});
        }
    }
    return ticks;
}

}  // namespace lento::papers
