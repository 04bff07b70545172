#include "judge/fast_energy.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "problem/spring_spectrum.hpp"

namespace lento {
namespace {

/// An action of which a tenth passes to other modes is no invariant: at a resonance it is all of it.
constexpr double most_exchange = 0.1;

/// The energy of springs as potentials of their elongations.
double stretching_energy(const Problem& problem, double t, In x) {
    std::vector<double> g(problem.springs->measures->count());
    problem.springs->measures->values(x, t, g);
    double energy = 0;
    for (std::size_t j = 0; j < g.size(); ++j) {
        energy += problem.springs->entries[j].strength * g[j] * g[j] / 2;
    }
    return energy;
}

std::vector<double> slow_force(const Problem& problem, double t, In x, In v) {
    std::vector<double> force(x.size());
    problem.springs->slow.at(x.data(), v.data(), t, problem.phases_at(t).data(), problem.parameters.data(),
                             force.data());
    return force;
}

}  // namespace

std::optional<std::string> FastEnergy::obstacle(const Problem& problem) {
    constexpr std::size_t most_springs = 32;  // modes of so many cost as much as a window
    const auto& springs = *problem.springs;
    if (problem.mass.varies()) {
        return "masses that vary act on the oscillation with forces that are not known to come from an energy";
    }
    if (!std::ranges::all_of(springs.entries, [](const auto& spring) { return spring.has_elongation; })) {
        return "a spring is given by its potential, not by an elongation";
    }
    if (!springs.measures->takes_series()) {
        return "elongations take double alone; write them as templates on their numbers";
    }
    if (springs.entries.size() > most_springs) {
        return fmt::format("there are more than {} springs", most_springs);
    }
    return std::nullopt;
}

FastEnergy::FastEnergy(const Problem& problem, const Outset& outset, In X, In V) : problem_(&problem), modes_(problem) {
    const std::size_t n = modes_.count();
    exchange_.actions.resize(n);
    exchange_.gyration.resize(n * n);
    if (!modes_.at(outset.t_start, X)) {
        violation_ = {Outcome::refused, "the springs depend on each other at the start, and have no modes"};
        return;
    }
    find_actions(outset, X, V);
    require_steady_forces(outset, X, V);
    if (!lost_) {
        arrive(point_of_way(modes_, outset.t_start, X, V));
    }
}

void FastEnergy::find_actions(const Outset& outset, In X, In V) {
    std::vector<double> x(outset.start.begin(), outset.start.end());
    std::vector<double> v(outset.velocity.begin(), outset.velocity.end());
    const double t = outset.t_start;
    const double lacking = kinetic_energy(*problem_, t, X, v) - kinetic_energy(*problem_, t, X, V) +
                           stretching_energy(*problem_, t, x) - stretching_energy(*problem_, t, X);
    add_to(x, -1, X);
    add_to(v, -1, V);
    for (std::size_t j = 0; j < modes_.count(); ++j) {
        moved_.push_back(modes_.component(j, x));
        rates_.push_back(modes_.component(j, v));
    }
    for (std::size_t j = 0; j < modes_.count(); ++j) {
        for (std::size_t k = 0; k < modes_.count(); ++k) {
            if (const double turning = modes_.turning(j, k, V); std::isfinite(turning)) {
                rates_[j] -= turning * moved_[k];
            }
        }
        const double energy = (std::pow(rates_[j], 2) + std::pow(modes_.frequency(j) * moved_[j], 2)) / 2;
        exchange_.actions[j] = energy / modes_.frequency(j);
        exchange_.energy += energy;
    }
    constexpr double most_apart = 0.5;  // beyond it the start is too far for either to be right
    const double total = lacking - product(slow_force(*problem_, t, X, V), x);
    if (std::abs(total - exchange_.energy) < most_apart * exchange_.energy) {
        for (double& action : exchange_.actions) {
            action *= total / exchange_.energy;
        }
        exchange_.energy = total;
    }
}

void FastEnergy::require_steady_forces(const Outset& outset, In X, In V) {
    constexpr double most_lost = 1e-3;  // share of an action, over the run
    constexpr double rounding = 1e-6;   // beside the forces themselves
    const auto at_rest = slow_force(*problem_, outset.t_start, X, V);
    for (std::size_t k = 0; k < modes_.count(); ++k) {
        const double speed = std::sqrt(2 * exchange_.actions[k] * modes_.frequency(k));
        if (!exchange_.holds(k, modes_.frequency(k))) {
            continue;
        }
        const auto kicked = [&](double share) {
            std::vector<double> v(V.begin(), V.end());
            add_to(v, share * speed, modes_.shape(k));
            return slow_force(*problem_, outset.t_start, X, v);
        };
        auto change = kicked(1);
        const auto back = kicked(-1);
        auto mean = change;
        add_to(change, -1, back);
        add_to(mean, 1, back);
        add_to(mean, -2, at_rest);
        for (std::size_t j = 0; j < modes_.count(); ++j) {
            exchange_.gyration[j * modes_.count() + k] = product(modes_.shape(j), change) / (2 * speed);
        }
        const double decay = exchange_.gyration[k * modes_.count() + k];
        if (std::abs(decay) * outset.length() > most_lost) {
            lost_ = fmt::format("a force that depends on velocities makes an oscillation {} at the rate {:.2g}",
                                decay < 0 ? "decay" : "grow", std::abs(decay) / 2);
        } else if (largest(mean) > rounding * (largest(at_rest) + largest(change))) {
            lost_ =
                "forces depend on velocities otherwise than linearly, and have another mean while springs oscillate";
        }
    }
}

std::vector<double> FastEnergy::turn() const {
    std::vector<double> momentum(problem_->dimension());
    for (std::size_t j = 0; j < modes_.count(); ++j) {
        add_to(momentum, -moved_[j] * rates_[j] / 2, modes_.bend(j, j));
        for (std::size_t k = 0; k < modes_.count(); ++k) {
            const double one = std::pow(modes_.frequency(j), 2);
            const double other = std::pow(modes_.frequency(k), 2);
            if (std::abs(other - one) > same_frequency * one) {
                const double both = rates_[j] * moved_[k] / (other - one);
                add_to(momentum, both * one, modes_.bend(j, k));
                add_to(momentum, both * other, modes_.bend(k, j));
            }
        }
    }
    return modes_.tangential(momentum);
}

bool FastEnergy::push(double t, In x, In v, Out a) {
    if (!std::isfinite(largest(x) + largest(v))) {
        return false;  // for the reason that was there before
    }
    violation_.reset();
    if (!modes_.at(t, x)) {
        violation_ = {Outcome::refused,
                      fmt::format("the springs depend on each other at t = {:.6g}, and have no modes", t)};
        return false;
    }
    std::vector<double> force(x.size());
    for (std::size_t j = 0; j < modes_.count(); ++j) {
        add_to(force, -exchange_.actions[j] * modes_.frequency(j), modes_.bend(j, j));
    }
    add_to(a, 1, modes_.tangential(force));
    take_amplitudes();
    return arrive(point_of_way(modes_, t, x, v));
}

void FastEnergy::take_amplitudes() {
    const std::size_t d = problem_->dimension();
    amplitudes_.resize(2 * d);
    for (std::size_t i = 0; i < d; ++i) {
        double moves = 0;
        double speed = 0;
        for (std::size_t j = 0; j < modes_.count(); ++j) {
            const double share = std::abs(modes_.shape(j)[i]) * exchange_.swing(j);
            moves += share / std::sqrt(modes_.frequency(j));
            speed += share * std::sqrt(modes_.frequency(j));
        }
        amplitudes_[i] = std::max(amplitudes_[i], moves);
        amplitudes_[d + i] = std::max(amplitudes_[d + i], speed);
    }
}

double FastEnergy::uncertain_share() const {
    // One action is known to the next order.
    return modes_.count() == 1 ? 4 * largest_exchange_ * largest_exchange_ : 2 * largest_exchange_;
}

bool FastEnergy::stays(const ModeExchange::Exchange& found, double t) {
    if (found.share <= most_exchange) {
        largest_exchange_ = std::max(largest_exchange_, found.share);
        return true;
    }
    const auto mu = [&](std::size_t i) { return modes_.frequency(found.modes[i]); };
    std::string what;
    if (found.modes.size() == 3) {
        what = found.modes[0] == found.modes[2] && found.modes[1] == found.modes[2]
                   ? fmt::format("the oscillation of frequency {:.4g} is not small", mu(0))
                   : fmt::format("{:.4g} is near {:.4g} + {:.4g}: these fast frequencies are in resonance", mu(2),
                                 mu(0), mu(1));
    } else if (found.modes[0] == found.modes[1]) {
        what = fmt::format("the fast frequency {:.4g} changes by much in its own period", mu(0));
    } else {
        what = fmt::format("the fast frequencies {:.4g} and {:.4g} cross, or come near each other", mu(0), mu(1));
    }
    violation_ = {Outcome::refused,
                  fmt::format("at t = {:.6g} {}, so that {} of the energy of an oscillation may pass to others, where "
                              "less than {} is needed: what springs do to the slow motion is then not known from the "
                              "start (fast_energy = none leaves it out)",
                              t, what, found.share < 1 ? fmt::format("{:.3g}", found.share) : "all", most_exchange),
                  Remedy::resolve};
    return false;
}

bool FastEnergy::arrive(PointOfWay next) {
    if (!stays(exchange_.at(modes_, next.v), next.t)) {
        return false;
    }
    if (last_ && modes_.count() > 1) {
        constexpr double little = 0.05;  // change of a frequency between two looks
        constexpr double most_looks = 20;
        const double time = next.t - last_->t;
        const double change = largest_of(modes_.count(), [&](std::size_t j) {
            return larger(std::abs(next.frequencies[j] - last_->frequencies[j]), std::abs(next.rates[j] * time)) /
                   next.frequencies[j];
        });
        const double looks = std::min(most_looks, std::ceil(change / little));
        PointOfWay before = *last_;
        for (double n = 1; n <= looks; ++n) {
            PointOfWay there = next;
            if (n < looks) {
                // By the cubic with the positions and velocities at both ends.
                const double s = n / looks;
                there.t = last_->t + s * time;
                for (std::size_t i = 0; i < next.x.size(); ++i) {
                    const double way = next.x[i] - last_->x[i];
                    const double bow =
                        s * (1 - s) * ((1 - s) * (last_->v[i] * time - way) - s * (next.v[i] * time - way));
                    there.x[i] = last_->x[i] + s * way + bow;
                    there.v[i] = last_->v[i] + s * (next.v[i] - last_->v[i]);
                }
            }
            if (!modes_.at(there.t, there.x)) {
                return stays({HUGE_VAL, {0, 1}}, there.t);
            }
            there = point_of_way(modes_, there.t, there.x, there.v);
            const auto crossed = exchange_.crossing(before, there);
            if ((crossed && !stays(*crossed, there.t)) || !stays(exchange_.at(modes_, there.v), there.t) ||
                !stays(exchange_.passage(modes_, before, there), there.t)) {
                return false;
            }
            before = std::move(there);
        }
    }
    last_ = std::move(next);
    return true;
}

FastEnergyOfRun fast_energy_of_run(const Problem& problem, const Options& options, const Outset& outset, In X, In V,
                                   const FastOscillation& fast, const SlowSize& size, const Tolerance& tolerance) {
    constexpr double little = 0.1;  // tolerances: what would move the motion by no more
    const auto wanted = options.fast_energy.value_or("adiabatic");
    require_one_of("fast_energy", wanted, {"adiabatic", "none"});
    const std::size_t d = X.size();
    const double push = largest_of(
        2 * d, [&](std::size_t i) { return fast.pushes[i] / tolerance.of(i, i < d ? size.length : size.velocity); });
    if (wanted == "none" || push <= little) {
        return {};
    }
    auto obstacle = FastEnergy::obstacle(problem);
    FastEnergyOfRun found;
    if (!obstacle) {
        found.energy.emplace(problem, outset, X, V);
        found.violation = found.energy->violation();
        obstacle = found.energy->lost();
    }
    if (!obstacle) {
        return found;
    }
    found.energy.reset();
    if (options.fast_energy) {
        found.violation = {Outcome::refused, fmt::format("fast_energy = adiabatic does not apply here: {}", *obstacle)};
    } else {
        found.warning = fmt::format(
            "the fast oscillations of the springs push the slow motion, and that is left out, since their actions are "
            "not known to stay: {}",
            *obstacle);
    }
    return found;
}

}  // namespace lento
