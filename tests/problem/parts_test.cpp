/// What the parts of a problem promise: any thread may call them, small moves keep their digits, forces say what they
/// take.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/lento.hpp"
#include "lento/problem/exact_flow.hpp"
#include "papers/chain.hpp"
#include "papers/two_springs.hpp"
#include "problem/acceleration.hpp"

namespace lento {
namespace {

using Numbers = std::vector<double>;

Numbers some_numbers(std::size_t count, double seed) {
    Numbers numbers;
    for (std::size_t i = 0; i < count; ++i) {
        numbers.push_back(1 + 0.3 * std::sin(seed + 1.7 * static_cast<double>(i)));
    }
    return numbers;
}

/// What `make` returns for each thread, a function of a seed that fills results, gives the same bits for all seeds
/// whether one thread asks or two at once.
template <class Make>
void expect_same_bits_from_two_threads(std::size_t results, Make make) {
    constexpr int seeds = 40;
    std::vector<Numbers> alone(seeds, Numbers(results));
    auto one = make();
    for (int seed = 0; seed < seeds; ++seed) {
        one(seed, alone[static_cast<std::size_t>(seed)]);
    }
    std::atomic<int> waiting{2};
    std::array<int, 2> different{};
    const auto follow = [&](std::size_t thread) {
        auto own = make();
        Numbers found(results);
        --waiting;
        while (waiting > 0) {  // so that they run at the same time
        }
        for (int round = 0; round < 25; ++round) {
            for (int k = 0; k < seeds; ++k) {
                const int seed = thread == 0 ? k : seeds - 1 - k;
                own(seed, found);
                different[thread] += found == alone[static_cast<std::size_t>(seed)] ? 0 : 1;
            }
        }
    };
    {
        const std::jthread first(follow, 0);
        const std::jthread second(follow, 1);
    }
    EXPECT_EQ(different[0], 0);
    EXPECT_EQ(different[1], 0);
}

/// Few coordinates have their work space on the stack, many have it elsewhere.
const std::vector<std::size_t> few_and_many{2, 60};

TEST(Parts, constraints_give_the_same_bits_to_two_threads) {
    for (const std::size_t links : few_and_many) {
        const auto constraints = papers::Chain::rope(links, 1.0, 1.0).constraints();
        const std::size_t n = 2 * links;
        const std::size_t entries = constraints->pattern().entries();
        expect_same_bits_from_two_threads(entries + 4 * links, [&] {
            return [&](int seed, Numbers& result) {
                const auto x = some_numbers(n, seed);
                const auto v = some_numbers(n, seed + 0.5);
                const std::span<double> all(result);
                const double t = 0.1 * seed;
                constraints->gradient(x, t, all.first(entries));
                constraints->values(x, t, all.subspan(entries, links));
                constraints->rates(x, v, t, Clock::running, all.subspan(entries + links, links));
                constraints->curvature(x, v, t, Clock::stopped, all.subspan(entries + 2 * links, links));
                constraints->change(x, t, v, 0.01, all.subspan(entries + 3 * links, links));
            };
        });
    }
}

TEST(Parts, series_of_constraints_give_the_same_bits_to_two_threads) {
    const std::size_t links = 3;
    const auto constraints = papers::Chain::rope(links, 1.0, 1.0).constraints();
    const std::size_t entries = constraints->pattern().entries();
    expect_same_bits_from_two_threads(4 * (2 * links + entries), [&] {
        return [&](int seed, Numbers& result) {
            std::vector<Taylor> x, v, values(links), gradient(entries), curvature(links);
            for (std::size_t i = 0; i < 2 * links; ++i) {
                x.push_back(sin(Taylor::variable(seed + static_cast<double>(i), 3)));
                v.push_back(cos(Taylor::variable(seed - static_cast<double>(i), 3)));
            }
            const auto t = Taylor::variable(0.1 * seed, 3);
            constraints->values(x, t, values);
            constraints->gradient(x, t, gradient);
            constraints->curvature(x, v, t, curvature);
            auto out = result.begin();
            for (const auto* series : {&values, &gradient, &curvature}) {
                for (const auto& component : *series) {
                    for (int k = 0; k <= 3; ++k) {
                        *out++ = k <= component.top() ? component[k] : 0.0;
                    }
                }
            }
        };
    });
}

/// A straight chain of springs of length 1, and a slow force beside them.
Problem spring_chain(std::size_t masses) {
    return stiff_system(
        masses,
        [](auto x, auto v, auto t, auto f) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                f[i] = cos(x[i] + t) - 0.1 * v[i];
            }
        },
        Numbers(masses, 100.0),
        [](auto x, auto t, auto g) {
            for (std::size_t i = 0; i < g.size(); ++i) {
                g[i] = (i == 0 ? x[0] : x[i] - x[i - 1]) - 1 - 0.01 * sin(t);
            }
        });
}

