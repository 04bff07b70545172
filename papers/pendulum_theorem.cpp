/// When chains stand upside down on a vibrating support (D. J. Acheson, A pendulum theorem, Proc. R. Soc. Lond. A 443,
/// 1993): reference [1] of the paper vibrated, which it cites for the stable equilibrium in figure 4.1.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Core>

#include "base/eigenvalues.hpp"
#include "base/number.hpp"
#include "chain.hpp"
#include "lento/lento.hpp"
#include "plain_run.hpp"
#include "reproduction.hpp"

namespace lento::papers {
namespace {

/// The smallest and largest root of Laguerre's polynomial of degree n: the squares of the frequencies of a hanging
/// chain of n equal links, in units of g/l.
std::pair<double, double> hanging_modes(std::size_t n) {
    const auto count = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index k = 0; k < count; ++k) {
        jacobi(k, k) = static_cast<double>(2 * k + 1);
        if (k + 1 < count) {
            jacobi(k, k + 1) = jacobi(k + 1, k) = static_cast<double>(k + 1);
        }
    }
    const auto roots = symmetric_eigenvalues(jacobi);
    return {roots[0], roots[count - 1]};
}

/// The height of the tip, over the length, in the run of a chain that starts with a small lean.
Curve tip_of(const Chain& chain, double lean, double omega, double t_end, const std::string& method,
             const Options& options) {
    Curve tip{"", {}, {}};
    const auto run =
        plain_run(chain.vibrated(omega), {.start = chain.position(std::vector<double>(chain.links(), lean)),
                                          .t_end = t_end,
                                          .method = method,
                                          .rtol = 1e-8,
                                          .atol = 1e-10,
                                          .options = options,
                                          .samples = 201,
                                          .sink =
                                              [&](double t, std::span<const double> y) {
                                                  tip.x.push_back(t);
                                                  tip.y.push_back(chain.tip(y));
                                              },
                                          .keep = Recorder::Keep::nothing});
    if (run.outcome() != Outcome::completed) {
        tip.x.push_back(t_end);
        tip.y.push_back(std::nan(""));
    }
    return tip;
}

Result pendulum_theorem() {
    Result result;
    const std::string y_label = "height of the tip over the length";
    Picture ropes{"A rope of 100 links", "t", y_label, {}};
    Picture three{"Three links at twice the least velocity", "t", y_label, {}};
    const auto record = [&](Picture& picture, const std::string& label, Curve tip, bool stands,
                            Source source = Source::paper) {
        double lowest = 1;
        for (const double height : tip.y) {
            lowest = -larger(-lowest, -height);
        }
        result.rows.push_back({label, "lowest height of the tip over the length", std::nullopt, lowest, true, 0});
        result.claims.push_back({label + (stands ? " stands: lowest tip" : " falls: lowest tip"), lowest,
                                 stands ? lowest > 0.99 : lowest < 0.5, source});
        picture.curves.push_back(std::move(tip));
    };

    // A rope 1 m long of 100 links. The averaged rope has frequencies up to 4 n v_max / (sqrt(2) l).
    constexpr std::size_t links = 100;
    const double l = 1.0 / links;
    const double least = std::sqrt(2.0) * 9.8 / std::sqrt(hanging_modes(links).first * 9.8 / l);
    for (const double margin : {1.3, 0.5}) {
        const auto rope = Chain::rope(links, 1.0, margin * least);
        const double omega = 80 * links * rope.v_max / l;
        auto tip = tip_of(rope, 0.05, omega, 1.3, "rattle-shake",
                          {.macro_step = l / (4 * links * rope.v_max), .micro_steps_per_period = 16});
        tip.label = fmt::format("{} times the least velocity", margin);
        record(ropes, fmt::format("100 links at {} times the least velocity", margin), std::move(tip), margin > 1);
    }

    // Three links, at twice the least velocity, with the amplitude below and above the second bound.
    const double length = 0.1;
    const auto [low, high] = hanging_modes(3);
    const double largest_amplitude = 0.450 * length / high;
    const auto rods = Chain::rope(3, 3 * length, 2 * std::sqrt(2.0) * 9.8 / std::sqrt(low * 9.8 / length));
    for (const double share : {0.7, 1.3}) {
        const double omega = rods.v_max / (share * largest_amplitude);
        const auto add = [&](const char* kind, const char* method, const Options& options, bool stands, Source source) {
            auto tip = tip_of(rods, 0.02, omega, 2, method, options);
            tip.label = fmt::format("amplitude {} of the bound, {}", share, kind);
            tip.colour = share < 1 ? 0 : 1;
            tip.style = kind == std::string("direct") ? Curve::Style::line : Curve::Style::dashed;
            record(three, fmt::format("three links, amplitude {} of 0.450 g/omega_max^2, {}", share, kind),
                   std::move(tip), stands, source);
        };
        add("direct", "direct", {}, share < 1, Source::paper);
        add("averaged", "rattle-shake", {.mean_force = "accept"}, true, Source::lento);
    }
    result.pictures = {ropes, three};
    return result;
}

}  // namespace

std::vector<Reproduction> pendulum_theorems() {
    return {
        {"vibrated/pendulum-theorem", "When chains stand upside down: both halves of Acheson's criterion", "vibrated",
         "The criterion is that of D. J. Acheson (1993), A pendulum theorem, reference [1] of the paper. Equal links "
         "and masses, g = 9.8, started at rest and straight with a small lean. 100 links, 1 m long, "
         "lean 0.05, T = 1.3, at 1.3 and 0.5 times the least v_max: RATTLE-SHAKE with H = l/(4 n v_max), omega = "
         "80 n v_max/l, 16 micro-steps a period; three links of 0.1 m, lean 0.02, T = 2, twice the least v_max: "
         "direct integration and RATTLE-SHAKE, rtol = 1e-8, atol = 1e-10.",
         pendulum_theorem}};
}

}  // namespace lento::papers
