/// What methods know of a system whose type they do not know: its names, its phases, its period.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lento/average/micro_flow.hpp"
#include "lento/problem/time_scales.hpp"

namespace lento {

class MotionFacts {
public:
    enum class Unknowns { variables, coordinates };

    /// Of coordinates or variables.
    const std::vector<std::string>& names() const { return names_; }
    /// Whether y = (x, v); else y are variables.
    bool second_order() const { return kind_ == Unknowns::coordinates; }
    std::size_t unknowns() const { return unknowns_; }
    const std::vector<Phase>& phases() const { return phases_; }
    /// Common to all phases, or declared; none if nobody knows it.
    std::optional<double> period() const { return period_; }

protected:
    template <class System>
    MotionFacts(const System& system, Unknowns kind)
        : names_(system.names()),
          kind_(kind),
          unknowns_(names_.size() * (kind == Unknowns::coordinates ? 2 : 1)),
          phases_(system.phases()) {
        if (!phases_.empty() || system.period()) {
            period_ = time_scales(system).common_period;
        }
    }
    PhaseClock clock(double t_start) const { return {phases_, period_, t_start}; }

private:
    std::vector<std::string> names_;
    Unknowns kind_;
    std::size_t unknowns_;
    std::vector<Phase> phases_;
    std::optional<double> period_;
};

}  // namespace lento
