/// Multistep methods of variable step and order, from 4 to 12 or 14, for x'' = F(t, x, x') (Stoermer and Cowell, in
/// the form that integrates the interpolating polynomial of F once for the velocity and twice for the position;
/// Krogh, Lecture Notes in Mathematics 362 (1974)) and, with one integral, for y' = F(t, y) (Adams). With the
/// notation of `march/newton_basis.hpp`, P the polynomial through the last k values of F:
///
///     predict     v + h int P,     x + h v + h^2 int int P                                   order k
///     evaluate    F there; delta = F - P(1)
///     correct     P + delta pi_k / pi_k(1) instead of P                                      order k + 1
///     evaluate    F there: the next value of the history                                     (PECE)
///
/// The difference between correctors through k and k + 1 values, delta h (int pi_k / pi_k(1) - int pi_{k-1} /
/// pi_{k-1}(1)), is the estimate of the local error; those of the neighbouring orders follow from the same differences,
/// and the order that allows the longest step is taken.
///
/// Besides F the right-hand side may hand over an auxiliary vector that the march keeps like F. What its last values
/// say of its future it gets back before each evaluation, as a series in slow time: the response of harmonic averages
/// needs slow derivatives of the fast force, and gets them from the past, for nothing. The first evaluation of a step
/// has that series as it is extrapolated, the second as the first found it: what this changes in F is no smaller than
/// what the corrector corrects. It is foreseen from the step before, where a deviation d' of the auxiliary vector from
/// its extrapolation changed F by c': by c' <d, d'>/<d', d'>.
#pragma once

#include <stop_token>

#include "lento/base/tolerance.hpp"
#include "lento/march/recorder.hpp"
#include "march/history.hpp"

namespace lento {

/// Of the auxiliary vector about the time of evaluation: coefficients of s = (time - t)/h, each so far behind the one
/// before.
struct AuxiliarySeries {
    int degree = 0;
    double h = 1;
    const double* coefficients = nullptr;
    std::size_t stride = 0;
};

class MultistepForce {
public:
    virtual ~MultistepForce() = default;

    /// y = (x, v) and F the acceleration; else y and F its rate.
    virtual bool second_order() const = 0;
    /// Of F.
    virtual std::size_t dimension() const = 0;
    virtual std::size_t auxiliary() const { return 0; }
    /// How many powers of slow time it wants to know of the auxiliary vector, at most.
    virtual int auxiliary_degree() const { return 0; }

    virtual void evaluate(double t, In y, const AuxiliarySeries& past, Out force, Out auxiliary) = 0;
    /// The last evaluation was that of a step that stands.
    virtual void accepted(double /*t*/, In /*y*/, const AuxiliarySeries& /*past*/, In /*force*/, In /*auxiliary*/) {}
};

/// x'' = acceleration(t, x, x'), and nothing beside it.
class AccelerationForce final : public MultistepForce {
public:
    AccelerationForce(const AveragedAcceleration& acceleration, std::size_t dimension)
        : acceleration_(&acceleration), dimension_(dimension) {}

    bool second_order() const override { return true; }
    std::size_t dimension() const override { return dimension_; }
    void evaluate(double t, In y, const AuxiliarySeries&, Out force, Out) override {
        (*acceleration_)(t, y.first(dimension_), y.subspan(dimension_), force);
    }

private:
    const AveragedAcceleration* acceleration_;
    std::size_t dimension_;
};

/// Where a march begins: the state, and (F, auxiliary) as a series in time about it, if only of degree 0.
struct MultistepStart {
    double t = 0;
    std::vector<double> y{};
    std::vector<double> series{};
    std::vector<double> scales{};  ///< how large each y_i is known to become; none: as large as it is
};

struct MultistepLimits {
    double longest = 0;   ///< step
    double shortest = 0;  ///< below it the march ends as not_converged
    std::size_t lowest_order = 4;
    std::size_t highest_order = 12;
    std::int64_t most_steps = 1'000'000'000;
};

class MultistepMarch {
public:
    MultistepMarch(MultistepForce& force, Tolerance tolerance, MultistepLimits limits);

    MarchResult run(const MultistepStart& start, double to, const StepListener& observer, const std::stop_token& stop);

    const std::vector<double>& state() const { return y_; }
    /// The largest of each |y_i| so far.
    const std::vector<double>& scales() const { return scales_; }
    /// The sum of the local errors, each over its tolerance.
    double local_errors() const { return errors_; }

private:
    /// The formulas of one step from the history as it is.
    struct Formulas {
        double h;
        std::size_t k;  ///< values that the predictor goes through
        NewtonIntegrals integrals;
        std::array<double, most_of_newton_basis> last{};  ///< pi_k / pi_k(1) in powers of s - 1

        double at_end(std::size_t i) const { return integrals.end[i]; }
        /// What a deviation at s = 1 adds to the integrals of the corrector through i values and that one.
        double once(std::size_t i) const { return integrals.once[i] / at_end(i); }
        double twice(std::size_t i) const { return integrals.twice[i] / at_end(i); }
    };
    /// Local errors over the tolerance, of the order and of its neighbours; infinite where these are not to be had.
    struct Errors {
        double below, own, above;
    };

    void begin(const MultistepStart& start, double to);
    Formulas formulas(double h);
    void predict(const Formulas& formulas);
    void correct(const Formulas& formulas);
    void extrapolate(const Formulas& formulas);
    AuxiliarySeries past(const Formulas& formulas) const;
    void evaluate(double t, const Formulas& formulas, In y);
    std::size_t degree() const;
    double foresee();
    void learn(double foreseen);
    Errors errors(const Formulas& formulas);
    double error_of(const Formulas& formulas, std::size_t k, In deviation) const;
    void accept(double t, const Formulas& formulas, double error);
    void choose(const Formulas& formulas, const Errors& errors);
    DenseStep dense(double from, double to, const Formulas& formulas) const;

    MultistepForce* force_;
    Tolerance tolerance_;
    MultistepLimits limits_;
    History history_;
    std::size_t n_, length_, stride_;  // of F; with the auxiliary vector; with what fills it up
    std::size_t k_ = 1;
    double step_ = 0;
    std::vector<double> y_, predicted_, corrected_;
    // (F, auxiliary) at the end of a step: as evaluated, as extrapolated, the difference; that of the first evaluation.
    std::vector<double> z_, extrapolated_, deviation_, correction_;
    std::vector<double> other_;    // a deviation of F as seen from another order
    std::vector<double> learned_;  // (c', d') of the step before
    std::vector<double> series_;   // about the end of a step
    std::vector<double> scales_;
    std::vector<double> weights_;  // one over the tolerances of the step under way
    double errors_ = 0;
};

}  // namespace lento