TEST(Parts, springs_give_the_same_bits_to_two_threads) {
    for (const std::size_t n : few_and_many) {
        const auto problem = spring_chain(n);
        expect_same_bits_from_two_threads(3 * n, [&] {
            // Forces and measures are for all; the forces near a centre are each caller's own.
            return [&problem, n, centred = std::shared_ptr<CentredForce>(centred_force(problem))](int seed,
                                                                                                  Numbers& result) {
                const auto x = some_numbers(n, seed);
                const auto v = some_numbers(n, seed + 0.5);
                const std::span<double> all(result);
                const double t = 0.1 * seed;
                problem.forces.at(x.data(), v.data(), t, nullptr, nullptr, all.data());
                problem.springs->measures->values(x, t, all.subspan(n, n));
                centred->centre(x, t);
                centred->at(some_numbers(n, 3.0), v, 0.01, {}, all.last(n));
            };
        });
    }
}

TEST(Parts, forces_give_the_same_bits_to_two_threads) {
    for (const std::size_t n : few_and_many) {
        const auto problem = vibrated_system(n, 10.0, [](auto x, auto v, auto t, auto theta, auto f) {
            for (std::size_t i = 0; i < f.size(); ++i) {
                f[i] = cos(theta) * sin(x[i]) - v[i] * t;
            }
        });
        constexpr std::size_t lanes = 3;
        const std::size_t block = 3 * n * lanes;  // of degree 2
        expect_same_bits_from_two_threads(n + block, [&] {
            return [&problem, block, blocks = std::shared_ptr<BlockForces>(problem.forces.blocks())](int seed,
                                                                                                     Numbers& result) {
                const auto x = some_numbers(block, seed);
                const auto v = some_numbers(block, seed + 0.5);
                const auto t = some_numbers(lanes, 0.1 * seed);
                const auto theta = some_numbers(lanes, 0.2 * seed);
                const std::span<double> all(result);
                problem.forces.at(x.data(), v.data(), t[0], theta.data(), nullptr, all.data());
                (*blocks)({.degree = 2, .lanes = lanes, .t = t, .x = x, .v = v, .theta = theta}, all.last(block));
            };
        });
    }
}

TEST(Parts, slow_functions_give_the_same_bits_to_two_threads) {
    for (const std::size_t n : few_and_many) {
        const auto still = first_order_system(n, [](auto, auto, auto) {});
        const auto slow = slow_system(still, {{"energy", "other"}, {"angle"}}, [](auto x, auto t, auto theta, auto xi) {
                              xi[0] = t * cos(theta[0]);
                              xi[1] = x[0] * x[1];
                              xi[2] = sin(x[0]);
                              for (std::size_t i = 0; i < x.size(); ++i) {
                                  xi[0] += x[i] * x[i];
                              }
                          }).slow;
        expect_same_bits_from_two_threads(6 + 3 * n + 1, [&] {
            return [&slow, n](int seed, Numbers& result) {
                const auto x = some_numbers(n, seed);
                const auto rate = some_numbers(n, seed + 0.5);
                const std::array theta{0.3 * seed};
                const std::span<double> all(result);
                slow->values(x, 0.1 * seed, theta, all.first(3));
                slow->rates(x, rate, 0.1 * seed, 1, theta, std::array{10.0}, all.subspan(3, 3));
                slow->gradients(x, 0.1 * seed, theta, all.subspan(6, 3 * n));
                all.back() = 0;
                for (const auto& entry : slow->hessians(x, 0.1 * seed, theta)) {
                    all.back() += entry.value * static_cast<double>(1 + entry.row + 3 * entry.column + entry.output);
                }
            };
        });
    }
}

