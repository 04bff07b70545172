/// Carries a problem itself over an interval, every vibration resolved, with steps by tolerance: RKN12(10)17M
/// (`step/nystroem.hpp`) where forces on coordinates do not see velocities, or variables are positions and momenta of
/// such a motion (`problem/mechanical_form.hpp`), else DOP853 (`step/dop853.hpp`) on y = (x, v) or on variables. Where
/// forces know the Taylor series of motions, steps may be by these (`step/taylor.hpp`) instead.
///
/// A step errs by at most the tolerance atol + rtol max|y_i|, the maximum being over the run so far. Sums are
/// compensated, and phases are reduced once a step, so that long runs keep their digits. With constraints the
/// multipliers are eliminated at the level of accelerations, and each step is put back onto the constraints.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

#include "lento/march/recorder.hpp"
#include "march/controller.hpp"
#include "problem/acceleration.hpp"
#include "problem/manifold.hpp"
#include "problem/mechanical_form.hpp"

namespace lento {

class ResolvingMarch {
public:
    enum class Stepper { nystroem, dop853, taylor };
    static constexpr std::string_view name_of(Stepper stepper) {
        return stepper == Stepper::nystroem ? "rkn12" : stepper == Stepper::dop853 ? "dop853" : "taylor";
    }

    /// Variables take Nystroem's steps in the form that is given.
    ResolvingMarch(const Problem& problem, Stepper stepper, std::optional<MechanicalForm> form = std::nullopt);

    /// Whether steps can be by Taylor series.
    static bool has_series(const Problem& problem);
    struct Series {
        int order = 0;
        std::int64_t after = 0;  ///< so many evaluations, of all marches
    };
    /// From then on they are, where they can, and until a series is not finite or not the motion; the other stepper
    /// then takes over.
    void take_series(Series series);

    struct Limits {
        double longest = HUGE_VAL;  ///< step
        std::int64_t most_steps = 1'000'000'000;
        std::stop_token stop{};
    };
    /// From y at the start of the interval; y becomes the last good state, the recorder is given the steps between.
    MarchResult run(Interval interval, const Tolerance& tolerance, const Limits& limits, std::vector<double>& y,
                    Recorder& recorder);

    /// The accelerations at a state, or the rates of variables.
    In force(double t, In y);

    /// The largest of each |y_i| in the last march.
    const std::vector<double>& scales() const { return scales_; }
    /// The largest of each |y_i'|, as a mean over a step.
    const std::vector<double>& rates() const { return rates_; }
    std::int64_t evaluations() const;
    std::int64_t newton_iterations() const { return manifold_ ? manifold_->iterations() : 0; }
    /// The one that steps are taken with. NOTE: Nystroem's hands the force a NaN for the velocity; where that shows in
    /// the force the other takes over, from there on and in later marches. So it does where q' = b p ceases to hold.
    Stepper stepper() const { return series_due() ? Stepper::taylor : stepper_; }

private:
    struct Course;  // of one march

    template <std::size_t Extent>
    void by_nystroem(Course& course);
    template <std::size_t Extent>
    void by_dop853(Course& course);
    void in_form(Course& course);
    void by_series(Course& course);
    void by_stages(Course& course);
    bool series_due() const { return series_ && evaluations() >= series_->after; }
    template <std::size_t Extent>
    void variables(Course& course);
    template <class Stepper, class Side, std::size_t Extent>
    void march(Course& course, Side& side);
    bool settle(double t, Out y);
    void too_short(MarchResult& result, double step, double t) const;

    Problem problem_;
    Stepper stepper_;
    std::unique_ptr<Acceleration> acceleration_;  // of coordinates
    std::unique_ptr<Manifold> manifold_;          // of constraints
    std::optional<MechanicalForm> form_;          // of variables
    std::optional<Series> series_;
    std::vector<double> scales_, rates_, force_;
    std::int64_t evaluations_ = 0;  // of variables, and by series
};

}  // namespace lento
