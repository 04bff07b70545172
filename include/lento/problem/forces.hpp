/// The right-hand side of a problem:
///
///     f(x, v, t, theta)     forces on coordinates x with velocities v
///     r(y, t, theta)        or rates of variables y; v is then of no meaning
///
/// One call for a point, or one for a block of points. Forces are immutable, and any thread may call them; what needs
/// work space from call to call is a `BlockForces`, of which each caller has its own. The one template is `Forces::of`:
/// a user's function is compiled for double, for lanes of it and for truncated series there and nowhere else; methods
/// are compiled once.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/base/lanes.hpp"

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
    /// The same at x and v, and then at other_x and other_v + (change + factor times the first): two stages of a
    /// Runge-Kutta step at one time. What depends on the phase alone is computed once.
    struct Two {
        double first, second;
    };
    using AtOnce = Two (*)(const void* self, double x, double v, double other_x, double other_v, double change,
                           double factor, double t, double theta, const double* parameters);
    /// `one`, what there is for two, and what both are given first, for loops.
    struct Single {
        One one;
        AtOnce two;
        const void* self;
    };
    using MakeBlocks = std::function<std::unique_ptr<BlockForces>()>;

    Forces() = default;
    /// `one`, `two` and `blocks` may be missing: forces that take double alone have no blocks.
    Forces(std::shared_ptr<const void> self, At at, One one, MakeBlocks blocks, AtOnce two = nullptr)
        : self_(std::move(self)), at_(at), one_(one), two_(two), blocks_(std::move(blocks)) {}

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
    /// `one` and what there is for two, as they are by now.
    Single single() const { return single_ == nullptr ? Single{one_, two_, self_.get()} : single_(self_.get()); }
    /// The same forces, where what `one` leads to changes while it is in use, as from an interpreter to machine code:
    /// `single` says where it leads by now.
    Forces with_single(Single (*single)(const void* self)) && {
        single_ = single;
        return std::move(*this);
    }

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
    AtOnce two_ = nullptr;
    Single (*single_)(const void* self) = nullptr;
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

template <class F, class S>
inline constexpr bool takes =
    std::is_invocable_v<const F&, std::span<const S>, std::span<const S>, S, std::span<const S>, std::span<S>>;

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
    static Forces::Two two(const void* self, double x, double v, double other_x, double other_v, double change,
                           double factor, double t, double theta, const double* parameters) {
        const double first = one(self, x, v, t, theta, parameters);
        return {first, one(self, other_x, other_v + (change + factor * first), t, theta, parameters)};
    }
#pragma GCC diagnostic pop
};

/// Numbers four at a time, series one after the other.
template <class F>
class GivenBlocks final : public BlockForces {
public:
    explicit GivenBlocks(std::shared_ptr<const Given<F>> given) : given_(std::move(given)) {}

    void operator()(const Block& block, Out f) override {
        if (block.degree > 0) {
            one_by_one(block, f, series_);
        } else if constexpr (takes<F, Lanes>) {
            by_fours(block, f);
        } else {
            one_by_one(block, f, numbers_);
        }
    }

private:
    /// What the function is given, and its result.
    template <class S>
    struct Arguments {
        std::span<S> x, v, result, theta;

        Arguments(const Given<F>& given, bool has_v, std::vector<S>& space) {
            const std::size_t n = given.dimension;
            space.resize(3 * n + given.phases);
            const std::span<S> all(space);
            x = all.first(n);
            v = all.subspan(n, has_v ? n : 0);
            result = all.subspan(2 * n, n);
            theta = all.subspan(3 * n);
        }
        void call(const Given<F>& given, const S& t) const {
            given.function(std::span<const S>(x), std::span<const S>(v), t, std::span<const S>(theta), result);
        }
    };

    template <class S>
    void one_by_one(const Block& block, Out f, std::vector<S>& space) {
        const Arguments<S> arguments(*given_, !block.v.empty(), space);
        const BlockLayout layout{given_->dimension, block.lanes};
        for (std::size_t k = 0; k < block.lanes; ++k) {
            for (std::size_t l = 0; l < arguments.theta.size(); ++l) {
                arguments.theta[l] = block.theta[l * block.lanes + k];
            }
            S t = block.t[k];
            if constexpr (!std::is_arithmetic_v<S>) {
                t = S::variable(block.t[k], block.degree);
            }
            layout.gather(block.degree, block.x, k, arguments.x);
            layout.gather(block.degree, block.v, k, arguments.v);
            arguments.call(*given_, t);
            layout.scatter(block.degree, arguments.result, k, f);
        }
    }

