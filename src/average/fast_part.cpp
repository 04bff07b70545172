#include "average/fast_part.hpp"

#include "base/eigenvalues.hpp"

namespace lento {
namespace {

/// Combinations of phases slower than this, relative to the fastest phase, count as standing still.
constexpr double resonant = 1e-9;

}  // namespace

Harmonics::Harmonics(std::size_t dimension, std::span<const Phase> phases, std::size_t points)
    : dimension_(dimension), phases_(phases.size()), points_(points), grid_size_(1) {
    for (const auto& phase : phases) {
        frequencies_.push_back(phase.frequency);
        grid_size_ *= points;
    }
    values_.resize(grid_size_ * dimension);
}

void Harmonics::grid_phases(std::size_t j, Out theta) const {
    for (auto& angle : theta) {
        angle = 2 * std::numbers::pi * static_cast<double>(j % points_) / static_cast<double>(points_);
        j /= points_;
    }
}

std::ptrdiff_t Harmonics::harmonic(std::size_t index) const {
    const auto n = static_cast<std::ptrdiff_t>(index);
    const auto m = static_cast<std::ptrdiff_t>(points_);
    return 2 * n <= m ? n : n - m;
}

void Harmonics::transform() {
    coefficients_.assign(values_.begin(), values_.end());
    std::vector<std::complex<double>> roots;
    for (std::size_t k = 0; k < points_; ++k) {
        roots.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points_)));
    }
    std::vector<std::complex<double>> line(points_);
    std::size_t stride = dimension_;
    for (std::size_t phase = 0; phase < phases_; ++phase, stride *= points_) {
        for (std::size_t first = 0; first < coefficients_.size(); ++first) {
            if (first / stride % points_ != 0) {
                continue;  // lines along this phase start where its index is 0
            }
            for (std::size_t n = 0; n < points_; ++n) {
                line[n] = 0;
                for (std::size_t j = 0; j < points_; ++j) {
                    line[n] += coefficients_[first + j * stride] * roots[n * j % points_];
                }
            }
            for (std::size_t n = 0; n < points_; ++n) {
                coefficients_[first + n * stride] = line[n] / static_cast<double>(points_);
            }
        }
    }
}

double Harmonics::tail() const {
    double high = 0;
    double all = 0;
    for (std::size_t index = 0; index < coefficients_.size(); ++index) {
        const double size = std::abs(coefficients_[index]);
        bool upper = false;
        std::size_t rest = index / dimension_;
        for (std::size_t phase = 0; phase < phases_; ++phase, rest /= points_) {
            upper = upper || 4 * std::abs(harmonic(rest % points_)) >= static_cast<std::ptrdiff_t>(points_);
        }
        all = std::max(all, size);
        high = upper ? std::max(high, size) : high;
    }
    return all > 0 ? high / all : 0.0;
}

std::vector<double> Harmonics::frequencies(double share) const {
    const double fastest = *std::max_element(frequencies_.begin(), frequencies_.end());
    double largest = 0;
    for (const auto& coefficient : coefficients_) {
        largest = std::max(largest, std::abs(coefficient));
    }
    std::vector<double> present;
    for (std::size_t index = 0; index < grid_size_; ++index) {
        double frequency = 0;
        std::size_t rest = index;
        for (std::size_t phase = 0; phase < phases_; ++phase, rest /= points_) {
            frequency += static_cast<double>(harmonic(rest % points_)) * frequencies_[phase];
        }
        const auto* first = coefficients_.data() + index * dimension_;
        const bool strong =
            std::any_of(first, first + dimension_, [&](auto c) { return std::abs(c) > share * largest; });
        if (strong && frequency > resonant * fastest) {
            present.push_back(frequency);
        }
    }
    return present;
}