TEST(Parts, exact_flows_give_the_same_bits_to_two_threads) {
    const auto part = exact_part(KeplerFlow<>({0, 1}, {2, 3}, 1.0));
    expect_same_bits_from_two_threads(12, [&] {
        return [flow = std::shared_ptr<ExactFlow>(part->flow())](int seed, Numbers& result) {
            const Numbers y{1, 0.1 * std::sin(seed), 0.2, 0.9 + 0.2 * std::cos(seed)};
            const std::span<double> all(result);
            flow->field(y, all.first(4));
            EXPECT_TRUE(flow->increment(0.1 * seed, y, all.subspan(4, 4)));
            EXPECT_TRUE(flow->carry(0.1 * seed, y, some_numbers(4, seed), all.last(4)));
        };
    });
}

/// With 100 digits: moves of 1e-60 are exact enough in it.
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>, boost::multiprecision::et_off>;

struct Shapes {
    template <class S>
    void operator()(std::span<const S> x, const S& t, std::span<S> g) const {
        g[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - (1.0 + 0.1 * sin(t)) * (1.0 + 0.1 * sin(t));
        g[1] = x[2] - exp(0.3 * x[1]) * cos(t);
        g[2] = sqrt((x[0] - x[2]) * (x[0] - x[2]) + x[1] * x[1]) - 1.0;
    }
};

TEST(Constraints, change_keeps_its_digits_however_small_the_move) {
    const ConstraintFunctions constraints(3, 3, Shapes{});
    const Numbers x{0.6, -0.3, 0.5};
    const double t = 0.8;
    Numbers gradient(constraints.pattern().entries());
    constraints.gradient(x, t, gradient);
    for (const double size : {1e-60, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4, 0.1}) {
        for (const double time : {0.0, 0.7 * size}) {
            const Numbers d{0.3 * size, -0.9 * size, 0.2 * size};
            Numbers found(3);
            constraints.change(x, t, d, time, found);
            std::vector<Exact> from(3), to(3), before(3), after(3);
            for (std::size_t i = 0; i < 3; ++i) {
                from[i] = x[i];
                to[i] = from[i] + d[i];
            }
            Shapes()(std::span<const Exact>(from), Exact(t), std::span<Exact>(before));
            Shapes()(std::span<const Exact>(to), Exact(Exact(t) + time), std::span<Exact>(after));
            for (std::size_t j = 0; j < 3; ++j) {
                // What the coordinates add, each without a sign: of that size rounding has to be.
                double sum = time;
                for (std::size_t e = constraints.pattern().start(j); e < constraints.pattern().start(j + 1); ++e) {
                    sum += std::abs(gradient[e] * d[constraints.pattern().column(e)]);
                }
                const Exact wrong = Exact(found[j]) - (after[j] - before[j]);
                EXPECT_LT(std::abs(static_cast<double>(wrong)), 1e-15 * sum) << j << " " << size << " " << time;
            }
        }
    }
}

TEST(Constraints, change_is_zero_for_no_move) {
    const ConstraintFunctions constraints(3, 3, Shapes{});
    Numbers found(3, 1.0);
    constraints.change(Numbers{0.6, -0.3, 0.5}, 0.8, Numbers(3), 0, found);
    EXPECT_EQ(found, Numbers(3));
}

/// Takes everything but series.
struct NumbersAndJets {
    template <class S>
    requires(!std::same_as<S, Taylor>) void operator()(std::span<const S> x, const S& t, std::span<S> g) const {
        g[0] = x[0] * x[0] - t;
    }
};

TEST(Constraints, say_whether_they_take_series) {
    EXPECT_TRUE((ConstraintFunctions(3, 3, Shapes{}).takes_series()));
    const ConstraintFunctions constraints(2, 1, NumbersAndJets{});
    EXPECT_FALSE(constraints.takes_series());
    Numbers rate(1);
    constraints.rates(Numbers{3, 1}, Numbers{1, 1}, 0, Clock::running, rate);
    EXPECT_EQ(rate[0], 5);
    const auto free = plain_system(2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0.0; });
    EXPECT_TRUE(free.takes_series());
    EXPECT_FALSE(constrained(free, 1, NumbersAndJets{}).takes_series());
}

