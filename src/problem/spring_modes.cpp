#include "problem/spring_modes.hpp"

#include "base/eigenvalues.hpp"
#include "base/number.hpp"

namespace lento {

SpringModes::SpringModes(const Problem& problem)
    : measures_(problem.springs->measures.get()),
      mass_(problem.mass),
      dimension_(problem.dimension()),
      gradient_(measures_->pattern().entries()),
      positions_(dimension_),
      entries_(gradient_.size()) {
    for (const auto& spring : problem.springs->entries) {
        strengths_.push_back(spring.strength);
    }
    frequencies_.resize(count());
    shapes_.resize(count() * dimension_);
    weights_.resize(count() * count());
    bends_.resize(count() * count() * dimension_);
}

bool SpringModes::at(double t, In x) {
    const auto& pattern = measures_->pattern();
    const auto n = static_cast<Eigen::Index>(count());
    const auto d = static_cast<Eigen::Index>(dimension_);
    measures_->gradient(x, t, gradient_);
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(d, n);  // (K^(1/2) g')^T
    for (std::size_t j = 0; j < count(); ++j) {
        for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
            rows(static_cast<Eigen::Index>(pattern.column(e)), static_cast<Eigen::Index>(j)) =
                std::sqrt(strengths_[j]) * gradient_[e];
        }
    }
    Eigen::MatrixXd moved = rows;
    std::vector<double> scratch(dimension_);
    for (Eigen::Index j = 0; j < n; ++j) {
        mass_.to_acceleration(Out(moved.col(j).data(), dimension_), Out(scratch));
    }
    const auto [squares, vectors] = symmetric_eigenpairs(rows.transpose() * moved);
    constexpr double singular = 1e-12;  // as `problem/spring_spectrum.hpp` has it
    if (!squares.allFinite() || !(squares.minCoeff() > singular * squares.maxCoeff())) {
        return false;
    }
    Eigen::Map<Eigen::MatrixXd> shapes(shapes_.data(), d, n);
    Eigen::Map<Eigen::MatrixXd> weights(weights_.data(), n, n);
    Eigen::Map<Eigen::VectorXd> frequencies(frequencies_.data(), n);
    const Eigen::Map<const Eigen::VectorXd> strengths(strengths_.data(), n);
    frequencies = squares.cwiseSqrt();
    shapes = moved * vectors * frequencies.cwiseInverse().asDiagonal();
    weights = strengths.cwiseSqrt().asDiagonal() * vectors * frequencies.cwiseInverse().asDiagonal();

    std::ranges::fill(bends_, 0.0);
    for (std::size_t j = 0; j < count(); ++j) {
        for (std::size_t i = 0; i < dimension_; ++i) {
            positions_[i] = Taylor::shaped(1, x[i]);
            positions_[i][1] = shape(j)[i];
        }
        measures_->gradient(positions_, Taylor::shaped(1, t), entries_);
        std::ranges::transform(entries_, gradient_.begin(), [](const Taylor& e) { return e.top() > 0 ? e[1] : 0.0; });
        for (std::size_t k = 0; k < count(); ++k) {
            pattern.add_transposed(gradient_, std::span(weights_).subspan(k * count(), count()),
                                   std::span(bends_).subspan((j * count() + k) * dimension_, dimension_));
        }
    }
    return std::isfinite(largest(bends_));
}

double SpringModes::turning(std::size_t j, std::size_t k, In v) const {
    if (j == k) {
        return 0;
    }
    const double one = frequencies_[j] * frequencies_[j];
    const double other = frequencies_[k] * frequencies_[k];
    return (other * product(bend(j, k), v) + one * product(bend(k, j), v)) / (other - one);
}

double SpringModes::component(std::size_t j, In y) const {
    return product(shape(j), mass_.times(y));
}

std::vector<double> SpringModes::tangential(In y) const {
    std::vector<double> moved(y.begin(), y.end()), scratch(dimension_);
    mass_.to_acceleration(Out(moved), Out(scratch));
    for (std::size_t k = 0; k < count(); ++k) {
        add_to(moved, -product(shape(k), y), shape(k));
    }
    return moved;
}

}  // namespace lento