Harmonics::Parts Harmonics::at(In theta) const {
    const double fastest = phases_ == 0 ? 0.0 : *std::max_element(frequencies_.begin(), frequencies_.end());
    Parts parts{std::vector<double>(dimension_), std::vector<double>(dimension_), std::vector<double>(dimension_)};
    for (std::size_t index = 0; index < grid_size_; ++index) {
        double frequency = 0;
        double angle = 0;
        bool nyquist = false;
        std::size_t rest = index;
        for (std::size_t phase = 0; phase < phases_; ++phase, rest /= points_) {
            const auto n = harmonic(rest % points_);
            nyquist = nyquist || 2 * n == static_cast<std::ptrdiff_t>(points_);
            frequency += static_cast<double>(n) * frequencies_[phase];
            angle += static_cast<double>(n) * theta[phase];
        }
        if (nyquist) {
            continue;  // its derivative is not determined by the grid
        }
        const auto turn = std::polar(1.0, angle);
        for (std::size_t i = 0; i < dimension_; ++i) {
            const auto term = coefficients_[index * dimension_ + i] * turn;
            if (std::abs(frequency) <= resonant * fastest) {
                parts.mean[i] += term.real();
            } else {
                parts.velocity[i] += term.imag() / frequency;
                parts.displacement[i] -= term.real() / (frequency * frequency);
            }
        }
    }
    return parts;
}

double parametric_strength(Acceleration& acceleration, In x, In v, double t) {
    constexpr int phases = 8;
    const auto d = static_cast<Eigen::Index>(x.size());
    double size = 0;
    for (const double component : x) {
        size = std::max(size, std::abs(component));
    }
    const double offset = 1e-5 * (size > 0 ? size : 1.0);
    FastPart fast(acceleration, x, v, t);
    std::vector<Eigen::MatrixXd> derivatives(phases, Eigen::MatrixXd(d, d));
    std::vector<double> moved(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        for (const double side : {1.0, -1.0}) {
            moved[i] = x[i] + side * offset;
            const auto displacements = fast.displacements(moved, v, t, phases);
            for (int k = 0; k < phases; ++k) {
                const Eigen::Map<const Eigen::VectorXd> there(displacements[static_cast<std::size_t>(k)].data(), d);
                auto& derivative = derivatives[static_cast<std::size_t>(k)];
                if (side > 0) {
                    derivative.col(column) = there / (2 * offset);
                } else {
                    derivative.col(column) -= there / (2 * offset);
                }
            }
        }
        moved[i] = x[i];
    }
    double largest = 0;
    for (const auto& derivative : derivatives) {
        if (derivative.allFinite()) {
            largest = std::max(largest, eigenvalues(derivative).cwiseAbs().maxCoeff());
        }
    }
    return largest;
}

PhasePoint averaged_state(Acceleration& acceleration, In q, In v, double t) {
    constexpr int passes = 6;
    PhasePoint slow{{q.begin(), q.end()}, {v.begin(), v.end()}};
    FastPart fast(acceleration, q, v, t);
    const auto theta = acceleration.problem().phases_at(t);
    for (int pass = 0; pass < passes; ++pass) {
        const auto part = fast.at(slow.position, slow.velocity, t, theta);
        for (std::size_t i = 0; i < q.size(); ++i) {
            slow.position[i] = q[i] - part.displacement[i];
            slow.velocity[i] = v[i] - part.velocity[i];
        }
    }
    return slow;
}

PhasePoint true_state(Acceleration& acceleration, In X, In V, double t) {
    auto part = FastPart(acceleration, X, V, t).at(X, V, t, acceleration.problem().phases_at(t));
    for (std::size_t i = 0; i < X.size(); ++i) {
        part.displacement[i] += X[i];
        part.velocity[i] += V[i];
    }
    return {std::move(part.displacement), std::move(part.velocity)};
}

PhasePoint filtered_state(Window& window, In q, In v, double t) {
    PhasePoint slow{std::vector<double>(q.size()), std::vector<double>(q.size())};
    std::vector<double> acceleration(q.size());
    window.average_motion({.x = q, .v = v, .t = t, .time = ExplicitTime::running}, slow.position, slow.velocity,
                          acceleration);
    return slow;
}

}  // namespace lento
