/// What fast oscillations of stiff springs with an energy like that of the slow motion do to it, where they are small
/// (amplitudes O(1/omega); stiff (12) has one where they are not) and their frequencies depend on the slow coordinates.
/// Each mode (`problem/spring_modes.hpp`) keeps its action, an adiabatic invariant, so that its energy I_j mu_j(X) is a
/// potential of the slow motion (Rubin and Ungar, Commun. Pure Appl. Math. 10 (1957); Takens, Lect. Notes Math. 819
/// (1980); Bornemann, Lect. Notes Math. 1687 (1998)):
///
///     M X'' = ... - sum_j I_j grad mu_j(X),     I_j = E_j/mu_j at the start
///
/// Of the true start (x, v) and the slow one (X, V), with b_j = n_j^T M (x - X) and b_j' = n_j^T M (v - V) - sum_k
/// (n_j^T M n_k') b_k,
///
///     E_j = 1/2 (b_j'^2 + mu_j^2 b_j^2), times what makes their sum the energy that (X, V) lacks.
///
/// The last factor makes one action exact to O(omega^-2); of several each is to O(1/omega). Actions stay while no mode
/// changes by much in its period, and no two or three of them are in resonance, which is watched along the motion.
#pragma once

#include "judge/fast_oscillation.hpp"
#include "judge/mode_exchange.hpp"
#include "lento/base/options.hpp"
#include "lento/base/tolerance.hpp"
#include "lento/judge/violation.hpp"
#include "problem/spring_modes.hpp"

namespace lento {

class FastEnergy {
public:
    /// Why there are no actions that could stay, whatever the start; none: there may be.
    static std::optional<std::string> obstacle(const Problem& problem);

    /// NOTE: keeps a pointer to the problem, which has no `obstacle`.
    FastEnergy(const Problem& problem, const Outset& outset, In X, In V);

    In actions() const { return exchange_.actions; }
    /// Why these are no actions that stay: forces on the oscillations that depend on their velocity.
    const std::optional<std::string>& lost() const { return lost_; }
    /// Why they do not stay where the motion was asked for last, or on the way there.
    const std::optional<Violation>& violation() const { return violation_; }

    /// What the velocity along the level sets of springs changes by at most O(1/omega) beyond `turn_of_velocity`, where
    /// the oscillation (b, b') is taken out: in M V,
    ///
    ///     sum_{j != k} b_j' b_k (mu_j^2 q_jk + mu_k^2 q_kj) / (mu_k^2 - mu_j^2) - 1/2 sum_j b_j b_j' q_jj
    ///
    /// The last term is that of actions and phases as coordinates, b_j = sqrt(2 I_j/mu_j) sin(phi_j).
    std::vector<double> turn() const;

    /// a += the acceleration along the level sets that the potential gives. False where actions do not stay.
    [[nodiscard]] bool push(double t, In x, In v, Out a);
    /// Another march begins: where the last one ended is no part of its way.
    void begin_again() { last_.reset(); }

    /// Of y = (x, v), what oscillates about the slow motion, the largest where it was asked for:
    ///
    ///     sum_j |n_ji| sqrt(2 I_j/mu_j) of x_i,     sum_j |n_ji| sqrt(2 I_j mu_j) of v_i
    In amplitudes() const { return amplitudes_; }
    /// The share of the push that is not known: what actions may have changed by, and are uncertain by at the start.
    double uncertain_share() const;

private:
    void take_amplitudes();
    void find_actions(const Outset& outset, In X, In V);
    void require_steady_forces(const Outset& outset, In X, In V);
    bool stays(const ModeExchange::Exchange& found, double t);
    bool arrive(PointOfWay next);

    const Problem* problem_;
    SpringModes modes_;
    std::vector<double> moved_, rates_;  // b and b'
    ModeExchange exchange_;
    std::vector<double> amplitudes_;
    double largest_exchange_ = 0;
    std::optional<std::string> lost_;
    std::optional<Violation> violation_;
    std::optional<PointOfWay> last_;
};

/// What a run takes of it along.
struct FastEnergyOfRun {
    std::optional<FastEnergy> energy{};  ///< none where it does not matter beside the tolerance, or is left out
    std::optional<Violation> violation{};
    std::optional<std::string> warning{};
};

/// For the option of that name. Throws Misuse for a value that it does not have.
FastEnergyOfRun fast_energy_of_run(const Problem& problem, const Options& options, const Outset& outset, In X, In V,
                                   const FastOscillation& fast, const SlowSize& size, const Tolerance& tolerance);

}  // namespace lento
