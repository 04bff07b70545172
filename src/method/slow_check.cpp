#include "method/slow_check.hpp"

#include <fmt/format.h>
#include <Eigen/SVD>

#include "average/slow_field.hpp"
#include "base/number.hpp"
#include "lento/march/result.hpp"
#include "problem/time_scales.hpp"

namespace lento {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double fast_swing = 0.1;       // of its size within a period
constexpr double smaller = 0.5;          // where the motion is four times faster
constexpr double rounding_swing = 1e-6;  // of its size: what a look with few steps is wrong by, and nobody's motion
constexpr double dependent = 1e-7;

std::vector<std::string> output_names(const std::vector<SlowName>& names) {
    std::vector<std::string> outputs;
    for (const auto& name : names) {
        outputs.push_back(name.name);
        if (!name.alternative.empty()) {
            outputs.push_back(name.alternative);
        }
    }
    return outputs;
}

VectorXd rate_at(SlowAverage& average, double t, In x) {
    VectorXd rate(static_cast<Index>(x.size()));
    average.flow().rate(t, x, {rate.data(), x.size()});
    return rate;
}

Stretch one_period(const MicroFlow& flow, const SlowLook& look) {
    const std::int64_t steps = flow.order() >= 8 ? 16 : flow.order() >= 4 ? 32 : 64;
    return {.t = look.t,
            .h = look.period / static_cast<double>(steps),
            .turns = 1.0 / static_cast<double>(steps),
            .steps = steps};
}

/// The unknowns within a period from the start.
struct Extent {
    VectorXd largest, drift;  ///< of |x|; the mean of x'

    Extent(SlowAverage& average, const SlowLook& look)
        : largest(VectorXd::Zero(static_cast<Index>(look.start.size()))), drift(largest) {
        average.look(one_period(average.flow(), look), look.start, [&](std::int64_t, In y, auto, auto) {
            const auto now = vector_of(y);
            for (Index i = 0; i < largest.size(); ++i) {
                largest[i] = larger(largest[i], std::abs(now[i]));
            }
            drift = now;
        });
        drift = (drift - vector_of(look.start)) / look.period;
    }

    /// What counts as large: those that start at nothing will not stay there.
    VectorXd sizes(bool second_order) const {
        VectorXd size = largest;
        const Index half = second_order ? size.size() / 2 : size.size();
        for (auto part : {size.head(half), size.tail(size.size() - half)}) {
            part = part.cwiseMax(fast_swing * (part.size() > 0 ? part.maxCoeff() : 0.0));
        }
        return size;
    }

