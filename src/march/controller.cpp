#include "march/controller.hpp"

#include <algorithm>
#include <cmath>

namespace lento {

// --- ode45 ---------------------------------------------------------------------------------------------------------

double Ode45Controller::error(In estimate, In y0, In y1) const {
    double largest = 0;
    for (std::size_t i = 0; i < y0.size(); ++i) {
        const double threshold = tolerance_.absolute_of(i) / tolerance_.relative;
        const double ratio = std::abs(estimate[i]) / std::max({std::abs(y0[i]), std::abs(y1[i]), threshold});
        if (std::isnan(ratio)) {
            return ratio;  // std::max would hide it
        }
        largest = std::max(largest, ratio);
    }
    return largest / tolerance_.relative;
}

double Ode45Controller::first_step(const FirstOrderRate&, In y0, In rate) const {
    double speed = 0;
    for (std::size_t i = 0; i < y0.size(); ++i) {
        const double threshold = tolerance_.absolute_of(i) / tolerance_.relative;
        speed = std::max(speed, std::abs(rate[i]) / std::max(std::abs(y0[i]), threshold));
    }
    const double wanted = 0.8 * std::pow(tolerance_.relative, 0.2) / speed;
    return std::min(largest_step(), wanted);
}

double Ode45Controller::next_after_accepted(double step, double error) {
    const bool smooth = rejections_ == 0;
    rejections_ = 0;
    if (!smooth) {
        return step;
    }
    const double divisor = 1.25 * std::pow(error, 0.2);
    return divisor > 0.2 ? step / divisor : step * 5;
}

double Ode45Controller::next_after_rejected(double step, double error) {
    ++rejections_;
    if (rejections_ > 1 || !std::isfinite(error)) {
        return step / 2;
    }
    return step * std::max(0.1, 0.8 * std::pow(1 / error, 0.2));
}

// --- PI ------------------------------------------------------------------------------------------------------------

/// The root mean square of the values over what is allowed at y0 and y1.
double PiController::error(In values, In y0, In y1) const {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double scale = tolerance_.of(i, std::max(std::abs(y0[i]), std::abs(y1[i])));
        sum += (values[i] / scale) * (values[i] / scale);
    }
    return std::sqrt(sum / static_cast<double>(values.size()));
}

double PiController::first_step(const FirstOrderRate& rate, In y0, In rate0) const {
    const auto norm = [&](In values) { return error(values, y0, y0); };
    const double size = norm(y0);
    const double speed = norm(rate0);
    const double guess = std::min(size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed, largest_step());
    std::vector<double> y1(y0.size()), change(y0.size());
    for (std::size_t i = 0; i < y0.size(); ++i) {
        y1[i] = y0[i] + guess * rate0[i];
    }
    rate(interval_.from + guess, y1, change);
    for (std::size_t i = 0; i < y0.size(); ++i) {
        change[i] = (change[i] - rate0[i]) / guess;
    }
    const double steepest = std::max(norm(rate0), norm(change));
    const double wanted = steepest <= 1e-15 ? std::max(1e-6, 1e-3 * guess) : std::pow(0.01 / steepest, 0.2);
    return std::min({100 * guess, wanted, largest_step()});
}

double PiController::next_after_accepted(double step, double error) {
    constexpr double beta = 0.04;
    const double factor = std::pow(error, 0.2 - 0.75 * beta) / std::pow(previous_error_, beta) / 0.9;
    const double bounded = std::clamp(factor, 0.1, 5.0);
    previous_error_ = std::max(error, 1e-4);
    const double next = step / bounded;
    const double allowed = just_rejected_ ? std::min(next, step) : next;
    just_rejected_ = false;
    return allowed;
}

double PiController::next_after_rejected(double step, double error) {
    just_rejected_ = true;
    if (!std::isfinite(error)) {
        return step / 10;
    }
    return step / std::min(5.0, std::pow(error, 0.2 - 0.75 * 0.04) / 0.9);
}

}  // namespace lento
