/// Where their own mean rates lead the slow variables, beside where x has taken them: both are the same as long as
/// macro-steps are short enough for the curvature of xi.
#pragma once

#include <Eigen/Core>

#include "average/slow_field.hpp"

namespace lento {

class SlowPrediction {
public:
    SlowPrediction(SlowField& field, const SlowField::Point& start);

    /// The field was evaluated there; the last such point before `reached` is the end of a macro-step.
    void evaluated(const SlowField::Point& point) { now_ = point; }
    void reached(double t, In x);

    /// The state has been moved there by other means than its rates.
    void moved(const SlowField::Point& point);

    /// A sentence, where the two have come apart.
    std::optional<std::string> lost() const;

private:
    SlowField* field_;
    SlowField::Point now_, before_;
    double t_;
    Eigen::VectorXd actual_, predicted_, travelled_;
};

}  // namespace lento
