/// Rigid constraints g(x, t) = 0, and what methods ask of them at a position x, a velocity v and a time t:
///
///     values      g
///     gradient    g', the entries of a fixed sparse pattern
///     rates       g' v + g_t                            (vibrated (4.6), for constraints that may move)
///     curvature   g''[v, v] + 2 g_t' v + g_tt           (vibrated (B.1))
///     change      g(x + d, t + s) - g(x, t), with all its digits however small the move
///
/// Rates and curvature are the first and second derivative of g along x + s v, t + s: one jet gives each. Where time
/// stands still, as within a window, the terms with g_t are left out. The elongations of springs are described in the
/// same way. Constraints are immutable, and any thread may call them. In C++ they are one template `g(x, t, values)`.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/increment.hpp"
#include "lento/base/jet.hpp"
#include "lento/base/scratch.hpp"
#include "lento/problem/forces.hpp"

namespace [[gnu::visibility("default")]] lento {

/// Where a sparse matrix may have entries that are not zero, by rows.
class SparsePattern {
public:
    SparsePattern() = default;
    /// The columns of each row, ascending.
    explicit SparsePattern(const std::vector<std::vector<std::size_t>>& rows) {
        for (const auto& row : rows) {
            columns_.insert(columns_.end(), row.begin(), row.end());
            starts_.push_back(columns_.size());
        }
    }

    std::size_t rows() const { return starts_.size() - 1; }
    std::size_t entries() const { return columns_.size(); }
    /// The entries of row j are those from start(j) to start(j + 1).
    std::size_t start(std::size_t j) const { return starts_[j]; }
    std::size_t column(std::size_t entry) const { return columns_[entry]; }
    std::span<const std::size_t> row(std::size_t j) const {
        return std::span(columns_).subspan(starts_[j], starts_[j + 1] - starts_[j]);
    }
    /// result += A^T factors, A the matrix with these entries.
    void add_transposed(std::span<const double> entries, std::span<const double> factors,
                        std::span<double> result) const {
        for (std::size_t j = 0; j < factors.size(); ++j) {
            for (std::size_t e = start(j); e < start(j + 1); ++e) {
                result[column(e)] += entries[e] * factors[j];
            }
        }
    }

private:
    std::vector<std::size_t> starts_{0};
    std::vector<std::size_t> columns_;
};

/// A colour for each column. Columns of one colour share no row: derivatives by all of them need one evaluation.
std::vector<std::size_t> colours_of_columns(const SparsePattern& pattern, std::size_t columns);

/// Whether constraints move with the time while a motion is followed.
enum class Clock { running, stopped };

/// The entries of the gradient and then the curvature, with a running clock, at a block of points: coefficients in the
/// layout of forces, `entries` and `count` of them for each point. One caller's, with work space.
class BlockConstraints {
public:
    virtual ~BlockConstraints() = default;
    virtual void operator()(const Block& block, Out numbers) = 0;
};

class Constraints {
public:
    virtual ~Constraints() = default;

    std::size_t count() const { return names_.size(); }
    const std::vector<std::string>& names() const { return names_; }
    const SparsePattern& pattern() const { return pattern_; }
    /// The same under other names. Throws Misuse unless there are as many.
    std::shared_ptr<const Constraints> with_names(std::vector<std::string> names) const;

    virtual void values(In x, double t, Out g) const = 0;
    virtual void gradient(In x, double t, Out entries) const = 0;
    virtual void rates(In x, In v, double t, Clock clock, Out result) const = 0;
    virtual void curvature(In x, In v, double t, Clock clock, Out result) const = 0;
    virtual void change(In x, double t, In d, double s, Out result) const = 0;

    /// Whether they are also known along motions that are truncated series in time, with a running clock.
    virtual bool takes_series() const = 0;
    virtual void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const = 0;
    virtual void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const = 0;
    virtual void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                           std::span<Taylor> result) const = 0;
    /// Of constraints that take series, while these are there. One point after another, unless somebody knows better.
    virtual std::unique_ptr<BlockConstraints> blocks() const;

protected:
    /// Throws Misuse unless there is a constraint, and the pattern has a row for each.
    Constraints(std::vector<std::string> names, SparsePattern pattern);
    Constraints(const Constraints&) = default;
    Constraints& operator=(const Constraints&) = default;

private:
    virtual std::unique_ptr<Constraints> copy() const = 0;

    std::vector<std::string> names_;
    SparsePattern pattern_;
};

/// "g1", "g2", ...
std::vector<std::string> constraint_names(std::size_t count);

/// Constraints written in C++.
template <class Function>
class ConstraintFunctions final : public Constraints {
public:
    /// The pattern is found by evaluation.
    ConstraintFunctions(std::size_t dimension, std::size_t count, Function function)
        : ConstraintFunctions(dimension, count, function, found_pattern(dimension, count, function)) {}

    /// The pattern is given: for long chains, where finding it would take a second.
    ConstraintFunctions(std::size_t dimension, std::size_t count, Function function, SparsePattern pattern)
        : Constraints(constraint_names(count), std::move(pattern)), function_(std::move(function)), colours_(1) {
        constexpr std::size_t columns_alone = 4;  // of few coordinates each has a colour of its own
        auto colour_of = colours_of_columns(this->pattern(), dimension);
        if (dimension <= columns_alone) {
            std::iota(colour_of.begin(), colour_of.end(), std::size_t{0});
        }
        for (std::size_t i = 0; i < dimension; ++i) {
            colours_.resize(std::max(colours_.size(), colour_of[i] + 1));
            colours_[colour_of[i]].columns.push_back(i);
        }
        for (std::size_t j = 0; j < count; ++j) {
            for (std::size_t e = this->pattern().start(j); e < this->pattern().start(j + 1); ++e) {
                colours_[colour_of[this->pattern().column(e)]].places.push_back({j, e});
            }
        }
    }

