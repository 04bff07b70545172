#include "method/response_between.hpp"

#include <cmath>

namespace lento {

void ResponseBetween::add(double t, const Response& response) {
    barycentric_.push_back(1);
    for (std::size_t k = 0; k < times_.size(); ++k) {
        barycentric_[k] /= times_[k] - t;
        barycentric_.back() /= t - times_[k];
    }
    times_.push_back(t);
    auto& coefficients = coefficients_.emplace_back(response.displacement);
    coefficients.insert(coefficients.end(), response.velocity.begin(), response.velocity.end());
}

void ResponseBetween::fill_basis(double phi) {
    const double c = std::cos(phi);
    const double s = std::sin(phi);
    double cosine = 1;
    double sine = 0;
    for (std::size_t b = 0; b < basis_.size(); b += 2) {
        const double before = cosine;
        cosine = before * c - sine * s;
        sine = before * s + sine * c;
        basis_[b] = cosine;
        basis_[b + 1] = sine;
    }
}

/// By the barycentric formula: l_j = w_j/(t - t_j) over the sum of all.
void ResponseBetween::weigh_looks(double t) {
    weights_.assign(times_.size(), 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < times_.size(); ++j) {
        if (t == times_[j]) {
            weights_.assign(times_.size(), 0.0);
            weights_[j] = 1;
            return;
        }
        weights_[j] = barycentric_[j] / (t - times_[j]);
        sum += weights_[j];
    }
    for (double& weight : weights_) {
        weight /= sum;
    }
}

In ResponseBetween::at(double t, double phi) {
    fill_basis(phi);
    weigh_looks(t);
    for (std::size_t i = 0; i < result_.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < times_.size(); ++j) {
            double value = 0;
            for (std::size_t b = 0; b < basis_.size(); ++b) {
                value += coefficients_[j][i * basis_.size() + b] * basis_[b];
            }
            sum += weights_[j] * value;
        }
        result_[i] = sum;
    }
    return result_;
}

}  // namespace lento
