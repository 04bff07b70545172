/// The acceleration of a problem with coordinates, M^-1 f, and how often it was asked for. It has work space: each run
/// owns one.
///
/// Where there are constraints, their force is eliminated at the level of accelerations,
///
///     M a = f - g'^T lambda,  lambda = (g' M^-1 g'^T)^-1 (g' M^-1 f + g''[x', x'] + 2 g_t' x' + g_tt) (vibrated (B.1))
///
/// On the manifold these are the accelerations of the constrained motion, so whatever is to be known of the fast motion
/// can be found from them; methods that integrate them have to stay on the manifold by other means. A problem without
/// its constraints, `problem.free()`, has the active forces alone. Of variables the accelerations are their rates.
#pragma once

#include "base/vector.hpp"
#include "lento/problem/problem.hpp"
#include "problem/manifold.hpp"

namespace lento {

class Acceleration {
public:
    /// Keeps a problem of its own: parts are shared, so that a copy costs little.
    explicit Acceleration(const Problem& problem);

    void operator()(In x, In v, double t, In theta, Out a) {
        uncounted<dynamic>(x, v, t, theta, a);
        ++evaluations_;
    }
    std::vector<double> at(In x, In v, double t, In theta) {
        std::vector<double> a(x.size());
        (*this)(x, v, t, theta, a);
        return a;
    }

    /// For loops that `count` their calls afterwards. The number of coordinates may be known to the compiler.
    template <std::size_t E = dynamic>
    void uncounted(std::span<const double, E> x, std::span<const double, E> v, double t, In theta,
                   std::span<double, E> a) {
        if constexpr (E == 1) {
            if (const auto one = single()) {
                a[0] = (*one)(x[0], v[0], t, theta.empty() ? 0.0 : theta[0]);
                return;
            }
        }
        problem_->forces.at(x.data(), v.data(), t, theta.data(), parameters_, a.data());
        if (manifold_) {
            eliminate(x, v, t, a);
        } else if (!is_one_) {
            problem_->mass.to_acceleration(std::span<double>(a), std::span<double>(scratch_));
        }
    }
    /// The acceleration of one coordinate at one phase as a value: loops keep all of it in registers.
    struct Single {
        Forces::Single force;
        const double* parameters;
        double inverse_mass;
        double operator()(double x, double v, double t, double theta) const {
            // NOTE: a branch is foretold where a product would be waited for, a tenth of a micro-step of a pendulum.
            const double f = force.one(force.self, x, v, t, theta, parameters);
            return inverse_mass == 1 ? f : f * inverse_mass;
        }
        /// At x and v, and then at other_x and other_v + (change + factor times the first).
        Forces::Two two(double x, double v, double other_x, double other_v, double change, double factor, double t,
                        double theta) const {
            if (force.two == nullptr) {
                const double first = (*this)(x, v, t, theta);
                return {first, (*this)(other_x, other_v + (change + factor * first), t, theta)};
            }
            const auto [first, second] =
                force.two(force.self, x, v, other_x, other_v, change, factor * inverse_mass, t, theta, parameters);
            return inverse_mass == 1 ? Forces::Two{first, second}
                                     : Forces::Two{first * inverse_mass, second * inverse_mass};
        }
    };
    /// None where there are several coordinates, or the force takes no single numbers.
    std::optional<Single> single() const {
        return has_one_ ? std::optional(Single{problem_->forces.single(), parameters_, inverse_mass_}) : std::nullopt;
    }
    void count(std::int64_t evaluations) { evaluations_ += evaluations; }

    const Problem& problem() const { return *problem_; }
    std::int64_t evaluations() const { return evaluations_; }
    /// Of the last evaluation, where there are constraints.
    In multipliers() const { return lambda_; }

private:
    void eliminate(In x, In v, double t, Out a);

    std::unique_ptr<const Problem> problem_;
    const double* parameters_;
    bool has_one_, is_one_;    // is_one_: forces are accelerations
    double inverse_mass_ = 1;  // of a single coordinate
    std::int64_t evaluations_ = 0;
    std::unique_ptr<Manifold> manifold_;
    std::vector<double> scratch_, pull_, gradient_, lambda_;
};

}  // namespace lento