    /// The last four overlap those before rather than reach beyond the end.
    void by_fours(const Block& block, Out f) {
        const std::size_t m = block.lanes;
        if (m < Lanes::count) {
            repeated(block, 0, m, f);
            return;
        }
        if (const std::size_t fours = 1 + (m - 1) / Lanes::count; memories_.size() < fours) {
            memories_.resize(fours);
        }
        const Arguments<Lanes> arguments(*given_, !block.v.empty(), fours_);
        for (std::size_t begin = 0; begin < m; begin += Lanes::count) {
            const std::size_t first = std::min(begin, m - Lanes::count);
            if (!four(block, first, arguments, memories_[begin / Lanes::count], f)) {
                for (std::size_t k = first; k < first + Lanes::count; ++k) {
                    repeated(block, k, 1, f);
                }
            }
        }
    }

    /// From the point `first` on; false where the function did not go the same way for all.
    bool four(const Block& block, std::size_t first, const Arguments<Lanes>& arguments, LanesMemory& memory, Out f) {
        const auto load = [&, m = block.lanes](In from, std::span<Lanes> to) {
            for (std::size_t i = 0; i < to.size(); ++i) {
                to[i] = Lanes::load(from.data() + i * m + first);
            }
        };
        load(block.x, arguments.x);
        load(block.v, arguments.v);
        load(block.theta, arguments.theta);
        const LanesCall call(memory);
        arguments.call(*given_, Lanes::load(block.t.data() + first));
        for (std::size_t i = 0; i < arguments.result.size(); ++i) {
            arguments.result[i].store(f.data() + i * block.lanes + first);
        }
        return call.agreed();
    }

    /// Fewer than four points: the last one stands in for those that are missing. Comparisons of one point agree.
    void repeated(const Block& block, std::size_t first, std::size_t count, Out f) {
        const auto widened = [&](In rows, std::vector<double>& wide) {
            wide.clear();
            for (std::size_t row = first; row < rows.size(); row += block.lanes) {
                for (std::size_t k = 0; k < Lanes::count; ++k) {
                    wide.push_back(rows[row + std::min(k, count - 1)]);
                }
            }
        };
        widened(block.t, wide_.t);
        widened(block.x, wide_.x);
        widened(block.v, wide_.v);
        widened(block.theta, wide_.theta);
        wide_.f.resize(wide_.x.size());
        const Block wide{0, Lanes::count, wide_.t, wide_.x, wide_.v, wide_.theta, block.parameters};
        if (!four(wide, 0, Arguments<Lanes>(*given_, !block.v.empty(), fours_), wide_.memory, wide_.f)) {
            for (std::size_t k = first; k < first + count; ++k) {
                repeated(block, k, 1, f);
            }
            return;
        }
        for (std::size_t i = 0; i < given_->dimension; ++i) {
            std::copy_n(&wide_.f[i * Lanes::count], count, &f[i * block.lanes + first]);
        }
    }

    std::shared_ptr<const Given<F>> given_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
    std::vector<Lanes> fours_;
    std::vector<LanesMemory> memories_;  // four phases of a grid come back, so that each four have one of their own
    struct Wide {
        std::vector<double> t, x, v, theta, f;
        LanesMemory memory;
    } wide_;
};

}  // namespace force_detail

template <class F>
Forces Forces::of(std::size_t dimension, std::size_t phases, F f) {
    using Given = force_detail::Given<F>;
    auto given = std::make_shared<const Given>(Given{dimension, phases, std::move(f)});
    MakeBlocks blocks;
    if constexpr (force_detail::takes<F, Taylor>) {
        blocks = [given] { return std::make_unique<force_detail::GivenBlocks<F>>(given); };
    }
    const bool is_single = dimension == 1 && phases <= 1;
    return {given, &Given::at, is_single ? &Given::one : nullptr, std::move(blocks), is_single ? &Given::two : nullptr};
}

}  // namespace lento
