/// Rigid constraints g(x, t) = 0, and what methods ask of them at a position x, a velocity v and a time t:
///
///     values      g
///     gradient    g', the entries of a fixed sparse pattern
///     rates       g' v + g_t                            (vibrated (4.6), for constraints that may move)
///     curvature   g''[v, v] + 2 g_t' v + g_tt           (vibrated (B.1))
///
/// Rates and curvature are the first and second derivative of g along x + s v, t + s: one jet gives each. Where time stands still, as
/// within a window, the terms with g_t are left out. In C++ the constraints are one template `g(x, t, values)`; those of text models
/// have the same members (`model/system.hpp`).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/base/jet.hpp"
#include "lento/base/misuse.hpp"
#include "lento/problem/sparse_pattern.hpp"

namespace lento {

/// Whether constraints move with the time while a motion is followed.
enum class Clock { running, stopped };

/// Constraints written in C++. Copies are independent of each other; one of them serves one thread at a time.
template <class Function>
class ConstraintFunctions {
public:
    /// The pattern is found by evaluation.
    ConstraintFunctions(std::size_t dimension, std::size_t count, Function function)
        : ConstraintFunctions(dimension, count, function, found_pattern(dimension, count, function)) {}

    /// The pattern is given: for long chains, where finding it would take a second.
    ConstraintFunctions(std::size_t dimension, std::size_t count, Function function, SparsePattern pattern)
        : function_(std::move(function)),
          pattern_(std::move(pattern)),
          colours_(colours_of_columns(pattern_, dimension)),
          line_(dimension),
          along_line_(count),
          curve_(dimension),
          along_curve_(count) {
        if (count == 0) {
            throw Misuse("a constrained system needs at least one constraint");
        }
        if (pattern_.rows() != count) {
            throw Misuse(fmt::format("the pattern has {} rows for {} constraints", pattern_.rows(), count));
        }
        for (std::size_t j = 0; j < count; ++j) {
            names_.push_back(fmt::format("g{}", j + 1));
        }
        for (const std::size_t colour : colours_) {
            used_colours_ = std::max(used_colours_, colour + 1);
        }
    }

    ConstraintFunctions with_names(std::vector<std::string> names) const {
        if (names.size() != count()) {
            throw Misuse(fmt::format("{} names for {} constraints", names.size(), count()));
        }
        ConstraintFunctions other = *this;
        other.names_ = std::move(names);
        return other;
    }

    std::size_t count() const { return names_.size(); }
    const std::vector<std::string>& names() const { return names_; }
    const SparsePattern& pattern() const { return pattern_; }
    const Function& function() const { return function_; }

    void values(std::span<const double> x, double t, std::span<double> g) const { function_(x, t, g); }

    void gradient(std::span<const double> x, double t, std::span<double> entries) const {
        by_colours<double>(x, t, line_, along_line_, entries);
    }

    /// Values and gradient as series in time, along a motion that is one.
    void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const { function_(x, t, g); }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const {
        std::vector<Jet<Taylor, 1>> line(x.size()), along(count());
        by_colours<Taylor>(x, t, line, along, entries);
    }
    void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                   std::span<Taylor> result) const {
        using Nested = Jet<Taylor, 2>;
        std::vector<Nested> curve(x.size()), along(count());
        for (std::size_t i = 0; i < x.size(); ++i) {
            curve[i] = Nested(x[i]);
            curve[i][1] = v[i];
        }
        Nested time(t);
        time[1] = Taylor(1);
        function_(std::span<const Nested>(curve), time, std::span<Nested>(along));
        for (std::size_t j = 0; j < result.size(); ++j) {
            result[j] = 2 * along[j][2];
        }
    }

    void rates(std::span<const double> x, std::span<const double> v, double t, Clock clock,
               std::span<double> result) const {
        for (std::size_t i = 0; i < x.size(); ++i) {
            line_[i][0] = x[i];
            line_[i][1] = v[i];
        }
        function_(std::span<const Dual>(line_), clock == Clock::running ? Dual::variable(t) : Dual(t),
                  std::span<Dual>(along_line_));
        for (std::size_t j = 0; j < result.size(); ++j) {
            result[j] = along_line_[j][1];
        }
    }

    void curvature(std::span<const double> x, std::span<const double> v, double t, Clock clock,
                   std::span<double> result) const {
        for (std::size_t i = 0; i < x.size(); ++i) {
            curve_[i] = Second(x[i]);
            curve_[i][1] = v[i];
        }
        function_(std::span<const Second>(curve_), clock == Clock::running ? Second::variable(t) : Second(t),
                  std::span<Second>(along_curve_));
        for (std::size_t j = 0; j < result.size(); ++j) {
            result[j] = 2 * along_curve_[j][2];
        }
    }

private:
    using Dual = Jet<double, 1>;
    using Second = Jet<double, 2>;

    /// Derivatives by all columns of one colour at a time.
    template <class S>
    void by_colours(std::span<const S> x, const S& t, std::span<Jet<S, 1>> line, std::span<Jet<S, 1>> along,
                    std::span<S> entries) const {
        for (std::size_t colour = 0; colour < used_colours_; ++colour) {
            for (std::size_t i = 0; i < x.size(); ++i) {
                line[i][0] = x[i];
                line[i][1] = colours_[i] == colour ? 1.0 : 0.0;
            }
            function_(std::span<const Jet<S, 1>>(line), Jet<S, 1>(t), along);
            for (std::size_t j = 0; j < count(); ++j) {
                for (std::size_t e = pattern_.start(j); e < pattern_.start(j + 1); ++e) {
                    if (colours_[pattern_.column(e)] == colour) {
                        entries[e] = along[j][1];
                    }
                }
            }
        }
    }

    /// A derivative that is not a number marks everything that depends on it.
    static SparsePattern found_pattern(std::size_t dimension, std::size_t count, const Function& function) {
        std::vector<Dual> x(dimension);
        for (std::size_t i = 0; i < dimension; ++i) {
            x[i] = 0.7 + 0.2 * std::sin(static_cast<double>(i));
        }
        std::vector<std::vector<std::size_t>> rows(count);
        std::vector<Dual> g(count);
        for (std::size_t i = 0; i < dimension; ++i) {
            x[i][1] = std::numeric_limits<double>::quiet_NaN();
            std::fill(g.begin(), g.end(), Dual());
            function(std::span<const Dual>(x), Dual(0.3), std::span<Dual>(g));
            x[i][1] = 0;
            for (std::size_t j = 0; j < count; ++j) {
                if (std::isnan(g[j][1])) {
                    rows[j].push_back(i);
                }
            }
        }
        return SparsePattern(rows);
    }

    Function function_;
    SparsePattern pattern_;
    std::vector<std::size_t> colours_;
    std::size_t used_colours_ = 0;
    std::vector<std::string> names_;
    // Work space.
    mutable std::vector<Dual> line_, along_line_;
    mutable std::vector<Second> curve_, along_curve_;
};

}  // namespace lento
