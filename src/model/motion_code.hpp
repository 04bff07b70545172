/// Machine code for the Taylor coefficients of motions (`motion_tape.hpp`): one function, a loop over orders, so that
/// code is as long as the rates are, whatever the order.
///
/// In each order it first sums all lanes, four to a vector, over what lower orders left; then come the coefficients of
/// that order, one after the other. IEEE semantics are kept; products are added by fused instructions where the machine
/// has them.
#pragma once

#include <cstdint>
#include <memory>

#include "model/motion_tape.hpp"
#include "problem/motion_series.hpp"

namespace lento::model {

class MotionCode final : public MotionSeries {
public:
    /// Of forces on coordinates, divided by masses that are given as inverses; or of rates of variables. Null where
    /// there are no series, or the code would be too long.
    enum class Kind : std::uint8_t { forces, forces_on_coupled_masses, rates };
    static std::shared_ptr<const MotionCode> of(const FunctionGraph& function, Kind kind);
    /// Operations of rates beyond which compiling takes longer than most runs do.
    static constexpr std::size_t longest = 2000;

    Work work() const override;
    bool masses_are_coupled() const override { return kind_ == Kind::forces_on_coupled_masses; }
    std::size_t space(int order) const override;
    /// The first call compiles.
    void coefficients(const Point& point, int order, double* space, double* y) const override;

private:
    using Entry = void (*)(std::size_t order, double h, double t, const double* theta, const double* turns,
                           const double* parameters, const double* inverse_masses, double* y, double* space);

    struct Lazy;  // compiled when it is first called

    MotionCode(MotionTape tape, Kind kind);

    MotionTape tape_;
    Kind kind_;
    std::shared_ptr<Lazy> lazy_;
};

}  // namespace lento::model