TEST(Constraints, have_the_names_they_are_given_and_are_the_same_otherwise) {
    const auto free = plain_system(3, [](auto, auto, auto, auto f) { f[0] = f[1] = f[2] = 0.0; });
    const auto problem = constrained(free, 2, [](auto x, auto, auto g) {
        g[0] = x[0] * x[0] + x[1] * x[1] - 1.0;
        g[1] = x[2];
    });
    EXPECT_EQ(problem.constraints->names(), (std::vector<std::string>{"g1", "g2"}));
    const auto named = problem.with_constraint_names({"ring", "floor"});
    EXPECT_EQ(named.constraints->names(), (std::vector<std::string>{"ring", "floor"}));
    EXPECT_EQ(problem.constraints->names()[0], "g1") << "parts do not change";
    Numbers g(2);
    named.constraints->values(Numbers{2, 0, 5}, 0, g);
    EXPECT_EQ(g, (Numbers{3, 5}));
    EXPECT_THROW(problem.with_constraint_names({"one"}), Misuse);
    EXPECT_THROW(free.with_constraint_names({"one"}), Misuse);
}

TEST(Forces, that_take_double_alone_have_no_blocks) {
    const auto forces = Forces::of(
        1, 1, [](In x, In v, double t, In theta, Out f) { f[0] = std::sin(x[0]) * std::cos(theta[0]) - v[0] * t; });
    EXPECT_FALSE(forces.takes_series());
    EXPECT_FALSE(forces.blocks());
    const double x = 0.3, v = 0.5, theta = 0.2;
    double f = 0;
    forces.at(&x, &v, 2, &theta, nullptr, &f);
    EXPECT_DOUBLE_EQ(f, std::sin(0.3) * std::cos(0.2) - 1);
    ASSERT_TRUE(forces.has_one());
    EXPECT_EQ(forces.one(x, v, 2, theta, nullptr), f);

    // Through everything that makes a problem of a function.
    EXPECT_FALSE(vibrated_system(1, 5.0, [](In, In, double, double, Out r) { r[0] = 1; }).takes_series());
    EXPECT_FALSE(vibrated_system(1, {5.0, 6.0}, [](In, In, double, In, Out r) { r[0] = 1; }).takes_series());
    EXPECT_FALSE(oscillating_system(1, 5.0, [](In, In, double, Out r) { r[0] = 1; }).takes_series());
    EXPECT_FALSE(plain_system(1, [](In, In, double, Out r) { r[0] = 1; }).takes_series());
    EXPECT_FALSE(first_order_system(1, [](In, double, Out r) { r[0] = 1; }).takes_series());
    EXPECT_FALSE(first_order_system(1, {{.frequency = 5}}, [](In, double, In, Out r) { r[0] = 1; }).takes_series());
    EXPECT_TRUE(vibrated_system(1, 5.0, [](auto, auto, auto, auto, auto r) { r[0] = 1; }).takes_series());
    EXPECT_TRUE(vibrated_system(1, {5.0, 6.0}, [](auto, auto, auto, auto, auto r) { r[0] = 1; }).takes_series());
    EXPECT_TRUE(oscillating_system(1, 5.0, [](auto, auto, auto, auto r) { r[0] = 1; }).takes_series());
    EXPECT_TRUE(first_order_system(1, [](auto, auto, auto r) { r[0] = 1; }).takes_series());
    EXPECT_TRUE(first_order_system(1, {{.frequency = 5}}, [](auto, auto, auto, auto r) { r[0] = 1; }).takes_series());
}

