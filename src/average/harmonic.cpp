#include "average/harmonic.hpp"

#include <fmt/format.h>

#include "base/compensated_sum.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// sum += factor C (g - rate h), column by column, which the vector unit can do without changing the order of any sum.
template <class Size>
inline void multiply(Size m, const double* circulant, double factor, const double* g, double rate, const double* h,
                     double* sum) {
    for (std::size_t j = 0; j < m; ++j) {
        const double* column = circulant + (m - 1 - j);
        const double value = factor * (rate == 0 ? g[j] : g[j] - rate * h[j]);
        for (std::size_t k = 0; k < m; ++k) {
            sum[k] += column[k] * value;
        }
    }
}

}  // namespace

PhaseGrid::PhaseGrid(std::size_t points) : m_(points), circulant_(2 * points - 1) {
    if (points < 2) {
        throw Misuse(fmt::format("{} phases are too few to average over; take 2 at least", points));
    }
    const auto m = static_cast<double>(points);
    std::vector<double> sines(points);
    for (std::size_t k = 0; k < points; ++k) {
        sines[k] = std::sin(2 * std::numbers::pi * static_cast<double>(k) / m);
    }
    for (std::size_t steps = 0; steps < points; ++steps) {
        // The antiderivative of the interpolant of a point: (2/m) sum_h sin(h (phi_k - phi_j)) / h.
        const std::size_t highest = (points - 1) / 2;
        double sum = 0;
        for (std::size_t h = highest, k = h * steps % points; h > 0; --h) {
            sum += sines[k] / static_cast<double>(h);
            k = k >= steps ? k - steps : k + points - steps;
        }
        circulant_[points - 1 - steps] = -2 * sum / m;
        circulant_[points - 1 + steps] = 2 * sum / m;
    }
}

double PhaseGrid::mean(In g) const {
    // NOTE: forces of size omega cancel to a mean of size one.
    CompensatedSum<double> sum;
    for (const double value : g) {
        sum.add(value);
    }
    return sum.value() / static_cast<double>(m_);
}

void PhaseGrid::inverse(double factor, In g, double rate, In h, Out result) const {
    // NOTE: most runs need few phases; with their number known the loops are unrolled.
    const auto few = [&](auto m) {
        std::array<double, m> sum{};
        multiply(m, circulant_.data(), factor, g.data(), rate, h.data(), sum.data());
        std::ranges::copy(sum, result.begin());
    };
    switch (m_) {
        case 5:
            return few(std::integral_constant<std::size_t, 5>{});
        case 7:
            return few(std::integral_constant<std::size_t, 7>{});
        case 9:
            return few(std::integral_constant<std::size_t, 9>{});
        default:
            std::fill_n(result.begin(), m_, 0.0);
            multiply(m_, circulant_.data(), factor, g.data(), rate, h.data(), result.data());
    }
}

double PhaseGrid::weight(std::size_t k, double phi) const {
    // The interpolant of a point, (1/m) (1 + 2 sum_h cos(h d)), with half of the highest harmonic of an even m, summed.
    const auto m = static_cast<double>(m_);
    const double turn = 2 * std::numbers::pi;
    // NOTE: within half a turn the sine below is zero only where d is, and as exact as d is near it.
    const double half = std::remainder(phi - turn * static_cast<double>(k) / m, turn) / 2;
    if (half == 0) {
        return 1;
    }
    const double kernel = std::sin(m * half) / (m * std::sin(half));
    return m_ % 2 == 0 ? kernel * std::cos(half) : kernel;
}

double PhaseGrid::value(In g, double phi) const {
    double sum = 0;
    for (std::size_t k = 0; k < m_; ++k) {
        sum += weight(k, phi) * g[k];
    }
    return sum;
}

HarmonicAverage::HarmonicAverage(PhaseField& field, std::size_t phases)
    : field_(&field),
      grid_(phases),
      weights_(field.dimension(), 1.0),
      force_(field.dimension()),
      rates_(field.dimension() * phases),
      x_(rates_.size()),
      v_(field.second_order() ? rates_.size() : 0) {
    response_.displacement.resize(rates_.size());
    response_.velocity.resize(v_.size());
}

void HarmonicAverage::means(In block, Out result) const {
    for (std::size_t i = 0; i < dimension(); ++i) {
        result[i] = grid_.mean(block.subspan(i * grid_.size(), grid_.size()));
    }
}

/// result_j = (P/omega) (source_j - (j+1)/h result_{j+1})
void HarmonicAverage::backward(int degree, double h, In source, Out result) {
    const std::size_t m = grid_.size();
    const double factor = 1 / field_->frequency();
    for (int j = degree; j >= 0; --j) {
        const double rate = j < degree ? (j + 1) / h : 0.0;
        for (std::size_t i = 0; i < dimension(); ++i) {
            const std::size_t here = static_cast<std::size_t>(j) * block() + i * m;
            const auto next = j < degree ? result.subspan(here + block(), m) : Out();
            grid_.inverse(factor, source.subspan(here, m), rate, next, result.subspan(here, m));
        }
    }
}

void HarmonicAverage::respond(int degree, double h, In rates, Response& response) {
    const std::size_t length = static_cast<std::size_t>(degree + 1) * block();
    displacement_.resize(std::max(displacement_.size(), length));
    velocity_.resize(std::max(velocity_.size(), length));
    if (field_->second_order()) {
        backward(degree, h, rates, velocity_);
        backward(degree, h, velocity_, displacement_);
        response.velocity.assign(velocity_.begin(), velocity_.begin() + static_cast<std::ptrdiff_t>(block()));
    } else {
        backward(degree, h, rates, displacement_);
    }
    response.displacement.assign(displacement_.begin(), displacement_.begin() + static_cast<std::ptrdiff_t>(block()));
}

