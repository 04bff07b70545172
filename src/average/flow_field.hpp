/// A first-order system with a large part whose flow is periodic and known, y' = A(y) + B(y, t, theta), in unknowns
/// that the large part leaves alone. With phi the flow of A, T its period and tau = t mod T
///
///     y = phi_tau(z),     z' = D phi_{-tau}(y) [B(y, t, theta)]
///
/// a rate of the size of B that depends on time slowly and through tau. It is evaluated at tau_k = k T / m.
#pragma once

#include "average/phase_field.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

class FlowField final : public PhaseField {
public:
    /// Of forces and an exact part that take series.
    explicit FlowField(const Problem& problem);

    void enter(double t, Out y) override { move(-time_of_flow(phase(t)), y); }
    void leave(double t, Out z) override { move(time_of_flow(phase(t)), z); }

    /// Why the last motion along the flow that was not possible was not, if that was so.
    std::optional<std::string> failure() const { return failure_; }

    /// Why the declared period T is not one of the flow, if it is not: phi_T has to leave y alone, and the points near
    /// it. What it moves them by adds up over the periods of a run, and has to stay below the tolerance, relative to
    /// the sizes of the components.
    std::optional<std::string> not_periodic(In y, double periods, double tolerance);

private:
    void blocks(int degree, double t, In z, In, Out a) override;
    /// At all phases, with S the numbers to calculate with.
    template <class S>
    void rates(int degree, double t, In z, Out a);
    void move(double tau, Out y);
    void fail() { failure_ = flow_->failure(); }

    double time_of_flow(double phase) const { return phase / frequency(); }
    /// tau_k, backwards where that is shorter.
    double time_at(std::size_t k) const { return (turns(k) > 0.5 ? turns(k) - 1 : turns(k)) * *period(); }

    Problem problem_;
    std::unique_ptr<BlockForces> forces_;
    std::unique_ptr<ExactFlow> flow_;
    std::vector<double> points_on_flow_, rates_;
    std::optional<std::string> failure_;
};

}  // namespace lento
