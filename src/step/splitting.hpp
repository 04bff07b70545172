/// Symmetric splittings of y' = A(y) + B(y), A solved exactly and B small, of size eps:
///
///     A(a_1 h) B(b_1 h) A(a_2 h) B(b_2 h) ...      or      B(b_1 h) A(a_1 h) B(b_2 h) A(a_2 h) ...
///
/// each part the flow of one of the two, the leftmost first. The error of a method of order (s, p) is
/// O(eps h^s + eps^2 h^p), however fast A is.
///
/// The state is a base and an increment, y = base + u: what a period adds keeps digits that the state has not.
///
/// NOTE: the orders take B's flow to be exact, as that of a kick is. With the implicit midpoint rule in its place there
/// is a further error O(eps^3 h^2) in `aba84_splitting` and `aba104_splitting`, and in a composition that was `merged`;
/// compositions that were not keep their order, being made of symmetric steps. With a step of the classical Runge-Kutta
/// method in its place it is O(eps^5 h^4).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>

#include "base/number.hpp"
#include "lento/problem/exact_part.hpp"
#include "step/verlet.hpp"

namespace lento {

enum class SplittingPart { flow, perturbation };

/// Entries beyond `flows` and `perturbations` are zero. A flow of length zero stands in between two steps of a
/// composition.
struct SplittingCoefficients {
    static constexpr std::size_t most = 18;

    std::string_view name;
    int order_small = 0;  // s, what a small perturbation shows
    int order = 0;        // p
    SplittingPart first = SplittingPart::flow;
    std::size_t flows = 0;
    std::size_t perturbations = 0;
    std::array<double, most> a{};
    std::array<double, most> b{};
    std::array<double, most> fractions{};  // sum of the a_j before b_i: the part of the step that is done there
};

namespace splitting_detail {

/// Rounds, and lays out what is done before each b.
constexpr SplittingCoefficients table(std::string_view name, int order_small, int order, SplittingPart first,
                                      std::span<const long double> a, std::span<const long double> b) {
    SplittingCoefficients result{.name = name,
                                 .order_small = order_small,
                                 .order = order,
                                 .first = first,
                                 .flows = a.size(),
                                 .perturbations = b.size()};
    for (std::size_t i = 0; i < a.size(); ++i) {
        result.a[i] = static_cast<double>(a[i]);
    }
    const std::size_t ahead = first == SplittingPart::flow ? 1 : 0;
    long double done = ahead == 1 ? a[0] : 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        result.b[i] = static_cast<double>(b[i]);
        result.fractions[i] = i + ahead < a.size() ? static_cast<double>(done) : 1;
        done += i + ahead < a.size() ? a[i + ahead] : 0;
    }
    return result;
}

/// a_1 b_1 ... a_n b_n a b a b_n a_n ... b_1 a_1; the middle ones follow from the sums.
template <std::size_t N>
constexpr SplittingCoefficients aba(std::string_view name, int order_small, const std::array<long double, N>& a,
                                    const std::array<long double, N>& b) {
    std::array<long double, 2 * N + 2> all_a{};
    std::array<long double, 2 * N + 1> all_b{};
    long double middle_a = 0.5L;
    long double middle_b = 1;
    for (std::size_t i = 0; i < N; ++i) {
        all_a[i] = all_a[2 * N + 1 - i] = a[i];
        all_b[i] = all_b[2 * N - i] = b[i];
        middle_a -= a[i];
        middle_b -= 2 * b[i];
    }
    all_a[N] = all_a[N + 1] = middle_a;
    all_b[N] = middle_b;
    return table(name, order_small, 4, SplittingPart::flow, all_a, all_b);
}

/// The composition of B(h/2) A(h) B(h/2).
template <std::size_t Half>
constexpr SplittingCoefficients composed(std::string_view name, const CompositionCoefficients<Half>& composition) {
    constexpr std::size_t parts = 2 * Half + 1;
    const auto weights = composition.template weights<long double>();
    std::array<long double, 2 * parts - 1> a{};
    std::array<long double, 2 * parts> b{};
    for (std::size_t i = 0; i < parts; ++i) {
        a[2 * i] = weights[i];
        b[2 * i] = b[2 * i + 1] = weights[i] / 2;
    }
    return table(name, composition.order, composition.order, SplittingPart::perturbation, a, b);
}

}  // namespace splitting_detail

/// The same with perturbations joined where nothing is in between: half the evaluations for a composition, and the same
/// step where the perturbation's flow is exact.
constexpr SplittingCoefficients merged(const SplittingCoefficients& given) {
    SplittingCoefficients result = given;
    if (given.first == SplittingPart::flow) {
        return result;  // nothing to join
    }
    result.a = result.b = result.fractions = {};
    result.flows = 0;
    result.perturbations = 1;
    result.b[0] = given.b[0];
    for (std::size_t i = 0; i < given.flows; ++i) {
        if (given.a[i] == 0) {
            result.b[result.perturbations - 1] += given.b[i + 1];
            continue;
        }
        result.a[result.flows++] = given.a[i];
        result.fractions[result.perturbations] = given.fractions[i + 1];
        result.b[result.perturbations++] = given.b[i + 1];
    }
    return result;
}

/// Strang (1968): B(h/2) A(h) B(h/2).
inline constexpr SplittingCoefficients strang_splitting =
    splitting_detail::composed("strang", CompositionCoefficients<0>{2, {}});

// Blanes, Casas, Farres, Laskar, Makazaga, Murua 2013, New families of symplectic splitting methods for numerical
// integration in dynamical astronomy: ABA(8,4) (after McLachlan 1995) and ABA(10,4).
inline constexpr SplittingCoefficients aba84_splitting = splitting_detail::aba<2>(
    "aba84", 8, {0.0753469602698929L, 0.5179168546882568L}, {0.1902259393736766L, 0.8465240704435263L});
