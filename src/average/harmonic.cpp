#include "average/harmonic.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"

namespace lento {

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

void HarmonicAverage::means(std::span<const double> block, std::span<double> result) const {
    for (std::size_t i = 0; i < dimension(); ++i) {
        result[i] = grid_.mean(block.subspan(i * grid_.size(), grid_.size()));
    }
}

/// result_j = (P/omega) (source_j - (j+1)/h result_{j+1})
void HarmonicAverage::backward(int degree, double h, std::span<const double> source, std::span<double> result) {
    const std::size_t m = grid_.size();
    const double factor = 1 / field_->frequency();
    for (int j = degree; j >= 0; --j) {
        const double rate = j < degree ? (j + 1) / h : 0.0;
        for (std::size_t i = 0; i < dimension(); ++i) {
            const std::size_t here = static_cast<std::size_t>(j) * block() + i * m;
            const auto next = j < degree ? result.subspan(here + block(), m) : std::span<double>();
            grid_.inverse(factor, source.subspan(here, m), rate, next, result.subspan(here, m));
        }
    }
}

void HarmonicAverage::respond(int degree, double h, std::span<const double> rates, Response& response) {
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
void HarmonicAverage::slow_series(int degree, std::span<const double> X, std::span<const double> V) {
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

void HarmonicAverage::sweep(int sweeps, double t, std::span<const double> X, std::span<const double> V) {
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
    std::fill(force_.begin(), force_.end(), 0.0);
    const auto take_force = [&](std::span<const double> rates) {
        const auto before = force_;
        means(rates, force_);
        double change = 0;
        for (std::size_t i = 0; i < dimension(); ++i) {
            change = larger(change, weights_[i] * std::abs(force_[i] - before[i]));
        }
        changes_.push_back(change);
    };
    for (degree_ = 0; degree_ < sweeps; ++degree_) {
        slow_series(degree_, X, V);
        field_->evaluate(degree_, grid_.size(), t, x_, v_, series_);
        for (int j = 0; j <= degree_; ++j) {
            means(std::span<const double>(series_).subspan(static_cast<std::size_t>(j) * block(), block()),
                  std::span(means_).subspan(static_cast<std::size_t>(j) * dimension(), dimension()));
        }
        take_force(std::span<const double>(series_).first(block()));
        before_ = response_;
        respond(degree_, 1, series_, response_);
    }
    --degree_;
    evaluate(t, X, V, response_, rates_, std::span<double>(means_).first(dimension()));
    take_force(rates_);
}

void HarmonicAverage::evaluate(double t, std::span<const double> X, std::span<const double> V, const Response& response,
                               std::span<double> rates, std::span<double> force) {
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

std::span<const double> HarmonicAverage::weights_between(double turns) {
    const auto known = std::ranges::find(between_, turns, &std::pair<double, std::vector<double>>::first);
    if (known != between_.end()) {
        return known->second;
    }
    std::vector<double> weights;
    for (std::size_t k = 0; k < grid_.size(); ++k) {
        weights.push_back(grid_.weight(k, 2 * std::numbers::pi * turns));
    }
    return between_.emplace_back(turns, std::move(weights)).second;
}

void HarmonicAverage::between_phases(double turns, double t, std::span<const double> X, std::span<const double> V,
                                     const Response& response, std::span<const double> rates,
                                     std::span<double> differences) {
    const std::size_t n = dimension();
    const auto weights = weights_between(turns);
    const auto interpolated = [&](std::span<const double> block, std::size_t i) {
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
    field_->evaluate_at(turns, t, std::span(x_).first(n), std::span(v_).first(field_->second_order() ? n : 0),
                        differences);
    for (std::size_t i = 0; i < n; ++i) {
        differences[i] -= interpolated(rates, i);
    }
}

void HarmonicAverage::at_phase(const Response& response, double phi, std::span<double> displacement,
                               std::span<double> velocity) const {
    const std::size_t m = grid_.size();
    for (std::size_t i = 0; i < dimension(); ++i) {
        displacement[i] = grid_.value(std::span(response.displacement).subspan(i * m, m), phi);
        if (field_->second_order()) {
            velocity[i] = grid_.value(std::span(response.velocity).subspan(i * m, m), phi);
        }
    }
}

}  // namespace lento
