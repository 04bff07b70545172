/// How a harmonic average starts: how many phases and sweeps it needs, and the slow state of the true one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lento/average/harmonic.hpp"
#include "lento/method/request.hpp"

namespace lento {

struct HarmonicPlan {
    std::size_t phases = 0;
    int sweeps = 0;
    std::vector<double> state{};   ///< slow: (X, V), or Y
    std::vector<double> scales{};  ///< how large its components are, or may be expected to become
    std::vector<double> series{};  ///< (F, a at all phases) in slow time, of degree sweeps - 1
    double ratio = 0;              ///< by which a sweep changes the averaged force less than the one before
    double defect = 0;  ///< what the averaged force may be wrong by, times the length of the run, over the tolerance
    double noise = 0;   ///< the same for its rounding
    double slow_frequency = 0;  ///< of the slow motion, roughly
    bool finite = true;
};

class HarmonicStart {
public:
    HarmonicStart(PhaseField& field, const Request& request);

    /// With the numbers of phases and sweeps given, or as the tolerance needs.
    HarmonicPlan plan(std::optional<std::size_t> phases, std::optional<std::size_t> sweeps);

    /// More of both at another slow state of the run, to see what they would change: the defect there, in the same units.
    double defect_at(const HarmonicPlan& plan, double t, std::span<const double> state);

    static constexpr int most_sweeps = 8;
    static constexpr std::size_t most_phases = 128;

private:
    std::size_t n() const { return field_->dimension(); }
    std::vector<double> start() const;
    /// One pass: sweeps at the state, and the state that goes with the response.
    void pass(HarmonicAverage& average, int sweeps, HarmonicPlan& plan) const;
    void measure(const HarmonicAverage& average, HarmonicPlan& plan);
    double change(std::span<const double> a, std::span<const double> b) const;

    PhaseField* field_;
    const Request* request_;
    std::vector<double> weights_;  // of changes of F
};

}  // namespace lento