inline constexpr SplittingCoefficients aba104_splitting =
    splitting_detail::aba<3>("aba104", 10, {0.04706710064597251L, 0.1847569354170881L, 0.2827060056798362L},
                             {0.1188819173681970L, 0.2410504605515016L, -0.2732866667053239L});

inline constexpr SplittingCoefficients suzuki4_splitting = splitting_detail::composed("suzuki4", suzuki4);
inline constexpr SplittingCoefficients kahan_li6_splitting = splitting_detail::composed("kahan-li6", kahan_li6);

class Splitting {
public:
    Splitting(const SplittingCoefficients& coefficients, std::size_t dimension)
        : coefficients_(coefficients), point_(dimension), du_(dimension) {}

    /// Advances base + u by h. `perturb(fraction, h, base, u)` adds to u what the perturbation does in a time h, and
    /// says whether it could. False as soon as a part could not; u is then somewhere within the step.
    template <FlowOn<double> Flow, class Perturbation>
    bool step(Flow& flow, Perturbation&& perturb, double h, In base, Out u) {
        const auto& c = coefficients_;
        bool flows = c.first == SplittingPart::flow;
        for (std::size_t part = 0; part < c.flows + c.perturbations; ++part, flows = !flows) {
            const std::size_t i = part / 2;
            if (!(flows ? advance(flow, c.a[i] * h, base, u) : perturb(c.fractions[i], c.b[i] * h, base, u))) {
                return false;
            }
        }
        return true;
    }

private:
    template <class Flow>
    bool advance(Flow& flow, double h, In base, Out u) {
        if (h == 0) {
            return true;
        }
        std::transform(u.begin(), u.end(), base.begin(), point_.begin(), std::plus<>());
        if (!flow.increment(h, In(point_), Out(du_))) {
            return false;
        }
        add_to(u, 1, du_);
        return true;
    }

    SplittingCoefficients coefficients_;
    std::vector<double> point_, du_;
};

/// How to follow y' = g(y). A kick changes nothing that g depends on.
enum class PerturbationRule { kick, midpoint, runge_kutta };

/// The perturbation's part of a splitting: a kick u_1 = u_0 + h g(base + u_0), or the implicit midpoint rule
///
///     u_1 = u_0 + d,     d = h g(base + u_0 + d/2)
///
/// by fixed-point iteration from d = 0, which contracts by h eps / 2, eps the size of g'; or a step of the classical
/// Runge-Kutta method.
template <class Rate>
class PerturbationStep {
public:
    static constexpr int most_iterations = 50;

    /// `rate(y, fraction, result)` fills all components.
    PerturbationStep(std::size_t dimension, PerturbationRule rule, Rate rate)
        : rule_(rule),
          rate_(std::move(rate)),
          point_(dimension),
          result_(dimension),
          d_(dimension),
          sum_(rule == PerturbationRule::runge_kutta ? dimension : 0) {}

    /// False if the iteration did not converge or a rate is not finite; u is then as it was.
    bool operator()(double fraction, double h, In base, Out u) {
        std::ranges::fill(d_, 0.0);
        const bool followed = rule_ == PerturbationRule::kick       ? std::isfinite(iterate(fraction, h, base, u))
                              : rule_ == PerturbationRule::midpoint ? solve(fraction, h, base, u)
                                                                    : four_stages(fraction, h, base, u);
        if (followed) {
            add_to(u, 1, d_);
        }
        return followed;
    }

    std::int64_t evaluations() const { return evaluations_; }

private:
    bool solve(double fraction, double h, In base, In u) {
        // NOTE: d is then better than this by the contraction: good to its own last digits, not only to those of y.
        constexpr double few_ulps = 4 * std::numeric_limits<double>::epsilon();
        constexpr double noise = 1e-10;  // of a rate that is itself the result of an iteration
        double before = HUGE_VAL;
        for (int k = 0; k < most_iterations; ++k) {
            const double change = iterate(fraction, h, base, u);
            if (!std::isfinite(change)) {
                return false;
            }
            if (change <= few_ulps * size_ || (change >= before && change <= noise * size_)) {
                return true;
            }
            before = std::min(before, change);
        }
        return false;
    }

    bool four_stages(double fraction, double h, In base, In u) {
        std::ranges::fill(sum_, 0.0);
        for (int stage = 0; stage < 4; ++stage) {
            // NOTE: iterate looks half of d ahead; the last stage looks the whole of it.
            if (stage == 3) {
                for (auto& component : d_) {
                    component *= 2;
                }
            }
            if (!std::isfinite(iterate(fraction, h, base, u))) {
                return false;
            }
            add_to(sum_, stage == 0 || stage == 3 ? 1.0 / 6 : 1.0 / 3, d_);
        }
        d_ = sum_;
        return true;
    }

    /// d becomes h g(base + u + d/2); returns its largest change, not a number if one is not.
    double iterate(double fraction, double h, In base, In u) {
        size_ = 0;
        for (std::size_t i = 0; i < u.size(); ++i) {
            point_[i] = base[i] + (u[i] + d_[i] / 2);
            size_ = std::max(size_, std::abs(point_[i]));
        }
        rate_(In(point_), fraction, Out(result_));
        ++evaluations_;
        for (auto& component : result_) {
            component *= h;
        }
        std::swap(d_, result_);
        return largest_change(d_, result_);
    }

    PerturbationRule rule_;
    Rate rate_;
    std::vector<double> point_, result_, d_, sum_;
    double size_ = 0;  // of the state
    std::int64_t evaluations_ = 0;
};

}  // namespace lento
