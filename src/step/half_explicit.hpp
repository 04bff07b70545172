/// Half-explicit Runge-Kutta methods for systems of index 2, y' = F(y, z), G(y) = 0     (stroboscopic (45) to (48))
///
///     Y_i = y_0 + h sum_{j<i} a_ij F(Y_j, Z_j),   G(Y_i) = 0,     y_1 = y_0 + h sum_i b_i F(Y_i, Z_i),   G(y_1) = 0
///
/// What constraints add to F(Y_{i-1}) is found where the next stage has to lie on them: stages are explicit, moved onto
/// the constraints along the normals at the stage before, and F there is corrected by the move.
#pragma once

#include <array>

#include "problem/ground.hpp"
#include "step/state.hpp"
#include "step/tableaus.hpp"

namespace lento {

template <const auto& Source>
class HalfExplicit {
public:
    static constexpr auto tableau = Source.template in<double>();
    static constexpr int order = tableau.order;
    static constexpr std::size_t stages = tableau.stages;
    static constexpr int evaluations = static_cast<int>(stages);
    using State = FirstOrderState<double>;

    explicit HalfExplicit(std::size_t dimension) : start_(dimension), before_(dimension) {
        for (auto& rate : rates_) {
            rate.resize(dimension);
        }
    }

    /// `rate(c, y, F)` without what constraints add; `onto(c, y)` moves y onto them along the normals at the last point
    /// it moved, and says whether it could.
    template <class Rate, class Onto>
    Convergence step(Rate&& rate, Onto&& onto, double h, State& state) {
        start_ = state.y;
        rates_[0] = state.rate;
        for (std::size_t i = 1; i <= stages; ++i) {
            const auto& weights = i < stages ? tableau.a[i] : tableau.b;
            const double c = i < stages ? tableau.c[i] : 1.0;
            for (std::size_t k = 0; k < start_.size(); ++k) {
                double sum = 0;
                for (std::size_t j = 0; j < i; ++j) {
                    sum += weights[j] * rates_[j][k];
                }
                before_[k] = state.y[k] = start_[k] + h * sum;
            }
            if (const auto reached = onto(c, Out(state.y)); !reached.converged) {
                return reached;
            }
            for (std::size_t k = 0; k < start_.size(); ++k) {
                rates_[i - 1][k] += (state.y[k] - before_[k]) / (h * weights[i - 1]);
            }
            rate(c, In(state.y), Out(i < stages ? rates_[i] : state.rate));
        }
        return {};
    }

private:
    std::vector<double> start_, before_;
    std::array<std::vector<double>, stages> rates_;
};

using HalfExplicit3 = HalfExplicit<herk3_tableau>;
using HalfExplicit4 = HalfExplicit<herk4_tableau>;

}  // namespace lento
