/// A part of a first-order system that is solved exactly: a field A(y) and its flow phi_h, y(t + h) = phi_h(y(t)).
///
///     field(y, rate)           rate = A(y), zero where the part moves nothing
///     increment(h, y, du)      du = phi_h(y) - y; false where there is no such motion, and failure() says why
///     carry(h, y, w, dw)       dw = D phi_h(y) w - w
///
/// Increments, and not the point they lead to: a short motion is known to its last digit, and not to the last digit of
/// y. An `ExactPart` is immutable; each caller takes a flow of its own. Those that are known: `problem/exact_flow.hpp`.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lento/base/jet.hpp"
#include "lento/problem/forces.hpp"

namespace [[gnu::visibility("default")]] lento {

template <class F, class S>
concept FlowOn = requires(F& flow, const F& same, double h, std::span<const S> y, std::span<S> result) {
    same.field(y, result);
    { flow.increment(h, y, result) } -> std::same_as<bool>;
};

/// What users write; for points that are series in time too where both members are templates on their numbers.
template <class F>
concept FlowFunction = FlowOn<F, double> && requires(const F& flow) {
    { flow.failure() } -> std::same_as<std::optional<std::string>>;
};
template <class F>
concept SeriesFlow = FlowFunction<F> && FlowOn<F, Taylor> && FlowOn<F, Jet<double, 1>> && FlowOn<F, Jet<Taylor, 1>>;

/// dw = D phi_h(y) w - w; false where there is no such motion. A flow may know it; else dual numbers y + s w give it.
template <class S, FlowOn<S> Flow>
bool carry(Flow& flow, double h, std::span<const S> y, std::span<const S> w, std::span<S> dw) {
    if constexpr (requires {
                      { flow.carry(h, y, w, dw) } -> std::same_as<bool>;
                  }) {
        return flow.carry(h, y, w, dw);
    } else {
        using Dual = Jet<S, 1>;
        std::vector<Dual> point(y.begin(), y.end());
        std::vector<Dual> increment(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            point[i][1] = w[i];
        }
        const bool possible = flow.increment(h, std::span<const Dual>(point), std::span<Dual>(increment));
        for (std::size_t i = 0; i < y.size(); ++i) {
            dw[i] = increment[i][1];
        }
        return possible;
    }
}

/// A flow whose type has been forgotten, with work space for one caller.
class ExactFlow {
public:
    virtual ~ExactFlow() = default;

    virtual void field(In y, Out rate) const = 0;
    virtual bool increment(double h, In y, Out du) = 0;
    virtual std::optional<std::string> failure() const = 0;

    // Of flows that take series.
    virtual bool carry(double h, In y, In w, Out dw) = 0;
    virtual void field(std::span<const Taylor> y, std::span<Taylor> rate) const = 0;
    virtual bool increment(double h, std::span<const Taylor> y, std::span<Taylor> du) = 0;
    virtual bool carry(double h, std::span<const Taylor> y, std::span<const Taylor> w, std::span<Taylor> dw) = 0;
};

class ExactPart {
public:
    virtual ~ExactPart() = default;
    virtual std::unique_ptr<ExactFlow> flow() const = 0;
    /// Whether its flows do.
    virtual bool takes_series() const = 0;
};

namespace exact_detail {

template <FlowFunction Flow>
class GivenFlow final : public ExactFlow {
public:
    explicit GivenFlow(Flow flow) : flow_(std::move(flow)) {}

    void field(In y, Out rate) const override { flow_.field(y, rate); }
    bool increment(double h, In y, Out du) override { return flow_.increment(h, y, du); }
    std::optional<std::string> failure() const override { return flow_.failure(); }

    bool carry(double h, In y, In w, Out dw) override { return carried<double>(h, y, w, dw); }
    void field(std::span<const Taylor> y, std::span<Taylor> rate) const override {
        if constexpr (SeriesFlow<Flow>) {
            flow_.field(y, rate);
        }
    }
    bool increment(double h, std::span<const Taylor> y, std::span<Taylor> du) override {
        if constexpr (SeriesFlow<Flow>) {
            return flow_.increment(h, y, du);
        } else {
            return false;
        }
    }
    bool carry(double h, std::span<const Taylor> y, std::span<const Taylor> w, std::span<Taylor> dw) override {
        return carried<Taylor>(h, y, w, dw);
    }

private:
    template <class S>
    bool carried(double h, std::span<const S> y, std::span<const S> w, std::span<S> dw) {
        if constexpr (SeriesFlow<Flow>) {
            return lento::carry<S>(flow_, h, y, w, dw);
        } else {
            return false;
        }
    }

    Flow flow_;
};

template <FlowFunction Flow>
class GivenPart final : public ExactPart {
public:
    explicit GivenPart(Flow flow) : flow_(std::move(flow)) {}
    std::unique_ptr<ExactFlow> flow() const override { return std::make_unique<GivenFlow<Flow>>(flow_); }
    bool takes_series() const override { return SeriesFlow<Flow>; }

private:
    Flow flow_;
};

}  // namespace exact_detail

template <FlowFunction Flow>
std::shared_ptr<const ExactPart> exact_part(Flow flow) {
    return std::make_shared<const exact_detail::GivenPart<Flow>>(std::move(flow));
}

}  // namespace lento
