#include "average/harmonic.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

HarmonicAverage::HarmonicAverage(PhaseField& field, std::size_t phases)
    : field_(&field), grid_(phases), periods_(grid_.highest()) {
    for (std::size_t h = 1; h <= grid_.highest(); ++h) {
        periods_[h - 1] = 1 / (static_cast<double>(h) * field.frequency());
    }
}

/// result = (P/omega) (source - rate next); without a next one where there is none.
void HarmonicAverage::integrate(double rate, const double* source, const double* next, double* result) const {
    const std::size_t highest = grid_.highest();
    for (std::size_t i = 0; i < dimension(); ++i) {
        const std::size_t at = 2 * i * highest;
        for (std::size_t h = 0; h < highest; ++h) {
            const std::size_t c = at + h;
            const std::size_t s = c + highest;
            const double cosine = next == nullptr ? source[c] : source[c] - rate * next[c];
            const double sine = next == nullptr ? source[s] : source[s] - rate * next[s];
            result[c] = -periods_[h] * sine;
            result[s] = periods_[h] * cosine;
        }
    }
}

/// result_j = (P/omega) (source_j - (j+1)/h result_{j+1})
void HarmonicAverage::backward(int degree, double h, const double* source, std::size_t stride, Out result) const {
    for (int j = degree; j >= 0; --j) {
        double* const here = result.data() + static_cast<std::size_t>(j) * harmonics();
        integrate((j + 1) / h, source + static_cast<std::size_t>(j) * stride, j < degree ? here + harmonics() : nullptr,
                  here);
    }
}

void HarmonicAverage::respond(int degree, double h, const double* rates, std::size_t stride, Response& response) {
    const std::size_t length = static_cast<std::size_t>(degree + 1) * harmonics();
    displacement_.resize(std::max(displacement_.size(), length));
    velocity_.resize(std::max(velocity_.size(), length));
    if (field_->second_order()) {
        backward(degree, h, rates, stride, velocity_);
        backward(degree, h, velocity_.data(), harmonics(), displacement_);
        response.velocity.assign(velocity_.data(), velocity_.data() + harmonics());
    } else {
        backward(degree, h, rates, stride, displacement_);
    }
    response.displacement.assign(displacement_.data(), displacement_.data() + harmonics());
}

/// W and Delta to R s^d are (P/omega)^(d+1) (-d/ds)^d R s^d/h^d, and d + 1 times (P/omega) of it.
void HarmonicAverage::respond_to_last(int degree, double h, In last, Response& response) const {
    std::vector<double> found(harmonics()), next(last.begin(), last.end());
    integrate(0, next.data(), nullptr, found.data());
    for (int j = degree; j > 0; --j) {
        for (double& value : found) {
            value *= -j / h;
        }
        std::swap(found, next);
        integrate(0, next.data(), nullptr, found.data());
    }
    if (!field_->second_order()) {
        response.displacement = std::move(found);
        return;
    }
    integrate(0, found.data(), nullptr, next.data());
    for (double& value : next) {
        value *= degree + 1;
    }
    response = {.displacement = std::move(next), .velocity = std::move(found)};
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
        const std::size_t here = static_cast<std::size_t>(j) * block();
        const std::size_t there = static_cast<std::size_t>(j) * harmonics();
        for (std::size_t i = 0; i < n; ++i) {
            grid_.synthesise(position(j, i), harmonics_of(i, In(displacement_).subspan(there, harmonics())),
                             Out(x_).subspan(here + i * m, m));
            if (field_->second_order()) {
                grid_.synthesise(velocity(j, i), harmonics_of(i, In(velocity_).subspan(there, harmonics())),
                                 Out(v_).subspan(here + i * m, m));
            }
        }
    }
}

/// Of a at the m phases, coefficient after coefficient.
void HarmonicAverage::take(int degree, In rates, Out harmonics_found, Out means) {
    const std::size_t m = grid_.size();
    for (std::size_t j = 0; j <= static_cast<std::size_t>(degree); ++j) {
        for (std::size_t i = 0; i < dimension(); ++i) {
            const In g = rates.subspan(j * block() + i * m, m);
            means[j * dimension() + i] = grid_.mean(g);
            grid_.analyse(g, harmonics_of(i, harmonics_found.subspan(j * harmonics(), harmonics())));
        }
    }
}

