/// The right-hand side of a problem:
///
///     f(x, v, t, theta)     forces on coordinates x with velocities v
///     r(y, t, theta)        or rates of variables y; v is then of no meaning
///
/// One call for a point, or one for a block of points. Forces are immutable, and any thread may call them; what needs
/// work space from call to call is a `BlockForces`, of which each caller has its own. The one template is `Forces::of`:
/// a user's function is compiled for double and for truncated series there and nowhere else; methods are compiled once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"

namespace [[gnu::visibility("default")]] lento {

using In = std::span<const double>;
using Out = std::span<double>;

/// Points side by side, each component of each a truncated series in time of `degree`. Numbers stand by coefficient,
/// component, lane: coefficient j of component i of n at lane k is number (j n + i) lanes + k, phase l at lane k number
/// l lanes + k. Lanes are phases of an average, or members of an ensemble.
struct Block {
    int degree = 0;
    std::size_t lanes = 1;
    In t{};  ///< one a lane
    In x{}, v{}, theta{};
    In parameters{};  ///< the same for all lanes
};

class BlockForces {
public:
    virtual ~BlockForces() = default;
    /// All coefficients of the forces, in the layout of x.
    virtual void operator()(const Block& block, Out f) = 0;
};

class MotionSeries;  // the Taylor coefficients of motions under forces; for the library's own use

class Forces {
public:
    using At = void (*)(const void* self, const double* x, const double* v, double t, const double* theta,
                        const double* parameters, double* f);
    /// For one coordinate and at most one phase: numbers instead of arrays stay in registers.
    using One = double (*)(const void* self, double x, double v, double t, double theta, const double* parameters);
    using MakeBlocks = std::function<std::unique_ptr<BlockForces>()>;

    Forces() = default;
    /// `one` and `blocks` may be missing: forces that take double alone have no blocks.
    Forces(std::shared_ptr<const void> self, At at, One one, MakeBlocks blocks)
        : self_(std::move(self)), at_(at), one_(one), blocks_(std::move(blocks)) {}

    /// Of `f(x, v, t, theta, force)` with spans, `dimension` and `phases` long.
    template <class F>
    static Forces of(std::size_t dimension, std::size_t phases, F f);

    /// Whether there are any.
    explicit operator bool() const { return at_ != nullptr; }

    void at(const double* x, const double* v, double t, const double* theta, const double* parameters,
            double* f) const {
        at_(self_.get(), x, v, t, theta, parameters, f);
    }
    double one(double x, double v, double t, double theta, const double* parameters) const {
        return one_(self_.get(), x, v, t, theta, parameters);
    }
    bool has_one() const { return one_ != nullptr; }
    /// `one` and what it is given first, for loops.
    std::pair<One, const void*> single() const { return {one_, self_.get()}; }

    /// Whether series can be evaluated: not where the force takes double alone.
    bool takes_series() const { return static_cast<bool>(blocks_); }
    /// With work space for one caller. None where the force takes double alone.
    std::unique_ptr<BlockForces> blocks() const { return blocks_ ? blocks_() : nullptr; }

    /// What knows the Taylor coefficients of motions under these forces; null where nothing does.
    const std::shared_ptr<const MotionSeries>& motion_series() const { return motion_series_; }
    /// The same forces with that.
    Forces with_motion_series(std::shared_ptr<const MotionSeries> series) && {
        motion_series_ = std::move(series);
        return std::move(*this);
    }

private:
    std::shared_ptr<const void> self_;
    At at_ = nullptr;
    One one_ = nullptr;
    MakeBlocks blocks_;
    std::shared_ptr<const MotionSeries> motion_series_;
};

/// Where the numbers of blocks with n components and m lanes are.
struct BlockLayout {
    std::size_t n, m;