/// X + Delta and V + W as series of that degree, from the means and the response of the last sweep.
void HarmonicAverage::slow_series(int degree, In X, In V) {
    const std::size_t m = grid_.size();
    const std::size_t n = dimension();
    const auto mean = [&](int j, std::size_t i) { return means_[static_cast<std::size_t>(j) * n + i]; };
    const auto position = [&](int j, std::size_t i) {
        if (!field_->second_order()) {
            return j == 0 ? X[i] : mean(j - 1, i) / j;
        }
        return j == 0 ? X[i] : j == 1 ? V[i] : mean(j - 2, i) / (j * (j - 1));
    };
    const auto velocity = [&](int j, std::size_t i) { return j == 0 ? V[i] : mean(j - 1, i) / j; };
    for (int j = 0; j <= degree; ++j) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t here = static_cast<std::size_t>(j) * block() + i * m;
            for (std::size_t k = here; k < here + m; ++k) {
                x_[k] = position(j, i) + displacement_[k];
                if (field_->second_order()) {
                    v_[k] = velocity(j, i) + velocity_[k];
                }
            }
        }
    }
}

void HarmonicAverage::sweep(int sweeps, double t, In X, In V) {
    if (sweeps < 1 || sweeps > most_degree + 1) {
        throw Misuse(fmt::format("{} sweeps, where 1 to {} are possible", sweeps, most_degree + 1));
    }
    const auto length = static_cast<std::size_t>(sweeps) * block();
    for (auto* series : {&x_, &displacement_, &series_}) {
        series->assign(std::max(series->size(), length), 0.0);
    }
    v_.resize(field_->second_order() ? x_.size() : 0);
    velocity_.assign(x_.size(), 0.0);
    means_.assign(static_cast<std::size_t>(sweeps) * dimension(), 0.0);
    changes_.clear();
    std::ranges::fill(force_, 0.0);
    const auto take_force = [&](In rates) {
        const auto before = force_;
        means(rates, force_);
        changes_.push_back(
            largest_of(dimension(), [&](std::size_t i) { return weights_[i] * std::abs(force_[i] - before[i]); }));
    };
    for (degree_ = 0; degree_ < sweeps; ++degree_) {
        slow_series(degree_, X, V);
        field_->evaluate(degree_, grid_.size(), t, x_, v_, series_);
        for (int j = 0; j <= degree_; ++j) {
            means(In(series_).subspan(static_cast<std::size_t>(j) * block(), block()),
                  std::span(means_).subspan(static_cast<std::size_t>(j) * dimension(), dimension()));
        }
        take_force(In(series_).first(block()));
        before_ = response_;
        respond(degree_, 1, series_, response_);
    }
    --degree_;
    evaluate(t, X, V, response_, rates_, Out(means_).first(dimension()));
    take_force(rates_);
}

void HarmonicAverage::evaluate(double t, In X, In V, const Response& response, Out rates, Out force) {
    const std::size_t m = grid_.size();
    for (std::size_t i = 0; i < dimension(); ++i) {
        for (std::size_t k = i * m; k < (i + 1) * m; ++k) {
            x_[k] = X[i] + response.displacement[k];
            if (field_->second_order()) {
                v_[k] = V[i] + response.velocity[k];
            }
        }
    }
    field_->evaluate(0, m, t, x_, v_, rates);
    means(rates, force);
}

PhaseBetween HarmonicAverage::between(double turns) const {
    PhaseBetween place{turns, std::vector<double>(grid_.size())};
    for (std::size_t k = 0; k < grid_.size(); ++k) {
        place.weights[k] = grid_.weight(k, 2 * std::numbers::pi * turns);
    }
    return place;
}

void HarmonicAverage::between_phases(const PhaseBetween& place, double t, In X, In V, const Response& response,
                                     In rates, Out differences) {
    const std::size_t n = dimension();
    const auto& weights = place.weights;
    const auto interpolated = [&](In block, std::size_t i) {
        double sum = 0;
        for (std::size_t k = 0; k < weights.size(); ++k) {
            sum += weights[k] * block[i * weights.size() + k];
        }
        return sum;
    };
    for (std::size_t i = 0; i < n; ++i) {
        x_[i] = X[i] + interpolated(response.displacement, i);
        if (field_->second_order()) {
            v_[i] = V[i] + interpolated(response.velocity, i);
        }
    }
    field_->evaluate_at(place.turns, t, std::span(x_).first(n), std::span(v_).first(field_->second_order() ? n : 0),
                        differences);
    for (std::size_t i = 0; i < n; ++i) {
        differences[i] -= interpolated(rates, i);
    }
}

void HarmonicAverage::at_phase(const Response& response, double phi, Out displacement, Out velocity) const {
    const std::size_t m = grid_.size();
    for (std::size_t i = 0; i < dimension(); ++i) {
        displacement[i] = grid_.value(std::span(response.displacement).subspan(i * m, m), phi);
        if (field_->second_order()) {
            velocity[i] = grid_.value(std::span(response.velocity).subspan(i * m, m), phi);
        }
    }
}

}  // namespace lento
