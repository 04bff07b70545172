/// The stiff springs of a model, with the members that `problem/stiff_system.hpp` describes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lento/model/model.hpp"
#include "lento/model/system.hpp"
#include "lento/problem/stiff_system.hpp"

namespace lento::model {

/// The forces of a model near a centre, as a function of the move d from it and of the time s since: slow forces at the point itself,
/// those of stiff springs at the centre plus their exact change (`model/difference.hpp`).
class CentredModelForce {
public:
    explicit CentredModelForce(Model model);

    void centre(std::span<const double> x, double t);
    void operator()(std::span<const double> d, std::span<const double> v, double s, std::span<const double> theta,
                    std::span<double> f);
    void measures(std::span<const double> d, double s, std::span<double> values);

private:
    struct Parts;

    explicit CentredModelForce(const Parts& parts);
    static Parts parts_of(Model model);

    std::size_t dimension_;
    ModelFunction slow_, stiff_change_;                        // in every micro-step
    ModelFunctionOnDemand stiff_, measures_, measure_change_;  // once a window
    double t_ = 0;
    std::vector<double> both_;  // the centre, and the move behind it
    std::vector<double> point_, at_centre_, change_, measures_at_centre_;
};

class ModelSprings {
public:
    using Force = ModelForce;
    using Centred = CentredModelForce;

    /// Springs that are not soft; the frequency of one given by its stiffness is that at the start.
    explicit ModelSprings(Model model);

    const std::vector<SpringEntry>& entries() const { return entries_; }
    const ModelConstraints& measures() const { return measures_; }

    Force force() const { return ModelForce(*model_); }
    std::unique_ptr<Centred> centred(std::size_t) const { return std::make_unique<Centred>(*model_); }
    /// Along series in time; all springs need elongations.
    std::unique_ptr<SpringSeries> series() const {
        return spring_series(ModelFunctionOnDemand(model_, model_->slow_forces), measures_);
    }
    /// All frequencies times `factor`.
    ModelSprings stiffened(double factor) const;

private:
    std::shared_ptr<const Model> model_;
    std::vector<SpringEntry> entries_;
    ModelConstraints measures_;
};

using StiffModel = StiffSystem<ModelSprings>;

/// The frequency that a spring with an elongation causes by itself at the start: sqrt(k g' M^-1 g'^T).
double frequency_at_start(Model& model, const Spring& spring);

/// Throws Misuse if the model has no stiff springs.
StiffModel stiff_system(const Model& model);

/// Constraints made springs of stiffness strengths[j], beside the springs that are there; the frequency follows from it.
StiffModel relaxed(const ConstrainedModel& system, double frequency, const std::vector<double>& strengths);

}  // namespace lento::model