void HarmonicAverage::begin(double t) {
    t_ = t;
    sweeps_ = 0;
    forces_.clear();
    for (auto* series : {&x_, &v_, &series_, &displacement_, &velocity_, &rate_harmonics_, &means_}) {
        series->clear();
    }
}

void HarmonicAverage::sweep(In X, In V) {
    if (sweeps_ > most_degree) {
        throw Misuse(fmt::format("{} sweeps, where 1 to {} are possible", sweeps_ + 1, most_degree + 1));
    }
    const int degree = sweeps_++;
    const auto terms = static_cast<std::size_t>(sweeps_);
    for (auto* series : {&x_, &series_}) {
        series->resize(terms * block());
    }
    v_.resize(field_->second_order() ? terms * block() : 0);
    for (auto* series : {&displacement_, &velocity_, &rate_harmonics_}) {
        series->resize(terms * harmonics());
    }
    means_.resize(terms * dimension());
    slow_series(degree, X, V);
    field_->evaluate(degree, grid_.size(), t_, x_, v_, series_);
    take(degree, series_, rate_harmonics_, means_);
    forces_.emplace_back(means_.begin(), means_.begin() + static_cast<std::ptrdiff_t>(dimension()));
    respond(degree, 1, rate_harmonics_.data(), harmonics(), response_);
}

void HarmonicAverage::settle(In X, In V) {
    std::vector<double> rates(harmonics()), force(dimension());
    evaluate(t_, X, V, response_, rates, force);
    forces_.push_back(std::move(force));
}

void HarmonicAverage::sweep(int sweeps, double t, In X, In V) {
    if (sweeps < 1) {
        throw Misuse(fmt::format("{} sweeps, where 1 to {} are possible", sweeps, most_degree + 1));
    }
    begin(t);
    while (sweeps_ < sweeps) {
        sweep(X, V);
    }
    settle(X, V);
}

void HarmonicAverage::evaluate(double t, In X, In V, const Response& response, Out rates, Out force) {
    const std::size_t m = grid_.size();
    x_.resize(std::max(x_.size(), block()));
    v_.resize(field_->second_order() ? std::max(v_.size(), block()) : 0);
    series_.resize(std::max(series_.size(), block()));
    for (std::size_t i = 0; i < dimension(); ++i) {
        grid_.synthesise(X[i], harmonics_of(i, In(response.displacement)), Out(x_).subspan(i * m, m));
        if (field_->second_order()) {
            grid_.synthesise(V[i], harmonics_of(i, In(response.velocity)), Out(v_).subspan(i * m, m));
        }
    }
    field_->evaluate(0, m, t, x_, v_, series_);
    take(0, series_, rates, force);
}

void HarmonicAverage::evaluate(HarmonicSpot& spot) {
    spot.force.resize(dimension());
    spot.rates.resize(harmonics());
    evaluate(spot.t, In(spot.state).first(dimension()), In(spot.state).subspan(dimension()), spot.response, spot.rates,
             spot.force);
}

HarmonicSpot HarmonicAverage::spot(int sweeps, double t, std::vector<double> state) {
    HarmonicSpot found{.t = t, .state = std::move(state)};
    begin(t);
    while (sweeps_ < sweeps) {
        sweep(In(found.state).first(dimension()), In(found.state).subspan(dimension()));
    }
    found.response = response_;
    evaluate(found);
    return found;
}

std::vector<double> HarmonicAverage::widened(In harmonics_of_fewer) const {
    const std::size_t fewer = harmonics_of_fewer.size() / dimension() / 2;
    std::vector<double> result(harmonics());
    for (std::size_t half = 0; half < 2 * dimension(); ++half) {
        std::copy_n(harmonics_of_fewer.begin() + static_cast<std::ptrdiff_t>(half * fewer), fewer,
                    result.begin() + static_cast<std::ptrdiff_t>(half * grid_.highest()));
    }
    return result;
}

void HarmonicAverage::at_phase(const Response& response, double phi, Out displacement, Out velocity) const {
    for (std::size_t i = 0; i < dimension(); ++i) {
        displacement[i] = PhaseGrid::value(harmonics_of(i, In(response.displacement)), phi);
        if (field_->second_order()) {
            velocity[i] = PhaseGrid::value(harmonics_of(i, In(response.velocity)), phi);
        }
    }
}

}  // namespace lento
