/// Systems with stiff springs behind one face, so that methods for them are compiled once:
///
///     M x'' = f(x, x', t) - sum_j k_j g_j g_j'^T                (`problem/stiff_system.hpp`)
///
/// Only what is called once a window is indirect.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lento/average/stiff_window.hpp"
#include "lento/problem/sparse_pattern.hpp"
#include "lento/problem/spring_series.hpp"
#include "lento/problem/spring_spectrum.hpp"
#include "lento/problem/stiff_system.hpp"
#include "lento/problem/time_scales.hpp"

namespace lento {

/// A system with stiff springs as methods see it, whatever its springs are written in.
class StiffMotion {
public:
    virtual ~StiffMotion() = default;

    std::size_t dimension() const { return dimension_; }
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<Phase>& phases() const { return phases_; }
    const Mass& mass() const { return mass_; }
    const std::vector<SpringEntry>& springs() const { return springs_; }
    std::size_t measures() const { return springs_.back().last; }

    /// The measures of all springs, and their rates of change.
    virtual void values(double t, std::span<const double> x, std::span<double> g) const = 0;
    virtual void rates(double t, std::span<const double> x, std::span<const double> v, std::span<double> dg) const = 0;
    /// Where the entries of the measures' gradient are, and the entries.
    virtual const SparsePattern& pattern() const = 0;
    virtual void gradient(double t, std::span<const double> x, std::span<double> entries) const = 0;
    virtual SpringSpectrum spectrum(double t, std::span<const double> x) const = 0;
    virtual std::unique_ptr<StiffWindow> window(std::string_view micro, const TimeScales& scales,
                                                const WindowShape& shape) const = 0;

    /// The energy of the springs, 1/2 sum_j k_j (g_j^2 + (g_j'/omega_j)^2), and that of the motion, 1/2 v^T M v.
    double spring_energy(double t, std::span<const double> x, std::span<const double> v) const;
    double kinetic_energy(std::span<const double> v) const;

    /// The whole acceleration, springs included, with work space of its own.
    using Acceleration =
        std::function<void(double t, std::span<const double> x, std::span<const double> v, std::span<double> a)>;
    virtual Acceleration acceleration() const = 0;

    /// Slow force and elongations along series in time; none where the force takes double alone.
    virtual std::unique_ptr<SpringSeries> series() const = 0;

    /// All frequencies times `factor`.
    virtual std::unique_ptr<StiffMotion> stiffened(double factor) const = 0;

protected:
    template <class Springs>
    explicit StiffMotion(const StiffSystem<Springs>& system)
        : dimension_(system.dimension()),
          names_(system.names()),
          phases_(system.phases()),
          mass_(system.mass()),
          springs_(system.springs().entries()) {}

private:
    std::size_t dimension_;
    std::vector<std::string> names_;
    std::vector<Phase> phases_;
    Mass mass_;
    std::vector<SpringEntry> springs_;
};

template <class Springs>
class SpringsMotion final : public StiffMotion {
public:
    explicit SpringsMotion(StiffSystem<Springs> system) : StiffMotion(system), system_(std::move(system)) {}

    void values(double t, std::span<const double> x, std::span<double> g) const override {
        system_.springs().measures().values(x, t, g);
    }
    void rates(double t, std::span<const double> x, std::span<const double> v, std::span<double> dg) const override {
        system_.springs().measures().rates(x, v, t, Clock::running, dg);
    }
    const SparsePattern& pattern() const override { return system_.springs().measures().pattern(); }
    void gradient(double t, std::span<const double> x, std::span<double> entries) const override {
        system_.springs().measures().gradient(x, t, entries);
    }
    SpringSpectrum spectrum(double t, std::span<const double> x) const override {
        return spring_spectrum(system_, x, t);
    }
    std::unique_ptr<StiffWindow> window(std::string_view micro, const TimeScales& scales,
                                        const WindowShape& shape) const override {
        return std::make_unique<SpringsWindow<Springs>>(system_, micro, scales, shape);
    }
    Acceleration acceleration() const override {
        return [own = std::make_shared<Whole>(system_.whole())](double t, std::span<const double> x,
                                                                std::span<const double> v, std::span<double> a) {
            own->acceleration(x, v, t, {}, a);
        };
    }
    std::unique_ptr<SpringSeries> series() const override { return system_.springs().series(); }
    std::unique_ptr<StiffMotion> stiffened(double factor) const override {
        return std::make_unique<SpringsMotion>(system_.stiffened(factor));
    }

private:
    struct Whole {
        explicit Whole(const typename StiffSystem<Springs>::Whole& all) : system(all), acceleration(system) {}
        typename StiffSystem<Springs>::Whole system;
        lento::Acceleration<typename StiffSystem<Springs>::Whole> acceleration;
    };

    StiffSystem<Springs> system_;
};

}  // namespace lento