    /// How far one may go aside: as large as an unknown is, or as far as it drifts while a large one moves by its size.
    VectorXd moves(double length) const {
        double time = length;
        for (Index i = 0; i < largest.size(); ++i) {
            if (largest[i] >= fast_swing * largest.maxCoeff() && std::abs(drift[i]) > 0) {
                time = std::min(time, largest[i] / std::abs(drift[i]));
            }
        }
        return largest.cwiseMax(0.3 * time * drift.cwiseAbs()).cwiseMax(1e-3 * largest.maxCoeff());
    }
};

struct Swings {
    VectorXd rate, swing;
};

/// The largest rates within a period from x, and the moves over the size of each output.
Swings swings(SlowAverage& average, const SlowLook& look, In x, const VectorXd& size) {
    const auto outputs = static_cast<Index>(average.outputs());
    std::vector<double> gradients(average.outputs() * x.size());
    VectorXd least = VectorXd::Constant(outputs, HUGE_VAL);
    VectorXd greatest = -least;
    Swings result{VectorXd::Zero(outputs), VectorXd::Zero(outputs)};
    VectorXd own = VectorXd::Zero(outputs);
    const Stretch stretch = one_period(average.flow(), look);
    VectorXd moved = VectorXd::Zero(outputs);
    VectorXd before = VectorXd::Zero(outputs);
    average.look(stretch, x, [&](std::int64_t k, In y, auto, In rates) {
        average.gradients(look.t, y, gradients);
        const Rows rows = Eigen::Map<const Rows>(gradients.data(), outputs, static_cast<Index>(x.size()));
        own = own.cwiseMax(rows.cwiseAbs() * size);
        const auto now = vector_of(rates);
        // NOTE: the move is the integral of the rate, which sees phases that the values at the start's phase do not.
        moved += k == 0 ? VectorXd::Zero(outputs) : VectorXd(stretch.h / 2 * (before + now));
        before = now;
        least = least.cwiseMin(moved);
        greatest = greatest.cwiseMax(moved);
        for (Index j = 0; j < outputs; ++j) {
            result.rate[j] = larger(result.rate[j], std::abs(now[j]));
        }
    });
    result.swing = (greatest - least).cwiseQuotient(own.cwiseMax(std::numeric_limits<double>::min()));
    return result;
}

/// The output that has no value or no gradient at the start.
std::optional<std::string> not_finite_at(SlowAverage& average, const SlowLook& look) {
    const std::size_t d = look.start.size();
    std::vector<double> xi(average.outputs());
    std::vector<double> gradients(average.outputs() * d);
    average.values(look.t, look.start, xi);
    average.gradients(look.t, look.start, gradients);
    const auto names = output_names(average.names());
    for (std::size_t k = 0; k < xi.size(); ++k) {
        if (!std::isfinite(xi[k]) || first_not_finite(In(gradients).subspan(k * d, d))) {
            return names[k];
        }
    }
    return std::nullopt;
}

/// Gradients in the best chart by unknowns in units of their sizes, each of length 1.
MatrixXd directions(SlowAverage& average, const SlowLook& look, In x, const VectorXd& size) {
    std::vector<double> all(average.outputs() * x.size());
    average.gradients(look.t, x, all);
    const Rows rows =
        Eigen::Map<const Rows>(all.data(), static_cast<Index>(average.outputs()), static_cast<Index>(x.size())) *
        size.asDiagonal();
    const auto charts = best_charts(average.names(), rows);
    MatrixXd chosen(static_cast<Index>(charts.size()), rows.cols());
    for (std::size_t k = 0; k < charts.size(); ++k) {
        chosen.row(static_cast<Index>(k)) = rows.row(static_cast<Index>(charts[k])).normalized();
    }
    return chosen;
}

/// Which variables a vanishing combination of gradients is made of, the last first.
std::string dependence(const std::vector<SlowName>& names, const VectorXd& combination) {
    const double largest = combination.cwiseAbs().maxCoeff();
    std::vector<std::string> members;
    for (Index k = combination.size(); k-- > 0;) {
        if (std::abs(combination[k]) > 0.05 * largest) {
            members.push_back(names[static_cast<std::size_t>(k)].name);
        }
    }
    if (members.size() < 2) {
        return fmt::format("the slow variable {} does not change with the unknowns: its gradient vanishes",
                           members.front());
    }
    return fmt::format("the slow variable {} depends on {}", members.front(),
                       fmt::join(members.begin() + 1, members.end(), ", "));
}

/// By how much a period shrinks what the slow variables and the fast phase leave open, at worst; the motion is followed
/// onto its cycle first. A declared phase is not among the unknowns: its direction is left open like any other.
std::optional<double> contraction(const Problem& problem, SlowAverage& average, const SlowLook& look) {
    constexpr double offset = 1e-5;
    constexpr std::int64_t periods_to_settle = 10;
    const bool phase_is_unknown = problem.phases.empty();
    auto& flow = average.flow();
    const auto d = static_cast<Index>(look.start.size());
    const auto after = [&](const VectorXd& x, std::int64_t periods) {
        VectorXd move(d);
        Stretch whole = one_period(flow, look);
        whole.steps *= periods;
        flow.follow(whole, span_of(x), {move.data(), look.start.size()});
        return VectorXd(x + move);
    };
    const VectorXd x = after(vector_of(look.start), periods_to_settle);
    if (!x.allFinite()) {
        return std::nullopt;
    }
    MatrixXd known = directions(average, look, span_of(x), VectorXd::Ones(d));
    if (phase_is_unknown) {
        known.conservativeResize(known.rows() + 1, Eigen::NoChange);
        known.row(known.rows() - 1) = rate_at(average, look.t, span_of(x)).normalized();
    }
    const Eigen::JacobiSVD<MatrixXd> svd(known, Eigen::ComputeFullV);
    const Index rank = (svd.singularValues().array() > dependent).count();
    if (rank == d) {
        return std::nullopt;  // nothing is open there that could shrink
    }
    const MatrixXd open = svd.matrixV().rightCols(d - rank);
    const VectorXd there = after(x, 1);
    const VectorXd along = rate_at(average, look.t, span_of(there)).normalized();
    double worst = 0;
    for (Index j = 0; j < open.cols(); ++j) {
        const double size = offset * x.norm();
        VectorXd moved = (after(x + size * open.col(j), 1) - there) / size;
        moved -= phase_is_unknown ? VectorXd(along * along.dot(moved)) : VectorXd::Zero(d);
        worst = larger(worst, moved.norm());
    }
    return worst;
}

/// A sentence if the motion is not back after a period into the past: what falls somewhere comes from far away.
std::string no_return(SlowAverage& average, const SlowLook& look, const std::vector<std::string>& unknowns) {
    constexpr double far = 3;  // times the range ahead: a slow drift moves as far back as ahead
    const auto d = static_cast<Index>(look.start.size());
    const auto start = vector_of(look.start);
    Stretch back = one_period(average.flow(), look);
    VectorXd least = start;
    VectorXd greatest = start;
    average.look(back, look.start, [&](std::int64_t, In y, auto, auto) {
        least = least.cwiseMin(vector_of(y));
        greatest = greatest.cwiseMax(vector_of(y));
    });
    back.h = -back.h;
    back.turns = -back.turns;
    VectorXd move(d);
    average.flow().follow(back, look.start, {move.data(), look.start.size()});
    const VectorXd range = greatest - least;
    for (Index i = 0; i < d; ++i) {
        if (!(std::abs(move[i]) <= far * range[i] + rounding_swing * std::abs(start[i]))) {
            return fmt::format(
                "the fast motion does not return after its period of {:.4g}: followed back over one, {} ends {:.3g} "
                "from where it was, having moved over {:.3g} ahead; the method needs an oscillation, and its period",
                look.period, unknowns[static_cast<std::size_t>(i) % unknowns.size()], std::abs(move[i]), range[i]);
        }
    }
    return {};
}

void judge_rates(SlowReport& report, double factor) {
    const SlowMeasure* fastest = nullptr;
    for (auto& measure : report.outputs) {
        measure.slow = measure.faster_swing
                           ? !(measure.swing > rounding_swing && *measure.faster_swing > smaller * measure.swing)
                           : !(measure.swing > fast_swing);
        if (!measure.slow && (fastest == nullptr || measure.swing > fastest->swing)) {
            fastest = &measure;
        }
    }
    if (fastest == nullptr) {
        return;
    }
    report.problem = fmt::format(
        "the slow variable {} is not slow: its rate reaches {:.3g}, which moves it by {:.2g} of its size within a fast "
        "period",
        fastest->name, fastest->rate, fastest->swing);
    if (fastest->faster_rate) {
        report.problem += fmt::format(
            "; where the fast motion is {:g} times faster the rate reaches {:.3g}, and moves it by {:.2g}, not less",
            factor, *fastest->faster_rate, *fastest->faster_swing);
    }
}

}  // namespace

