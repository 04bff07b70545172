/// The right-hand side of a system with a fast phase at m phases at once, as truncated series in slow time: what harmonic averages are made
/// from. Methods that use it are compiled once; what is called once for all m phases is indirect.
///
/// Blocks of numbers hold coefficient after coefficient of a series, in each component after component, in each its m phases side by side.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/problem/first_order_system.hpp"
#include "lento/problem/time_scales.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento {

class PhaseField {
public:
    virtual ~PhaseField() = default;

    const std::vector<std::string>& names() const { return names_; }
    std::size_t dimension() const { return names_.size(); }
    /// x'' = a(x, x', t, theta); else y' = a(y, t, theta).
    bool second_order() const { return second_order_; }
    const std::vector<Phase>& phases() const { return phases_; }
    /// Common to all phases; none if there is none.
    std::optional<double> period() const { return period_; }
    double frequency() const { return 2 * std::numbers::pi / period_.value_or(NAN); }
    /// The common phase, which is zero where t is.
    double phase(double t) const { return reduced_phase(frequency(), t, 0); }

    /// Coefficients 0 to `degree` of a at m phases, from those of x and v (or of y, and v empty), about the time t.
    void evaluate(int degree, std::size_t m, double t, std::span<const double> x, std::span<const double> v,
                  std::span<double> a) {
        set_phases(m);
        blocks(degree, t, x, v, a);
        evaluations_ += static_cast<std::int64_t>(m) * (degree + 1);
    }

    /// A series of degree d counts d + 1.
    std::int64_t evaluations() const { return evaluations_; }

protected:
    template <class System>
    PhaseField(const System& system, bool second_order)
        : names_(system.names()), second_order_(second_order), phases_(system.phases()) {
        if (!phases_.empty() || system.period()) {
            period_ = time_scales(system).common_period;
        }
    }

    virtual void blocks(int degree, double t, std::span<const double> x, std::span<const double> v,
                        std::span<double> a) = 0;

    std::size_t points() const { return points_; }
    /// Those of point k stand side by side.
    std::span<const double> theta(std::size_t k) const { return {theta_.data() + k * phases_.size(), phases_.size()}; }

private:
    void set_phases(std::size_t m) {
        if (m == points_) {
            return;
        }
        points_ = m;
        theta_.clear();
        for (std::size_t k = 0; k < m; ++k) {
            for (const auto& phase : phases_) {
                const double turns = std::round(phase.frequency / frequency());
                theta_.push_back(phase.start + 2 * std::numbers::pi *
                                                   std::fmod(turns * static_cast<double>(k), static_cast<double>(m)) /
                                                   static_cast<double>(m));
            }
        }
    }

    std::vector<std::string> names_;
    bool second_order_;
    std::vector<Phase> phases_;
    std::optional<double> period_;
    std::size_t points_ = 0;
    std::vector<double> theta_;
    std::int64_t evaluations_ = 0;
};

namespace phase_field_detail {

/// Component i at phase k, of `degree + 1` coefficients.
struct Layout {
    std::size_t n, m;

    std::size_t at(int coefficient, std::size_t i, std::size_t k) const {
        return (static_cast<std::size_t>(coefficient) * n + i) * m + k;
    }
    void gather(int degree, std::span<const double> block, std::size_t k, std::span<Taylor> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = Taylor(block[at(0, i, k)]);
            values[i].raise(degree);
            for (int j = 1; j <= degree; ++j) {
                values[i][j] = block[at(j, i, k)];
            }
        }
    }
    void scatter(int degree, std::span<const Taylor> values, std::size_t k, std::span<double> block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            for (int j = 0; j <= degree; ++j) {
                block[at(j, i, k)] = j <= values[i].top() ? values[i][j] : 0.0;
            }
        }
    }
    void gather(std::span<const double> block, std::size_t k, std::span<double> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = block[at(0, i, k)];
        }
    }
    void scatter(std::span<const double> values, std::size_t k, std::span<double> block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            block[at(0, i, k)] = values[i];
        }
    }
};

}  // namespace phase_field_detail

/// Of a system with coordinates.
template <class System>
class CoordinatesField final : public PhaseField {
public:
    explicit CoordinatesField(System system)
        : PhaseField(system, true),
          system_(std::move(system)),
          numbers_(4 * system_.dimension()),
          series_(4 * system_.dimension()) {}

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double> v,
                std::span<double> a) override {
        const phase_field_detail::Layout layout{dimension(), points()};
        if (degree == 0) {
            const auto [position, velocity, force, scratch] = parts<double>(numbers_);
            for (std::size_t k = 0; k < points(); ++k) {
                layout.gather(x, k, position);
                layout.gather(v, k, velocity);
                accelerate<double>(position, velocity, t, theta(k), force, scratch);
                layout.scatter(force, k, a);
            }
            return;
        }
        const auto [position, velocity, force, scratch] = parts<Taylor>(series_);
        std::vector<Taylor> angles(phases().size());
        for (std::size_t k = 0; k < points(); ++k) {
            layout.gather(degree, x, k, position);
            layout.gather(degree, v, k, velocity);
            std::copy(theta(k).begin(), theta(k).end(), angles.begin());
            accelerate<Taylor>(position, velocity, Taylor::variable(t, degree), angles, force, scratch);
            layout.scatter(degree, force, k, a);
        }
    }

    template <class S>
    struct Parts {
        std::span<S> position, velocity, force, scratch;
    };
    template <class S>
    Parts<S> parts(std::vector<S>& all) const {
        const std::size_t n = dimension();
        const std::span<S> whole(all);
        return {whole.subspan(0, n), whole.subspan(n, n), whole.subspan(2 * n, n), whole.subspan(3 * n, n)};
    }

    template <class S>
    void accelerate(std::span<const S> x, std::span<const S> v, S t, std::span<const S> theta, std::span<S> force,
                    std::span<S> scratch) const {
        constexpr auto extent = System::extent;
        system_.template force<S>(view<extent>(x), view<extent>(v), t, theta, view<extent>(force));
        system_.mass().to_acceleration(force, scratch);
    }

    System system_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

/// Of a first-order system.
template <class System>
class VariablesField final : public PhaseField {
public:
    explicit VariablesField(System system)
        : PhaseField(system, false),
          system_(std::move(system)),
          numbers_(2 * system_.dimension()),
          series_(2 * system_.dimension()) {}

private:
    void blocks(int degree, double t, std::span<const double> x, std::span<const double>,
                std::span<double> a) override {
        const phase_field_detail::Layout layout{dimension(), points()};
        if (degree == 0) {
            const auto y = std::span<double>(numbers_).first(dimension());
            const auto rate = std::span<double>(numbers_).last(dimension());
            for (std::size_t k = 0; k < points(); ++k) {
                layout.gather(x, k, y);
                system_.template rate<double>(y, t, theta(k), rate);
                layout.scatter(rate, k, a);
            }
            return;
        }
        const auto y = std::span<Taylor>(series_).first(dimension());
        const auto rate = std::span<Taylor>(series_).last(dimension());
        std::vector<Taylor> angles(phases().size());
        for (std::size_t k = 0; k < points(); ++k) {
            layout.gather(degree, x, k, y);
            std::copy(theta(k).begin(), theta(k).end(), angles.begin());
            system_.template rate<Taylor>(y, Taylor::variable(t, degree), angles, rate);
            layout.scatter(degree, rate, k, a);
        }
    }

    System system_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace lento
