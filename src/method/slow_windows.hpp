/// The windows in which mean rates of slow variables are found: as given, or as fine and wide as the tolerance needs.
#pragma once

#include <Eigen/Core>

#include "average/slow_field.hpp"
#include "lento/run/request.hpp"
#include "method/slow_check.hpp"

namespace lento {

struct SlowWindows {
    std::string micro{}, filter{};
    double period = 0;  ///< 0 if nobody knows it
    double h = 0;
    double width = 0;
    std::optional<std::int64_t> settling{};
    Eigen::VectorXd scales{};  ///< of the unknowns

    double turns() const { return period > 0 ? h / period : 0; }
    SlowField field(SlowAverage& average) const;
};

class SlowWindowChoice {
public:
    /// `windows` has its stepper, filter and period already.
    SlowWindowChoice(SlowAverage& average, const Request& request, SlowLook look, SlowWindows windows)
        : average_(&average), request_(&request), look_(std::move(look)), windows_(std::move(windows)) {}

    /// After so many periods in which the motion settles.
    SlowWindows chosen(double settling_periods);

    /// What could not be reached.
    const std::vector<std::string>& warnings() const { return warnings_; }

private:
    double fewest_periods() const;
    void refine_micro_steps();
    void widen();
    Eigen::VectorXd scales();
    std::vector<SlowField::Point> mean_rates();
    double difference(const std::vector<SlowField::Point>& a, const std::vector<SlowField::Point>& b);

    SlowAverage* average_;
    const Request* request_;
    SlowLook look_;
    SlowWindows windows_;
    std::vector<std::string> warnings_{};
};

}  // namespace lento