std::vector<std::vector<double>> points_near(SlowAverage& average, const SlowLook& look) {
    constexpr std::size_t others = 3;
    constexpr double aside = 0.2;
    const VectorXd size = Extent(average, look).moves(look.length);
    std::vector<std::vector<double>> points{look.start};
    for (std::size_t p = 0; p < others; ++p) {
        auto& point = points.emplace_back(look.start);
        for (std::size_t i = 0; i < point.size(); ++i) {
            point[i] += aside * size[static_cast<Index>(i)] * (2 * golden_fraction(i, p) - 1);
        }
    }
    return points;
}

SlowReport slow_report(const Problem& problem, SlowAverage& average, const SlowLook& look) {
    constexpr double times = 4;  // as fast
    SlowReport report{.declared = average.names().size(),
                      .needed = problem.unknowns() - (problem.phases.empty() ? 1 : 0)};
    std::unique_ptr<SlowAverage> other;
    SlowLook other_look = look;
    if (const auto faster = problem.faster ? problem.faster(times) : std::nullopt) {
        other_look.start = faster->start.empty() ? look.start : faster->start;
        other = slow_average(faster->problem, "dopri8", look.t, other_look.start);
        // NOTE: where the motion is so many times faster, periods are so many times shorter; a declared number is not.
        const double by_speed = look.period * rate_at(average, look.t, look.start).norm() /
                                rate_at(*other, other_look.t, other_look.start).norm();
        const double declared = common_period(faster->problem).value_or(by_speed);
        other_look.period = std::abs(declared / look.period - 1) > 1e-6 ? declared : by_speed;
    }
    const auto names = output_names(average.names());
    for (const auto& name : names) {
        report.outputs.push_back({.name = name});
        if (other) {
            report.outputs.back().faster_rate = 0;
            report.outputs.back().faster_swing = 0;
        }
    }
    if (const auto culprit = not_finite_at(average, look)) {
        report.problem =
            fmt::format("the slow variable {} or its gradient is not a finite number at the start", *culprit);
        return report;
    }
    const auto size = Extent(average, look).sizes(problem.second_order);
    VectorXd combination;
    VectorXd combination_at_start;
    double independence_at_start = 1;
    const auto points = points_near(average, look);
    const auto other_points = other ? points_near(*other, other_look) : points;
    const auto other_size = other ? Extent(*other, other_look).sizes(problem.second_order) : size;
    for (const auto& point : points) {
        const auto seen = swings(average, look, point, size);
        if (!seen.rate.allFinite() || !seen.swing.allFinite()) {
            continue;  // outside of where the model is defined
        }
        const auto& other_point = other_points[static_cast<std::size_t>(&point - points.data())];
        const auto beside = other ? swings(*other, other_look, other_point, other_size) : seen;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const auto i = static_cast<Index>(k);
            auto& measure = report.outputs[k];
            measure.rate = std::max(measure.rate, seen.rate[i]);
            measure.swing = std::max(measure.swing, seen.swing[i]);
            if (other) {
                measure.faster_rate = larger(*measure.faster_rate, beside.rate[i]);
                measure.faster_swing = larger(*measure.faster_swing, beside.swing[i]);
            }
        }
        const Eigen::JacobiSVD<MatrixXd> svd(directions(average, look, point, size), Eigen::ComputeFullU);
        const double smallest = svd.singularValues().minCoeff();
        if (smallest > report.independence || combination.size() == 0) {
            report.independence = smallest;
            combination = svd.matrixU().col(svd.matrixU().cols() - 1);
        }
        if (&point == &points.front()) {
            independence_at_start = smallest;
            combination_at_start = svd.matrixU().col(svd.matrixU().cols() - 1);
        }
    }
    report.evaluations = other ? other->flow().evaluations() : 0;
    judge_rates(report, times);
    if (report.problem.empty() && report.declared > problem.unknowns()) {
        report.problem =
            fmt::format("{} slow variables are too many for {} unknowns", report.declared, problem.unknowns());
    }
    if (report.problem.empty() && report.independence < dependent && combination.size() > 0) {
        report.problem = fmt::format(
            "{} (the smallest singular value of the gradients, each of length 1, is {:.1e} at the start and near it): "
            "leave it out, or give an independent one instead",
            dependence(average.names(), combination), report.independence);
    }
    if (report.problem.empty() && independence_at_start < dependent) {
        report.problem = fmt::format(
            "at the start {} (the smallest singular value of the gradients, each of length 1, is {:.1e} there, and "
            "{:.1e} near it): the motion is not determined by them there; give an alternative that is independent "
            "there ({{ variable = ..., alternative = ... }}), or start a little aside of that point",
            dependence(average.names(), combination_at_start), independence_at_start, report.independence);
    }
    if (report.problem.empty() && report.declared >= report.needed && look.period_is_known) {
        report.problem = no_return(average, look, problem.names);
    }
    if (report.problem.empty() && report.declared < report.needed) {
        report.contraction = contraction(problem, average, look);
        constexpr double shrinks = 0.5;
        if (!report.contraction || !(*report.contraction < shrinks)) {
            report.problem = fmt::format(
                "{} slow variable{} {} too few: a system of {} unknowns{} needs {}, unless the fast motion falls onto "
                "a limit cycle; here {}",
                report.declared, report.declared == 1 ? "" : "s", report.declared == 1 ? "is" : "are",
                problem.unknowns(), problem.phases.empty() ? " with one fast phase" : "", report.needed,
                report.contraction && std::isfinite(*report.contraction)
                    ? fmt::format("a period multiplies what they leave open by {:.3g}", *report.contraction)
                    : "it could not be followed onto one");
            report.contraction.reset();
        }
    }
    return report;
}

}  // namespace lento
