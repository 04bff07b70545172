/// Harmonic averages: the slow motion without micro-steps. The motion is X(t) plus a periodic response to the phase,
///
///     x = X(t) + Delta(t, phi),     x' = V(t) + W(t, phi),     <Delta> = <W> = 0,     V = X'
///
/// and along it d/dt = omega d/dphi + S, S the derivative in slow time. With a(X + Delta, V + W, phi) the acceleration
///
///     omega dW/dphi + S W = a - <a>,     omega dDelta/dphi + S Delta = W,     X'' = F = <a>
///
/// exactly. All slow quantities are truncated series in slow time; with P the antiderivative without mean
/// (`PhaseGrid`), sweep s has series of degree s - 1:
///
///     X_0 = X, X_1 = V, X_{j+2} = F_j / ((j+1)(j+2));     R_j = [a(X + Delta, V + W, phi)]_j,     F_j = <R_j>
///     W_j = (P/omega) (R_j - (j+1) W_{j+1}),     Delta_j = (P/omega) (W_j - (j+1) Delta_{j+1}),     j = s-1, ..., 0
///
/// and F = <a> once more at the end. N sweeps leave an error O(omega^-N) in F; N(N+1)/2 + 1 evaluations a phase.
/// First-order systems y' = f(y, phi), y = Y + Delta:
///
///     omega dDelta/dphi + S Delta = f - <f>,     Y_{j+1} = F_j / (j+1),     error O(omega^-(N+1)) for f of size one
#pragma once

#include "average/phase_field.hpp"

namespace lento {

/// m equally spaced phases phi_k = 2 pi k / m, and trigonometric interpolation on them:
///
///     mean        <g> = (1/m) sum_k g(phi_k)
///     inverse     P, the antiderivative by phi without a mean, of g without its mean; a circulant matrix
///     value       g at any phase
///
/// All are exact for trigonometric polynomials of degree below m/2; of the highest harmonic of an even m, whose phase m
/// points do not tell, P takes nothing.
class PhaseGrid {
public:
    explicit PhaseGrid(std::size_t points);

    std::size_t size() const { return m_; }

    double mean(In g) const;

    /// result = factor P (g - rate h); h is not looked at where the rate is zero.
    void inverse(double factor, In g, double rate, In h, Out result) const;

    /// Of g(phi_k) in g(phi).
    double weight(std::size_t k, double phi) const;
    /// g(phi)
    double value(In g, double phi) const;

private:
    std::size_t m_;
    std::vector<double> circulant_;  // P_(k, j) = circulant_[m - 1 + k - j]
};

/// The periodic response at one slow state: blocks of one coefficient.
struct Response {
    std::vector<double> displacement{};  ///< Delta at the m phases
    std::vector<double> velocity{};      ///< W; empty for first-order systems
};

/// A phase, in turns of the common one, and the weights of the values at the m phases in the interpolation there.
struct PhaseBetween {
    double turns = 0;
    std::vector<double> weights{};
};

class HarmonicAverage {
public:
    HarmonicAverage(PhaseField& field, std::size_t phases);

    PhaseField& field() const { return *field_; }
    const PhaseGrid& grid() const { return grid_; }
    std::size_t dimension() const { return field_->dimension(); }
    /// Of a block of one coefficient.
    std::size_t block() const { return dimension() * grid_.size(); }

    /// Of the components of F, where the largest change is looked for; all one if not set.
    void set_weights(In weights) { weights_.assign(weights.begin(), weights.end()); }

    /// N sweeps at the slow state (X, V), or Y and V empty; the results are below.
    void sweep(int sweeps, double t, In X, In V);

    /// F; how much the sweeps and the last evaluation changed it, one after the other, in the largest component.
    In force() const { return force_; }
    In changes() const { return changes_; }
    const Response& response() const { return response_; }
    /// That of one sweep less.
    const Response& response_before() const { return before_; }
    /// a at the m phases, the last evaluation.
    In rates() const { return rates_; }
    /// Their coefficients in slow time from the last sweep, of degree N - 1.
    In series() const { return series_; }
    int degree() const { return degree_; }

    /// The response to given series of a in s = (time - t)/h, of a degree.
    void respond(int degree, double h, In rates, Response& response);

    /// a at the m phases of a state with a given response, and its mean.
    void evaluate(double t, In X, In V, const Response& response, Out rates, Out force);

    /// A phase between those of the grid. It is worth keeping where it is looked at again.
    PhaseBetween between(double turns) const;
    /// What a at such a phase differs by from the interpolation of `rates`, component by component: harmonics that the
    /// grid takes for others. One evaluation.
    void between_phases(const PhaseBetween& place, double t, In X, In V, const Response& response, In rates,
                        Out differences);

    /// What to add to a slow state at the common phase phi: (Delta, W).
    void at_phase(const Response& response, double phi, Out displacement, Out velocity) const;

private:
    void means(In block, Out result) const;
    void backward(int degree, double h, In source, Out result);
    void slow_series(int degree, In X, In V);

    PhaseField* field_;
    PhaseGrid grid_;
    Response response_, before_;
    std::vector<double> weights_, force_, changes_, rates_, series_;
    int degree_ = 0;
    // Work space: blocks of series of X + Delta, V + W, a, Delta, W; means F_j.
    std::vector<double> x_, v_, displacement_, velocity_, means_;
};

}  // namespace lento
