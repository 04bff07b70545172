/// The map over one period of a motion, Psi, and the averaged field recovered from it (stroboscopic (3), (25), (26),
/// (29)).
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "average/map_field.hpp"
#include "lento/lento.hpp"

namespace lento::papers {

/// By n micro-steps a period; with so many of order 8 as here it has no error beside those that are measured.
class OnePeriod {
public:
    OnePeriod(const Problem& problem, double period, std::string_view micro = "dopri8", std::size_t n = 128)
        : flow_(micro_flow(problem, micro, 0)), map_(*flow_, period, n) {}

    /// Psi^count(y).
    std::vector<double> after(std::size_t count, const std::vector<double>& y) {
        const auto z = with_time(y);
        std::vector<double> changes(count * z.size());
        map_.iterate(z, 1, count, changes);
        std::vector<double> end = y;
        for (std::size_t i = 0; i < y.size(); ++i) {
            end[i] += changes[(count - 1) * z.size() + i];
        }
        return end;
    }
    /// F(y), a unit of time.
    std::vector<double> field(Recovery recovery, int order, const std::vector<double>& y) {
        const auto z = with_time(y);
        std::vector<double> F(z.size());
        MapField(recovery, order)(map_, z, F);
        F.pop_back();
        for (double& component : F) {
            component /= map_.period();
        }
        return F;
    }

private:
    static std::vector<double> with_time(std::vector<double> y) {
        y.push_back(0);
        return y;
    }

    std::unique_ptr<MicroFlow> flow_;
    FixedPeriod map_;
};

}  // namespace lento::papers
