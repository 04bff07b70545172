/// What a macro-step needs at a point x: the mean rates of the slow variables, their gradients and Hessians, in the
/// chart that suits the point; and the field on x itself that is consistent with them (reversible, section 2.2):
///
///     F(x) = argmin { |F| : xi_x(x) F = <xi'> - xi_t }
///
/// Lengths are measured in the scales of the unknowns where these are given: unknowns may be in very different units.
///
/// Along x' = F(x) the slow variables follow their averaged equation exactly, so that any solver keeps its order on it.
#pragma once

#include <Eigen/Core>

#include "average/filter.hpp"
#include "average/slow_average.hpp"

namespace lento {

/// A_k, the Hessians of the slow variables in use.
class Curvatures {
public:
    /// None: they are taken to vanish.
    Curvatures() = default;
    explicit Curvatures(std::vector<HessianEntry> entries) : entries_(std::move(entries)) {}

    bool empty() const { return entries_.empty(); }
    /// rows.row(k) += A_k direction
    void add_products(const Eigen::VectorXd& direction, Eigen::MatrixXd& rows) const;
    /// matrix += sum_k factors_k A_k
    void add_combination(const Eigen::VectorXd& factors, Eigen::MatrixXd& matrix) const;
    /// Of functions of x over the scales.
    Curvatures scaled(const Eigen::VectorXd& scales) const;

private:
    std::vector<HessianEntry> entries_;  // `output` is the number of the slow variable
};

class SlowField {
public:
    /// `window` says all but the time.
    SlowField(SlowAverage& average, SlowWindow window, FilterWeights weights, Eigen::VectorXd scales = {});

    struct Point {
        double t = 0;
        Eigen::VectorXd x{};
        Eigen::VectorXd rates{};            ///< <xi'> - xi_t
        Eigen::MatrixXd gradients{};        ///< one row a slow variable
        Eigen::VectorXd scales{};           ///< of the unknowns; none: all 1
        std::vector<std::size_t> charts{};  ///< the output that stands for each slow variable
    };

    std::size_t unknowns() const { return average_->flow().dimension(); }
    std::size_t count() const { return average_->names().size(); }

    /// One window.
    Point at(double t, In x);
    Curvatures curvatures(const Point& point);
    /// All outputs.
    Eigen::VectorXd values(double t, In x);

    /// F at the point.
    static Eigen::VectorXd field(const Point& point);

    /// Follows the true motion for a time, with the micro-steps of the window; false if it takes more than so many.
    bool follow(double t, double length, std::int64_t most, Eigen::VectorXd& x);

    SlowAverage& average() { return *average_; }

private:
    SlowAverage* average_;
    SlowWindow window_;
    FilterWeights weights_;
    Eigen::VectorXd scales_;
    std::vector<double> rates_, time_derivatives_, gradients_;
};

/// For each slow variable the output whose gradient is the less dependent on those of variables without an alternative.
std::vector<std::size_t> best_charts(const std::vector<SlowName>& names, const Eigen::MatrixXd& gradients);

/// The shortest vector with these products with the rows.
Eigen::VectorXd shortest(const Eigen::MatrixXd& rows, const Eigen::VectorXd& products);

inline In span_of(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}
inline Eigen::Map<const Eigen::VectorXd> vector_of(In x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace lento
