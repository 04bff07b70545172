#include "average/slow_field.hpp"

#include <Eigen/QR>

namespace lento {

void Curvatures::add_products(const Eigen::VectorXd& direction, Eigen::MatrixXd& rows) const {
    for (const auto& entry : entries_) {
        rows(static_cast<Eigen::Index>(entry.output), static_cast<Eigen::Index>(entry.row)) +=
            entry.value * direction[static_cast<Eigen::Index>(entry.column)];
    }
}

void Curvatures::add_combination(const Eigen::VectorXd& factors, Eigen::MatrixXd& matrix) const {
    for (const auto& entry : entries_) {
        matrix(static_cast<Eigen::Index>(entry.row), static_cast<Eigen::Index>(entry.column)) +=
            entry.value * factors[static_cast<Eigen::Index>(entry.output)];
    }
}

Curvatures Curvatures::scaled(const Eigen::VectorXd& scales) const {
    auto entries = entries_;
    for (auto& entry : entries) {
        entry.value *= scales[static_cast<Eigen::Index>(entry.row)] * scales[static_cast<Eigen::Index>(entry.column)];
    }
    return Curvatures(std::move(entries));
}

Eigen::VectorXd shortest(const Eigen::MatrixXd& rows, const Eigen::VectorXd& products) {
    constexpr double dependent = 1e-10;
    if (!rows.allFinite() || !products.allFinite()) {
        return Eigen::VectorXd::Constant(rows.cols(), NAN);
    }
    const Eigen::VectorXd lengths = rows.rowwise().norm().cwiseMax(std::numeric_limits<double>::min());
    const Eigen::MatrixXd directions = lengths.cwiseInverse().asDiagonal() * rows;
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(dependent);
    solver.compute(directions);
    return solver.solve(products.cwiseQuotient(lengths));
}

std::vector<std::size_t> best_charts(const std::vector<SlowName>& names, const Eigen::MatrixXd& gradients) {
    std::vector<std::size_t> charts;
    std::vector<Eigen::Index> plain;
    std::size_t output = 0;
    for (const auto& name : names) {
        charts.push_back(output);
        if (name.alternative.empty()) {
            plain.push_back(static_cast<Eigen::Index>(output));
        }
        output += name.alternative.empty() ? 1 : 2;
    }
    if (plain.size() == names.size()) {
        return charts;
    }
    Eigen::MatrixXd span(gradients.cols(), static_cast<Eigen::Index>(plain.size()));
    for (std::size_t k = 0; k < plain.size(); ++k) {
        span.col(static_cast<Eigen::Index>(k)) = gradients.row(plain[k]).transpose().normalized();
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    if (!plain.empty()) {
        solver.compute(span);
    }
    const auto independence = [&](std::size_t k) {
        const Eigen::VectorXd direction = gradients.row(static_cast<Eigen::Index>(k)).transpose().normalized();
        return plain.empty() ? direction.norm() : (direction - span * solver.solve(direction)).norm();
    };
    for (std::size_t k = 0; k < names.size(); ++k) {
        if (!names[k].alternative.empty() && independence(charts[k] + 1) > independence(charts[k])) {
            ++charts[k];
        }
    }
    return charts;
}

SlowField::SlowField(SlowAverage& average, SlowWindow window, FilterWeights weights, Eigen::VectorXd scales)
    : average_(&average),
      window_(window),
      weights_(std::move(weights)),
      scales_(std::move(scales)),
      rates_(average.outputs()),
      time_derivatives_(average.outputs()),
      gradients_(average.outputs() * average.flow().dimension()) {}

SlowField::Point SlowField::at(double t, In x) {
    window_.t = t;
    window_.weights = &weights_;
    average_->mean_rates(window_, x, rates_);
    average_->time_derivatives(t, x, time_derivatives_);
    average_->gradients(t, x, gradients_);
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto d = static_cast<Eigen::Index>(unknowns());
    const RowMajor all = Eigen::Map<const RowMajor>(gradients_.data(), static_cast<Eigen::Index>(rates_.size()), d);
    Point point{.t = t, .x = Eigen::Map<const Eigen::VectorXd>(x.data(), d)};
    point.scales = scales_;
    point.charts = best_charts(
        average_->names(), scales_.size() == 0 ? Eigen::MatrixXd(all) : Eigen::MatrixXd(all * scales_.asDiagonal()));
    point.rates.resize(static_cast<Eigen::Index>(count()));
    point.gradients.resize(static_cast<Eigen::Index>(count()), d);
    for (std::size_t k = 0; k < count(); ++k) {
        const std::size_t chart = point.charts[k];
        point.rates[static_cast<Eigen::Index>(k)] = rates_[chart] - time_derivatives_[chart];
        point.gradients.row(static_cast<Eigen::Index>(k)) = all.row(static_cast<Eigen::Index>(chart));
    }
    return point;
}

Curvatures SlowField::curvatures(const Point& point) {
    std::vector<HessianEntry> chosen;
    for (auto entry : average_->hessians(point.t, span_of(point.x))) {
        const auto found = std::ranges::find(point.charts, entry.output);
        if (found != point.charts.end()) {
            entry.output = static_cast<std::size_t>(found - point.charts.begin());
            chosen.push_back(entry);
        }
    }
    return Curvatures(std::move(chosen));
}

Eigen::VectorXd SlowField::values(double t, In x) {
    Eigen::VectorXd xi(static_cast<Eigen::Index>(average_->outputs()));
    average_->values(t, x, {xi.data(), average_->outputs()});
    return xi;
}

Eigen::VectorXd SlowField::field(const Point& point) {
    if (point.scales.size() == 0) {
        return shortest(point.gradients, point.rates);
    }
    return point.scales.cwiseProduct(shortest(point.gradients * point.scales.asDiagonal(), point.rates));
}

bool SlowField::follow(double t, double length, std::int64_t most, Eigen::VectorXd& x) {
    // NOTE: a whole number of periods where there are phases, so that they end as they began.
    const double fitting =
        window_.turns > 0 ? std::round(length * window_.turns / window_.h) / window_.turns * window_.h : length;
    const double steps = std::max(1.0, std::round(std::abs(fitting) / window_.h));
    if (!(steps <= static_cast<double>(most))) {
        return false;
    }
    const double share = fitting / (steps * window_.h);
    Eigen::VectorXd increment(x.size());
    average_->flow().follow(
        {.t = t, .h = share * window_.h, .turns = share * window_.turns, .steps = static_cast<std::int64_t>(steps)},
        span_of(x), {increment.data(), static_cast<std::size_t>(increment.size())});
    x += increment;
    return true;
}

}  // namespace lento
