#include "average/harmonic.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "step/weighted.hpp"

namespace lento {

namespace {

/// (P/omega) z of a harmonic z = (c, s), with (-1, 1)/(h omega).
inline Two integral(Two z, Two periods) {
    return periods * Two{z[1], z[0]};
}

}  // namespace

HarmonicAverage::HarmonicAverage(PhaseField& field, std::size_t phases, double first_turn)
    : field_(&field), grid_(phases, first_turn) {
    for (std::size_t i = 0; i < dimension(); ++i) {
        for (std::size_t h = 1; h <= grid_.highest(); ++h) {
            const double period = 1 / (static_cast<double>(h) * field.frequency());
            periods_.insert(periods_.end(), {-period, period});
        }
    }
}

/// W_j = (P/omega) (R_j - (j+1)/h W_{j+1}) and Delta_j likewise from W_j, or Delta_j from R_j alone: calls `found(j, c,
/// W_j, Delta_j)` for the harmonic whose numbers are c and c + 1.
template <class Found>
void HarmonicAverage::backward(int degree, double h, const double* rates, std::size_t stride, Found&& found) const {
    const bool twice = field_->second_order();
    const double per_h = 1 / h;
    for (std::size_t c = 0; c < periods_.size(); c += 2) {
        const Two periods = load<Two>(&periods_[c]);
        Two W{}, Delta{};
        for (int j = degree; j >= 0; --j) {
            const double rate = (j + 1) * per_h;
            W = integral(load<Two>(rates + static_cast<std::size_t>(j) * stride + c) - rate * W, periods);
            Delta = twice ? integral(W - rate * Delta, periods) : W;
            found(static_cast<std::size_t>(j), c, W, Delta);
        }
    }
}

void HarmonicAverage::resize(Response& response) const {
    response.displacement.resize(harmonics());
    response.velocity.resize(field_->second_order() ? harmonics() : 0);
}

void HarmonicAverage::respond(int degree, double h, const double* rates, std::size_t stride, Response& response) const {
    resize(response);
    const bool twice = field_->second_order();
    backward(degree, h, rates, stride, [&](std::size_t j, std::size_t c, Two W, Two Delta) {
        if (j == 0) {
            store(&response.displacement[c], Delta);
            if (twice) {
                store(&response.velocity[c], W);
            }
        }
    });
}

/// W and Delta to R s^d are (P/omega)^(d+1) (-d/ds)^d R s^d/h^d, and d + 1 times (P/omega) of it.
void HarmonicAverage::respond_to_last(int degree, double h, const double* last, Response& response) const {
    resize(response);
    const bool twice = field_->second_order();
    for (std::size_t c = 0; c < periods_.size(); c += 2) {
        const Two periods = load<Two>(&periods_[c]);
        Two W = integral(load<Two>(last + c), periods);
        for (int j = degree; j > 0; --j) {
            W = integral((-j / h) * W, periods);
        }
        store(&response.displacement[c], twice ? (degree + 1.0) * integral(W, periods) : W);
        if (twice) {
            store(&response.velocity[c], W);
        }
    }
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
    field_->evaluate(degree, grid_.size(), t_, x_, v_, series_, grid_.first_turn());
    take(degree, series_, rate_harmonics_, means_);
    forces_.emplace_back(means_.begin(), means_.begin() + static_cast<std::ptrdiff_t>(dimension()));
    backward(degree, 1, rate_harmonics_.data(), harmonics(), [&](std::size_t j, std::size_t c, Two W, Two Delta) {
        store(&displacement_[j * harmonics() + c], Delta);
        store(&velocity_[j * harmonics() + c], W);
    });
    const auto first = [&](std::vector<double>& series) { return In(series).first(harmonics()); };
    resize(response_);
    std::ranges::copy(first(displacement_), response_.displacement.begin());
    std::ranges::copy(first(velocity_).first(response_.velocity.size()), response_.velocity.begin());
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
    field_->evaluate(0, m, t, x_, v_, series_, grid_.first_turn());
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
    const std::size_t fewer = harmonics_of_fewer.size() / dimension();
    std::vector<double> result(harmonics());
    for (std::size_t i = 0; i < dimension(); ++i) {
        std::ranges::copy(harmonics_of_fewer.subspan(i * fewer, fewer), harmonics_of(i, Out(result)).begin());
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
