#include "average/fast_part.hpp"

#include "base/eigenvalues.hpp"
#include "base/number.hpp"
#include "problem/probe.hpp"

namespace lento {

Harmonics::Harmonics(std::size_t dimension, std::span<const Phase> phases, std::size_t points)
    : dimension_(dimension), points_(points), grid_size_(1) {
    for (const auto& phase : phases) {
        frequencies_.push_back(phase.frequency);
        standing_ = std::max(standing_, 1e-9 * phase.frequency);
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

double Harmonics::along(std::size_t index, In values) const {
    double sum = 0;
    for (const double value : values) {
        sum += static_cast<double>(harmonic(index % points_)) * value;
        index /= points_;
    }
    return sum;
}

std::ptrdiff_t Harmonics::highest(std::size_t index) const {
    std::ptrdiff_t n = 0;
    for (; index > 0; index /= points_) {
        n = std::max(n, std::abs(harmonic(index % points_)));
    }
    return n;
}

void Harmonics::transform() {
    coefficients_.assign(values_.begin(), values_.end());
    along_each_phase(coefficients_, -1);
    for (auto& coefficient : coefficients_) {
        coefficient /= static_cast<double>(grid_size_);
    }
}

void Harmonics::along_each_phase(std::vector<std::complex<double>>& numbers, double sign) const {
    std::vector<std::complex<double>> roots;
    for (std::size_t k = 0; k < points_; ++k) {
        roots.push_back(
            std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(points_)));
    }
    std::vector<std::complex<double>> line(points_);
    std::size_t stride = dimension_;
    for (std::size_t phase = 0; phase < frequencies_.size(); ++phase, stride *= points_) {
        for (std::size_t first = 0; first < numbers.size(); ++first) {
            if (first / stride % points_ != 0) {
                continue;  // lines along this phase start where its index is 0
            }
            for (std::size_t n = 0; n < points_; ++n) {
                line[n] = 0;
                for (std::size_t j = 0; j < points_; ++j) {
                    line[n] += numbers[first + j * stride] * roots[n * j % points_];
                }
            }
            for (std::size_t n = 0; n < points_; ++n) {
                numbers[first + n * stride] = line[n];
            }
        }
    }
}

std::vector<double> Harmonics::integral_on_grid() const {
    std::vector<std::complex<double>> integral(coefficients_.size());
    for (std::size_t index = 0; index < grid_size_; ++index) {
        const double frequency = along(index, frequencies_);
        if (std::abs(frequency) <= standing_ || is_undetermined(index)) {
            continue;
        }
        for (std::size_t i = 0; i < dimension_; ++i) {
            integral[index * dimension_ + i] =
                coefficients_[index * dimension_ + i] / std::complex<double>(0, frequency);
        }
    }
    along_each_phase(integral, 1);
    std::vector<double> values;
    std::ranges::transform(integral, std::back_inserter(values), [](auto z) { return z.real(); });
    return values;
}

double Harmonics::tail() const {
    double high = 0;
    double all = 0;
    for (std::size_t index = 0; index < coefficients_.size(); ++index) {
        const double size = std::abs(coefficients_[index]);
        const bool upper = 4 * highest(index / dimension_) >= static_cast<std::ptrdiff_t>(points_);
        all = std::max(all, size);
        high = upper ? std::max(high, size) : high;
    }
    return all > 0 ? high / all : 0.0;
}

std::vector<double> Harmonics::frequencies(double share) const {
    double largest = 0;
    for (const auto& coefficient : coefficients_) {
        largest = std::max(largest, std::abs(coefficient));
    }
    std::vector<double> present;
    for (std::size_t index = 0; index < grid_size_; ++index) {
        const double frequency = along(index, frequencies_);
        const auto* first = coefficients_.data() + index * dimension_;
        const bool strong =
            std::any_of(first, first + dimension_, [&](auto c) { return std::abs(c) > share * largest; });
        if (strong && frequency > standing_) {
            present.push_back(frequency);
        }
    }
    return present;
}

Harmonics::Parts Harmonics::at(In theta) const {
    Parts parts{std::vector<double>(dimension_), std::vector<double>(dimension_), std::vector<double>(dimension_)};
    for (std::size_t index = 0; index < grid_size_; ++index) {
        if (is_undetermined(index)) {
            continue;
        }
        const double frequency = along(index, frequencies_);
        const auto turn = std::polar(1.0, along(index, theta));
        for (std::size_t i = 0; i < dimension_; ++i) {
            const auto term = coefficients_[index * dimension_ + i] * turn;
            if (std::abs(frequency) <= standing_) {
                parts.mean[i] += term.real();
            } else {
                parts.velocity[i] += term.imag() / frequency;
                parts.displacement[i] -= term.real() / (frequency * frequency);
            }
        }
    }
    return parts;
}

Harmonics FastPart::second(const Harmonics& first, In y, double t) {
    const auto& phases = acceleration_->problem().phases;
    const double step = std::ranges::max(phases, {}, &Phase::frequency).period();
    const auto mean = first.at(std::vector<double>(phases.size(), 0.0)).mean;
    Moved moved{.by = first.integral_on_grid()};
    // NOTE: a difference over one period is wrong by O(1/omega) of what is itself O(1/omega) of Delta.
    moved.rates = harmonics(combined(y, step, mean), {}, t + step, Moved{}).integral_on_grid();
    for (std::size_t k = 0; k < moved.rates.size(); ++k) {
        moved.rates[k] = (moved.rates[k] - moved.by[k]) / step;
    }
    return harmonics(y, {}, t, moved);
}

Harmonics FastPart::harmonics(In x, In v, double t, const Moved& moved) {
    Harmonics h(x.size(), acceleration_->problem().phases, points_);
    std::vector<double> theta(acceleration_->problem().phases.size());
    std::vector<double> position(x.begin(), x.end());
    for (std::size_t j = 0; j < h.grid_size(); ++j) {
        const auto here = [&](const std::vector<double>& all) {
            return all.empty() ? In() : In(all).subspan(j * x.size(), x.size());
        };
        position.assign(x.begin(), x.end());
        add_to(position, 1, here(moved.by));
        h.grid_phases(j, theta);
        const Out values = h.values(j);
        (*acceleration_)(position, v, t, theta, values);
        add_to(values, -1, here(moved.rates));
    }
    h.transform();
    return h;
}

double parametric_strength(Acceleration& acceleration, In x, In v, double t) {
    constexpr int phases = 8;
    const auto d = static_cast<Eigen::Index>(x.size());
    const auto& scales = acceleration.problem().scales;
    const double unit = scales.empty() ? 1.0 : largest(In(scales).first(x.size()));
    const double offset = 1e-5 * (largest(x) > 0 ? largest(x) : unit);
    FastPart fast(acceleration, x, v, t);
    std::vector<Eigen::MatrixXd> derivatives(phases, Eigen::MatrixXd::Zero(d, d));
    std::vector<double> moved(x.begin(), x.end());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(i);
        for (const double side : {1.0, -1.0}) {
            moved[i] = x[i] + side * offset;
            const auto displacements = fast.displacements(moved, v, t, phases);
            for (std::size_t k = 0; k < phases; ++k) {
                const Eigen::Map<const Eigen::VectorXd> there(displacements[k].data(), d);
                derivatives[k].col(column) += side * there / (2 * offset);
            }
        }
        moved[i] = x[i];
    }
    double strength = 0;
    for (const auto& derivative : derivatives) {
        if (derivative.allFinite()) {
            strength = std::max(strength, eigenvalues(derivative).cwiseAbs().maxCoeff());
        }
    }
    return strength;
}

PhasePoint averaged_state(Acceleration& acceleration, In q, In v, double t) {
    constexpr int passes = 6;
    PhasePoint slow{{q.begin(), q.end()}, {v.begin(), v.end()}};
    FastPart fast(acceleration, q, v, t);
    const auto theta = acceleration.problem().phases_at(t);
    for (int pass = 0; pass < passes; ++pass) {
        const auto part = fast.at(slow.position, slow.velocity, t, theta);
        slow.position = combined(q, -1, part.displacement);
        slow.velocity = combined(v, -1, part.velocity);
    }
    return slow;
}

PhasePoint true_state(Acceleration& acceleration, In X, In V, double t) {
    auto part = FastPart(acceleration, X, V, t).at(X, V, t, acceleration.problem().phases_at(t));
    add_to(part.displacement, 1, X);
    add_to(part.velocity, 1, V);
    return {std::move(part.displacement), std::move(part.velocity)};
}

}  // namespace lento
