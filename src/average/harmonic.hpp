/// Harmonic averages: the slow motion without micro-steps. The motion is X(t) plus a periodic response to the phase,
///
///     x = X(t) + Delta(t, phi),     x' = V(t) + W(t, phi),     <Delta> = <W> = 0,     V = X'
///
/// and along it d/dt = omega d/dphi + S, S the derivative in slow time. With a(X + Delta, V + W, phi) the acceleration
///
///     omega dW/dphi + S W = a - <a>,     omega dDelta/dphi + S Delta = W,     X'' = F = <a>
///
/// exactly. All slow quantities are truncated series in slow time; with P the antiderivative by phi without a mean,
/// sweep s has series of degree s - 1:
///
///     X_0 = X, X_1 = V, X_{j+2} = F_j / ((j+1)(j+2));     R_j = [a(X + Delta, V + W, phi)]_j,     F_j = <R_j>
///     W_j = (P/omega) (R_j - (j+1) W_{j+1}),     Delta_j = (P/omega) (W_j - (j+1) Delta_{j+1}),     j = s-1, ..., 0
///
/// and F = <a> once more at the end. What is periodic is kept by its harmonics (`PhaseGrid`), in which P is a division:
/// of c cos(h phi) + s sin(h phi) it makes (c sin(h phi) - s cos(h phi))/h. N sweeps leave an error O(omega^-N) in F;
/// N(N+1)/2 + 1 evaluations a phase.
/// First-order systems y' = f(y, phi), y = Y + Delta:
///
///     omega dDelta/dphi + S Delta = f - <f>,     Y_{j+1} = F_j / (j+1),     error O(omega^-(N+1)) for f of size one
#pragma once

#include "average/phase_field.hpp"
#include "average/phase_grid.hpp"

namespace lento {

/// The periodic response at one slow state by its harmonics, component after component.
struct Response {
    std::vector<double> displacement{};  ///< Delta
    std::vector<double> velocity{};      ///< W; empty for first-order systems
};

/// A slow state and what an average makes of it.
struct HarmonicSpot {
    double t = 0;
    std::vector<double> state{};  ///< (X, V), or Y
    Response response{};
    Response last_term{};                  ///< what the highest slow derivative added to it, where that is known
    std::vector<double> force{}, rates{};  ///< F, and the harmonics of a
};

class HarmonicAverage {
public:
    /// Over so many phases, the first of them so many turns from phase zero.
    HarmonicAverage(PhaseField& field, std::size_t phases, double first_turn = 0);

    PhaseField& field() const { return *field_; }
    const PhaseGrid& grid() const { return grid_; }
    std::size_t dimension() const { return field_->dimension(); }
    /// Of all components at the m phases, and the harmonics of all.
    std::size_t block() const { return dimension() * grid_.size(); }
    std::size_t harmonics() const { return dimension() * 2 * grid_.highest(); }

    /// Sweeps at slow states (X, V), or Y and V empty: none yet, and then one after the other. The state may be better
    /// known after each.
    void begin(double t);
    void sweep(In X, In V);
    /// F once more, with what the last sweep has found.
    void settle(In X, In V);
    /// All of it at one state.
    void sweep(int sweeps, double t, In X, In V);

    int sweeps() const { return sweeps_; }
    /// F by the evaluations so far, that of each sweep and the last one; the last of them.
    const std::vector<std::vector<double>>& forces() const { return forces_; }
    In force() const { return forces_.back(); }
    const Response& response() const { return response_; }
    /// a at the m phases, the last evaluation.
    In rates() const { return In(series_).first(block()); }
    /// F and the harmonics of a as series in slow time, of degree `sweeps() - 1`, from the last sweep.
    In force_series() const { return means_; }
    In rate_series() const { return rate_harmonics_; }

    /// The response to harmonics of a as a series in s = (time - t)/h; coefficient j of it begins at j `stride`.
    void respond(int degree, double h, const double* rates, std::size_t stride, Response& response) const;
    /// What the last coefficient adds to it.
    void respond_to_last(int degree, double h, const double* last, Response& response) const;

    /// The harmonics of a at a state with a given response, and its mean.
    void evaluate(double t, In X, In V, const Response& response, Out rates, Out force);

    /// F and the harmonics of a at a spot whose response is known, and all of it by sweeps there.
    void evaluate(HarmonicSpot& spot);
    HarmonicSpot spot(int sweeps, double t, std::vector<double> state);

    /// Harmonics on a grid of fewer phases, as they are on this one.
    std::vector<double> widened(In harmonics) const;

    /// What to add to a slow state at the common phase phi: (Delta, W).
    void at_phase(const Response& response, double phi, Out displacement, Out velocity) const;

private:
    Out harmonics_of(std::size_t i, Out all) const { return all.subspan(i * 2 * grid_.highest(), 2 * grid_.highest()); }
    In harmonics_of(std::size_t i, In all) const { return all.subspan(i * 2 * grid_.highest(), 2 * grid_.highest()); }
    void take(int degree, In rates, Out harmonics, Out means);
    template <class Found>
    void backward(int degree, double h, const double* rates, std::size_t stride, Found&& found) const;
    void resize(Response& response) const;
    void slow_series(int degree, In X, In V);

    PhaseField* field_;
    PhaseGrid grid_;
    Response response_;
    std::vector<std::vector<double>> forces_;
    double t_ = 0;
    int sweeps_ = 0;
    // Series of X + Delta, V + W and a at the phases; of Delta, W and a by harmonics; F_j.
    std::vector<double> x_, v_, series_, displacement_, velocity_, rate_harmonics_, means_;
    std::vector<double> periods_;  // -1/(h omega) and 1/(h omega), harmonic after harmonic of all components
};

}  // namespace lento