TEST(Forces, in_blocks_are_those_at_each_lane) {
    const auto problem = vibrated_system(2, {5.0, 7.0}, [](auto x, auto v, auto t, auto theta, auto f) {
        f[0] = sin(x[0]) * cos(theta[0]) - v[1] * t;
        f[1] = x[0] * x[1] + theta[1] * v[0];
    });
    constexpr std::size_t lanes = 3;
    const auto x = some_numbers(2 * lanes, 1);
    const auto v = some_numbers(2 * lanes, 2);
    const auto theta = some_numbers(2 * lanes, 3);
    const auto t = some_numbers(lanes, 4);
    Numbers f(2 * lanes);
    (*problem.forces.blocks())({.degree = 0, .lanes = lanes, .t = t, .x = x, .v = v, .theta = theta}, f);
    for (std::size_t k = 0; k < lanes; ++k) {
        const auto lane = [&](const Numbers& block) { return Numbers{block[k], block[lanes + k]}; };
        Numbers alone(2);
        problem.forces.at(lane(x).data(), lane(v).data(), t[k], lane(theta).data(), nullptr, alone.data());
        EXPECT_EQ(lane(f), alone) << k;
    }
}

/// A vibrated pendulum as another language would hand it over: gravity is a parameter, what is behind `user` a length.
void pendulum_in_c(const double* x, const double*, double, const double* theta, const double* parameters, double* f,
                   void* user) {
    const double length = *static_cast<const double*>(user);
    f[0] = (parameters[0] + 4e3 * std::cos(theta[0])) / length * std::sin(x[0]);
}

TEST(Forces, from_a_c_function_run_in_a_problem) {
    double length = 0.2;
    auto problem = coordinates_problem(1, {{.frequency = 1e3}}, forces_of(&pendulum_in_c, &length)).with_names({"q"});
    problem.parameters = {9.8};
    EXPECT_FALSE(problem.takes_series());
    EXPECT_FALSE(problem.forces.blocks());
    EXPECT_FALSE(problem.forces.has_one());
    const Numbers x{0.5}, v{0.0}, theta{0.3};
    // NOTE: sines that the compiler works out beforehand may differ in the last bit.
    EXPECT_DOUBLE_EQ(Acceleration(problem).at(x, v, 0, theta)[0], (9.8 + 4e3 * std::cos(0.3)) / 0.2 * std::sin(0.5));

    const auto same = vibrated_system(1, 1e3, [&](In at, In, double, double phase, Out f) {
        const double gravity = 9.8;
        pendulum_in_c(at.data(), nullptr, 0, &phase, &gravity, f.data(), &length);
    });
    for (const char* method : {"hmm-async", "direct"}) {
        const Request request{
            .start = {0.5}, .t_end = 0.3, .method = method, .rtol = 1e-6, .options = {.estimate = "none"}};
        const auto run = solve(problem, request);
        ASSERT_EQ(run.outcome(), Outcome::completed) << method;
        EXPECT_EQ(run.slow(0.3).position, solve(same, request).slow(0.3).position) << method;
        EXPECT_GT(run.statistics().force_evaluations, 100);
    }
    // Other values of the parameters are other motions of the same code.
    const Request request{
        .start = {0.5}, .t_end = 0.3, .method = "hmm-async", .rtol = 1e-6, .options = {.estimate = "none"}};
    auto heavy = problem;
    heavy.parameters = {20};
    EXPECT_GT(std::abs(solve(heavy, request).slow(0.3).position[0] - solve(problem, request).slow(0.3).position[0]),
              1e-3);
}

TEST(Springs, need_a_frequency_each) {
    const auto elongations = papers::Chain::rope(2, 1.0, 1.0).constraints();
    const auto slow = plain_system(4, [](auto, auto, auto, auto f) {
        for (auto& component : f) {
            component = 0.0;
        }
    });
    EXPECT_NO_THROW(with_springs(slow, {1e3, 1e3}, elongations));
    EXPECT_THROW(with_springs(slow, {1e3}, elongations), Misuse);
    EXPECT_THROW(with_springs(slow, {1e3, 1e3, 1e3}, elongations), Misuse);
    EXPECT_THROW(with_springs(slow, {}, nullptr), Misuse);
}

}  // namespace
}  // namespace lento