    void values(In x, double t, Out g) const override { function_(x, t, g); }
    void gradient(In x, double t, Out entries) const override {
        switch (count() <= x.size() ? x.size() : 0) {
            case 2:
                return by_columns(x, t, entries, std::make_index_sequence<2>());
            case 3:
                return by_columns(x, t, entries, std::make_index_sequence<3>());
            case 4:
                return by_columns(x, t, entries, std::make_index_sequence<4>());
            default:
                by_colours<double>(x, t, entries);
        }
    }
    void rates(In x, In v, double t, Clock clock, Out result) const override { along<1>(x, v, t, clock, result); }
    void curvature(In x, In v, double t, Clock clock, Out result) const override { along<2>(x, v, t, clock, result); }
    void change(In x, double t, In d, double s, Out result) const override {
        using Number = Increment<double>;
        Scratch<Number> moved(x.size()), changed(count());
        for (std::size_t i = 0; i < x.size(); ++i) {
            moved[i] = Number::at(x[i], d[i]);
        }
        function_(std::span<const Number>(moved.span()), Number::at(t, s), changed.span());
        for (std::size_t j = 0; j < result.size(); ++j) {
            result[j] = changed[j].change();
        }
    }

    bool takes_series() const override { return series; }
    void values(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> g) const override {
        if constexpr (series) {
            function_(x, t, g);
        }
    }
    void gradient(std::span<const Taylor> x, const Taylor& t, std::span<Taylor> entries) const override {
        if constexpr (series) {
            by_colours<Taylor>(x, t, entries);
        }
    }
    void curvature(std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t,
                   std::span<Taylor> result) const override {
        if constexpr (series) {
            along<2>(x, v, t, Clock::running, result);
        }
    }

private:
    struct Place {
        std::size_t row, entry;
    };
    /// Columns, and where the derivatives by them are.
    struct Colour {
        std::vector<std::size_t> columns{};
        std::vector<Place> places{};
    };

    template <class S>
    static constexpr bool takes = std::is_invocable_v<const Function&, std::span<const S>, S, std::span<S>>;
    static constexpr bool series = takes<Taylor>;

    std::unique_ptr<Constraints> copy() const override { return std::make_unique<ConstraintFunctions>(*this); }

    /// NOTE: series are too long for the stack.
    template <class S>
    static constexpr std::size_t few = std::is_same_v<S, double> ? 32 : 0;

    /// The derivative of that order along x + s v.
    template <int Order, class S>
    void along(std::span<const S> x, std::span<const S> v, const S& t, Clock clock, std::span<S> result) const {
        using J = Jet<S, Order>;
        Scratch<J, few<S>> line(x.size()), image(count());
        for (std::size_t i = 0; i < x.size(); ++i) {
            line[i][0] = x[i];
            line[i][1] = v[i];
        }
        function_(std::span<const J>(line.span()), clock == Clock::running ? J::variable(t) : J(t), image.span());
        for (std::size_t j = 0; j < result.size(); ++j) {
            result[j] = Order == 2 ? 2 * image[j][Order] : image[j][Order];
        }
    }

    /// Derivatives by all columns of one colour at a time.
    template <class S>
    void by_colours(std::span<const S> x, const S& t, std::span<S> entries) const {
        using Dual = Jet<S, 1>;
        Scratch<Dual, few<S>> line(x.size()), image(count());
        for (std::size_t i = 0; i < x.size(); ++i) {
            line[i][0] = x[i];
        }
        for (const auto& colour : colours_) {
            for (const std::size_t i : colour.columns) {
                line[i][1] = 1.0;
            }
            differentiate<S>(line.span(), t, colour, image, entries);
            for (const std::size_t i : colour.columns) {
                line[i][1] = 0.0;
            }
        }
    }
    /// Of few coordinates, column by column. NOTE: numbers and derivatives that the compiler knows to be one or zero
    /// then never are in memory; over a pendulum in the plane this saves a quarter of a micro-step.
    template <std::size_t... Columns>
    void by_columns(In x, double t, Out entries, std::index_sequence<Columns...>) const {
        using Dual = Jet<double, 1>;
        std::array<Dual, sizeof...(Columns)> results{};
        const auto image = std::span(results).first(count());
        const auto by = [&]<std::size_t Column>(std::integral_constant<std::size_t, Column>) {
            std::array<Dual, sizeof...(Columns)> line{Dual(x[Columns])...};
            line[Column][1] = 1.0;
            differentiate<double>(line, t, colours_[Column], image, entries);
        };
        (by(std::integral_constant<std::size_t, Columns>{}), ...);
    }
    template <class S>
    void differentiate(std::span<const Jet<S, 1>> line, const S& t, const Colour& colour, std::span<Jet<S, 1>> image,
                       std::span<S> entries) const {
        function_(line, Jet<S, 1>(t), image);
        for (const auto [row, entry] : colour.places) {
            entries[entry] = image[row][1];
        }
    }

    /// A derivative that is not a number marks everything that depends on it.
    static SparsePattern found_pattern(std::size_t dimension, std::size_t count, const Function& function) {
        using Dual = Jet<double, 1>;
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
    std::vector<Colour> colours_;
};

}  // namespace lento