    std::size_t at(int coefficient, std::size_t i, std::size_t k) const {
        return (static_cast<std::size_t>(coefficient) * n + i) * m + k;
    }
    void gather(int degree, In block, std::size_t k, std::span<Taylor> values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = Taylor(block[at(0, i, k)]);
            values[i].raise(degree);
            for (int j = 1; j <= degree; ++j) {
                values[i][j] = block[at(j, i, k)];
            }
        }
    }
    void scatter(int degree, std::span<const Taylor> values, std::size_t k, Out block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            for (int j = 0; j <= degree; ++j) {
                block[at(j, i, k)] = j <= values[i].top() ? values[i][j] : 0.0;
            }
        }
    }
    // Plain numbers are series of degree 0.
    void gather(int, In block, std::size_t k, Out values) const { gather(block, k, values); }
    void scatter(int, In values, std::size_t k, Out block) const { scatter(values, k, block); }
    void gather(In block, std::size_t k, Out values) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = block[at(0, i, k)];
        }
    }
    void scatter(In values, std::size_t k, Out block) const {
        for (std::size_t i = 0; i < values.size(); ++i) {
            block[at(0, i, k)] = values[i];
        }
    }
};

namespace force_detail {

template <class F>
inline constexpr bool takes_series = std::is_invocable_v<const F&, std::span<const Taylor>, std::span<const Taylor>,
                                                         Taylor, std::span<const Taylor>, std::span<Taylor>>;

/// A function as it was given, with the lengths of its arguments.
template <class F>
struct Given {
    std::size_t dimension, phases;
    F function;

    static void at(const void* self, const double* x, const double* v, double t, const double* theta, const double*,
                   double* f) {
        const auto& given = *static_cast<const Given*>(self);
        const std::size_t n = given.dimension;
        given.function(In(x, n), In(v, v == nullptr ? 0 : n), t, In(theta, given.phases), Out(f, n));
    }
    // NOTE: how many coordinates a function is for is known at run time only, so this is compiled for those with more
    // than one as well, and never called. GCC would warn of each index above zero in them.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
    static double one(const void* self, double x, double v, double t, double theta, const double*) {
        const auto& given = *static_cast<const Given*>(self);
        double f = 0;
        given.function(In(&x, 1), In(&v, 1), t, In(&theta, given.phases), Out(&f, 1));
        return f;
    }
#pragma GCC diagnostic pop
};

/// Lane by lane.
template <class F>
class GivenBlocks final : public BlockForces {
public:
    explicit GivenBlocks(std::shared_ptr<const Given<F>> given) : given_(std::move(given)) {}

    void operator()(const Block& block, Out f) override {
        if (block.degree == 0) {
            lanes<double>(block, f, numbers_);
        } else {
            lanes<Taylor>(block, f, series_);
        }
    }

private:
    template <class S>
    void lanes(const Block& block, Out f, std::vector<S>& space) {
        const std::size_t n = given_->dimension;
        const BlockLayout layout{n, block.lanes};
        space.resize(3 * n + given_->phases);
        const std::span<S> all(space);
        const auto x = all.first(n);
        const auto v = all.subspan(n, block.v.empty() ? 0 : n);
        const auto result = all.subspan(2 * n, n);
        const auto theta = all.subspan(3 * n);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            for (std::size_t l = 0; l < theta.size(); ++l) {
                theta[l] = block.theta[l * block.lanes + k];
            }
            S t = block.t[k];
            if constexpr (!std::is_arithmetic_v<S>) {
                t = S::variable(block.t[k], block.degree);
            }
            layout.gather(block.degree, block.x, k, x);
            layout.gather(block.degree, block.v, k, v);
            given_->function(std::span<const S>(x), std::span<const S>(v), t, std::span<const S>(theta), result);
            layout.scatter(block.degree, result, k, f);
        }
    }

    std::shared_ptr<const Given<F>> given_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace force_detail

template <class F>
Forces Forces::of(std::size_t dimension, std::size_t phases, F f) {
    using Given = force_detail::Given<F>;
    auto given = std::make_shared<const Given>(Given{dimension, phases, std::move(f)});
    MakeBlocks blocks;
    if constexpr (force_detail::takes_series<F>) {
        blocks = [given] { return std::make_unique<force_detail::GivenBlocks<F>>(given); };
    }
    return {given, &Given::at, dimension == 1 && phases <= 1 ? &Given::one : nullptr, std::move(blocks)};
}

}  // namespace lento
