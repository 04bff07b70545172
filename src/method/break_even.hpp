/// Whether averaging is worth it: what resolving every vibration would cost, and what speaks against harmonic averages.
#pragma once

#include <optional>
#include <string>

#include "harmonic_start.hpp"
#include "lento/average/phase_field.hpp"
#include "lento/base/outcome.hpp"
#include "lento/method/request.hpp"

namespace lento {

class BreakEven {
public:
    BreakEven(const PhaseField& field, const Request& request);

    double periods() const { return length_ / period_; }
    /// Evaluations, roughly: 65 a period at a tolerance of 1e-4, 400 at 1e-8.
    double price_of_direct() const;
    /// Frequency of the vibration over that of the slow motion.
    double separation(const HarmonicPlan& plan) const;

    /// Why resolving is cheaper than two marches whose steps may err by that share of the tolerance; empty where it is not.
    std::string no_gain(const HarmonicPlan& plan, double tightness) const;
    std::string too_few_periods() const;

private:
    double length_, period_, frequency_, rtol_;
};

struct NoConvergence {
    Outcome outcome;
    std::string sentence, advice;
};
/// Why sweeps do not lead to a response; none where they do.
std::optional<NoConvergence> no_convergence(const HarmonicPlan& plan);

}  // namespace lento
