/// Whether averaging is worth it: what resolving every vibration would cost, and what speaks against harmonic averages.
#pragma once

#include <optional>
#include <string>

#include "average/phase_field.hpp"
#include "lento/base/outcome.hpp"
#include "lento/judge/outset.hpp"
#include "method/harmonic_start.hpp"

namespace lento {

class BreakEven {
public:
    BreakEven(const PhaseField& field, const Outset& outset);

    double periods() const { return length_ / period_; }
    /// Evaluations, roughly.
    double price_of_direct() const;
    /// Frequency of the vibration over that of the slow motion.
    double separation(const HarmonicPlan& plan) const;

    /// Why steps that may err by that share of the tolerance would be too short to know slow derivatives from the past; empty where not.
    std::string too_short_steps(const HarmonicPlan& plan, double tightness) const;
    /// Whether two marches with such steps take more evaluations than resolving every vibration.
    bool dearer(const HarmonicPlan& plan, double tightness) const;
    std::string too_few_periods() const;

private:
    double step(const HarmonicPlan& plan, double tightness) const;

    double length_, period_, frequency_, rtol_;
};

struct NoConvergence {
    Outcome outcome;
    std::string sentence, advice;
};
/// Why sweeps do not lead to a response; none where they do.
std::optional<NoConvergence> no_convergence(const HarmonicPlan& plan);

}  // namespace lento
