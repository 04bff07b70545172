/// Whether averaging is worth it: what resolving every vibration would cost, and what speaks against averages whose
/// slow derivatives come from past steps (`method::harmonic`).
#pragma once

#include <string>

#include "average/phase_field.hpp"
#include "lento/judge/outset.hpp"
#include "lento/problem/problem.hpp"

namespace lento {

/// The slow motion as a method has found it at the start.
struct SlowPace {
    double frequency = 0;  ///< of the slow motion, roughly
    double step = 0;       ///< that it allows at the whole tolerance, roughly
    double evaluations_a_step = 0;
};

class BreakEven {
public:
    BreakEven(const Problem& problem, const PhaseField& field, const Outset& outset);

    double periods() const { return length_ / period_; }
    /// Evaluations, roughly.
    double price_of_direct() const { return price_of_direct_; }
    /// Frequency of the vibration over that of the slow motion.
    double separation(const SlowPace& pace) const;

    /// Why steps that may err by that share of the tolerance are too short to know slow derivatives from the past.
    std::string too_short_steps(const SlowPace& pace, double tightness) const;
    /// Whether two marches with such steps take more evaluations than resolving every vibration.
    bool dearer(const SlowPace& pace, double tightness) const;
    std::string too_few_periods() const;

private:
    double step(const SlowPace& pace, double tightness) const;

    double length_, period_, frequency_, price_of_direct_;
};

}  // namespace lento
