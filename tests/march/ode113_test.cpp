/// Adams' methods of variable order and step: their orders, their choices, and every way a march can end.
#include "march/ode113.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "march/adams.hpp"
#include "march/sundials.hpp"
#include "papers/slope.hpp"
#include "tests/march/oscillator_tiles.hpp"
#include "tests/step/kepler.hpp"

namespace lento {
namespace {

constexpr double pi = std::numbers::pi;

void kepler(double, In y, Out dy) {
    dy[0] = y[2];
    dy[1] = y[3];
    Ellipse::acceleration(y, dy.subspan(2));
}
/// Eccentricity 0.5; one revolution returns to the start.
const std::vector<double> narrow_start{0.5, 0, 0, std::sqrt(3.0)};

constexpr auto oscillator = OscillatorTiles::rate;  // from (1, 0): cos(t), -sin(t)

// --- The formulas ----------------------------------------------------------------------------------------------------

/// The largest error of the formulas of one order over a period of y' = cos(t) + (sin(t) - y)/4, y = sin(t), at the
/// ends of steps and within, from a past that is the true one. Steps are h (1 - uneven) and h (1 + uneven) in turn.
double period(std::size_t order, double h, double uneven) {
    const auto length = [&](int n) { return h * (n % 2 == 0 ? 1 - uneven : 1 + uneven); };
    const auto rate = [](double t, double y) { return std::vector<double>{std::cos(t) + (std::sin(t) - y) / 4}; };
    const auto past = static_cast<int>(order) - 1;
    double t = 0;
    for (int n = 0; n < past; ++n) {
        t -= length(n);
    }
    AdamsFormulas formulas(rate(t, std::sin(t)));
    for (int n = 0; n < past; ++n) {
        formulas.prepare(length(n), static_cast<std::size_t>(n + 1));
        t += length(n);
        formulas.compare(rate(t, std::sin(t)));
        formulas.accept(rate(t, std::sin(t)));
    }
    std::vector<double> y{0}, between(1);
    double largest = 0;
    t = 0;
    for (int n = 0; t < 2 * pi; ++n) {
        const double next = t + length(n);
        formulas.prepare(length(n), order);
        formulas.compare(rate(next, y[0] + formulas.prediction()[0]));
        const auto dense = formulas.dense(t, next, y);
        for (int k = 1; k <= 5; ++k) {
            const double at = t + length(n) * k / 5;
            dense.value(at, between);
            largest = std::max(largest, std::abs(between[0] - std::sin(at)));
        }
        y[0] += formulas.prediction()[0] + formulas.correction()[0];
        EXPECT_NEAR(between[0], y[0], 1e-14);
        t = next;
        formulas.accept(rate(t, y[0]));
    }
    return largest;
}

TEST(Adams, a_formula_of_order_k_gives_order_k_plus_1_on_equal_and_on_unequal_steps) {
    for (const double uneven : {0.0, 0.2}) {
        for (std::size_t order = 1; order <= AdamsFormulas::highest_order; ++order) {
            const auto expected = static_cast<double>(order + 1);
            // So long that rounding is far away, and so short that the highest term decides.
            const double longest = std::pow(order < 3 ? 1e-7 : 1e-9, 1 / expected);
            std::vector<double> lengths, errors;
            for (const double part : {1.0, 0.9, 0.8, 0.7}) {
                lengths.push_back(part * longest);
                errors.push_back(period(order, part * longest, uneven));
            }
            EXPECT_NEAR(papers::slope(lengths, errors), expected, 0.4) << order << " " << uneven;
        }
    }
}

TEST(Adams, the_corrector_is_exact_for_rates_that_are_polynomials_of_its_degree) {
    // y = t^(k+1) + 1, on steps that nothing relates.
    for (std::size_t order = 1; order <= AdamsFormulas::highest_order; ++order) {
        const auto k = static_cast<double>(order);
        const auto rate = [&](double t) { return std::vector<double>{(k + 1) * std::pow(t, k)}; };
        double t = 0.3;
        AdamsFormulas formulas(rate(t));
        for (std::size_t n = 1; n <= order; ++n) {
            const double h = 0.05 * (1 + 0.5 * std::sin(7.0 * static_cast<double>(n)));
            formulas.prepare(h, n);
            formulas.compare(rate(t + h));
            if (n == order) {
                const double moved = std::pow(t + h, k + 1) - std::pow(t, k + 1);
                EXPECT_NEAR((formulas.prediction()[0] + formulas.correction()[0]) / moved, 1, 1e-13) << order;
            }
            formulas.accept(rate(t + h));
            t += h;
        }
    }
}

TEST(Adams, estimated_errors_are_those_of_adams_and_moulton) {
    // Equal steps, y' = t^j: phi_j = j! h^j, and the local error of order j is h gamma*_j phi_j. Solving ODEs I, table
    // III.1.2.
    const std::array<double, 7> gamma{1, 1. / 2, 1. / 12, 1. / 24, 19. / 720, 3. / 160, 863. / 60480};
    constexpr double h = 0.25;
    for (std::size_t order = 1; order < gamma.size(); ++order) {
        AdamsFormulas formulas(std::vector<double>{0});
        for (std::size_t n = 1; n <= order; ++n) {
            const std::vector<double> rate{std::pow(static_cast<double>(n) * h, static_cast<double>(order))};
            formulas.prepare(h, n);
            formulas.compare(rate);
            if (n == order) {
                const double factorial = std::tgamma(static_cast<double>(order + 1));
                EXPECT_NEAR(formulas.difference(order, 0), factorial * std::pow(h, static_cast<double>(order)), 1e-12);
                EXPECT_NEAR(formulas.error_factor(order), h * gamma[order], 1e-15) << order;
            }
            formulas.accept(rate);
        }
    }
}

// --- The march -------------------------------------------------------------------------------------------------------

struct Once {
    MarchResult result;
    std::int64_t evaluations = 0;
    double error = 0;
};
/// Over a closed orbit.
template <class March>
Once round(const FirstOrderRate& rate, const std::vector<double>& start, double period, March&& march) {
    Once once;
    const FirstOrderRate counted = [&](double t, In y, Out dy) {
        ++once.evaluations;
        rate(t, y, dy);
    };
    auto y = start;
    once.result = march(counted, Interval{0, period}, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        once.error = std::max(once.error, std::abs(y[i] - start[i]));
    }
    return once;
}
Once by_ode113(const FirstOrderRate& rate, const std::vector<double>& start, double period, double rtol) {
    return round(rate, start, period, [&](const FirstOrderRate& counted, Interval interval, std::vector<double>& y) {
        return march_ode113(counted, interval, {rtol, 1e-3 * rtol}, y, {}, {}, 1'000'000);
    });
}
Once by_cvode(const FirstOrderRate& rate, const std::vector<double>& start, double period, double rtol) {
    return round(rate, start, period, [&](const FirstOrderRate& counted, Interval interval, std::vector<double>& y) {
        return march_sundials("cvode-adams", counted, interval, {rtol, 1e-3 * rtol}, y, {}, {}, 1'000'000);
    });
}

/// Hairer, Norsett, Wanner, Solving ODEs I, section II.0: the orbit of four loops, which closes.
void arenstorf(double, In y, Out dy) {
    constexpr double mu = 0.012277471;
    const double earth = std::pow(std::hypot(y[0] + mu, y[1]), 3);
    const double moon = std::pow(std::hypot(y[0] - (1 - mu), y[1]), 3);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = y[0] + 2 * y[3] - (1 - mu) * (y[0] + mu) / earth - mu * (y[0] - (1 - mu)) / moon;
    dy[3] = y[1] - 2 * y[2] - (1 - mu) * y[1] / earth - mu * y[1] / moon;
}
const std::vector<double> arenstorf_start{0.994, 0, 0, -2.00158510637908252240537862224};
constexpr double arenstorf_period = 17.0652165601579625588917206249;

TEST(Ode113, takes_the_steps_of_another_program_of_the_same_rules) {
    // Counted by a separate program in another language, with the incremental coefficients of the literature. The first
    // steps are so short that rounding chooses their order.
    constexpr double scatter = 2;
    struct Counts {
        double rtol;
        std::int64_t steps, rejected, evaluations;
    };
    for (const auto& [rtol, steps, rejected, evaluations] :
         {Counts{1e-3, 54, 2, 111}, Counts{1e-4, 69, 2, 141}, Counts{1e-5, 86, 2, 175}, Counts{1e-6, 104, 3, 212},
          Counts{1e-7, 126, 3, 256}, Counts{1e-8, 151, 2, 305}}) {
        const auto once = by_ode113(kepler, narrow_start, 2 * pi, rtol);
        EXPECT_NEAR(once.result.steps, steps, scatter) << rtol;
        EXPECT_NEAR(once.result.rejected, rejected, scatter) << rtol;
        EXPECT_NEAR(once.evaluations, evaluations, 2 * scatter) << rtol;
    }
    for (const auto& [rtol, steps, rejected, evaluations] :
         {Counts{1e-3, 196, 12, 405}, Counts{1e-4, 283, 14, 581}, Counts{1e-5, 346, 23, 716}}) {
        const auto once = by_ode113(arenstorf, arenstorf_start, arenstorf_period, rtol);
        EXPECT_NEAR(once.result.steps, steps, scatter) << rtol;
        EXPECT_NEAR(once.result.rejected, rejected, scatter) << rtol;
        EXPECT_NEAR(once.evaluations, evaluations, 2 * scatter) << rtol;
    }
}

TEST(Ode113, the_error_follows_the_tolerance_down_to_rounding) {
    std::vector<double> tolerances, errors;
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13}) {
        const auto once = by_ode113(kepler, narrow_start, 2 * pi, rtol);
        ASSERT_EQ(once.result.outcome, Outcome::completed) << once.result.explanation;
        EXPECT_EQ(once.result.reached, 2 * pi);
        EXPECT_LT(once.error, 100 * rtol) << rtol;
        tolerances.push_back(rtol);
        errors.push_back(once.error);
    }
    const double order = papers::slope(tolerances, errors);
    EXPECT_GT(order, 0.85);
    EXPECT_LT(order, 1.15);
    EXPECT_LT(errors.back(), 1e-11);
    EXPECT_LT(by_ode113(arenstorf, arenstorf_start, arenstorf_period, 1e-13).error, 1e-8);
}

TEST(Ode113, costs_about_what_the_adams_methods_of_cvode_cost_and_errs_less) {
    for (const double rtol : {1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        for (const bool closed : {true, false}) {
            const auto& start = closed ? narrow_start : arenstorf_start;
            const double period = closed ? 2 * pi : arenstorf_period;
            const FirstOrderRate rate = closed ? FirstOrderRate(kepler) : FirstOrderRate(arenstorf);
            const auto own = by_ode113(rate, start, period, rtol);
            const auto other = by_cvode(rate, start, period, rtol);
            const double cost = static_cast<double>(own.evaluations) / static_cast<double>(other.evaluations);
            EXPECT_GT(cost, 0.6) << rtol;
            EXPECT_LT(cost, 1.25) << rtol;
            EXPECT_LT(own.error, other.error) << rtol;
        }
    }
}

TEST(Ode113, a_step_is_two_evaluations_and_a_rejection_one) {
    const auto once = by_ode113(arenstorf, arenstorf_start, arenstorf_period, 1e-6);
    EXPECT_GT(once.result.rejected, 0);
    EXPECT_EQ(once.evaluations, 1 + 2 * once.result.steps + once.result.rejected);
}

TEST(Ode113, neither_time_nor_state_lose_digits_over_many_steps) {
    // Beside an oscillator, which makes the steps short, a component of constant rate. Rounding each sum would move it
    // by up to 1e-13 a step, and the time by 1e-12.
    const auto beside = [](double t, In y, Out dy) {
        oscillator(t, y, dy);
        dy[2] = 0.1;
    };
    std::vector<double> y{1, 0, 1000};
    const double end = 2000 * 2 * pi;
    const auto result = march_ode113(beside, {0, end}, {1e-13, 1e-13}, y, {}, {}, 10'000'000);
    ASSERT_EQ(result.outcome, Outcome::completed) << result.explanation;
    EXPECT_GT(result.steps, 50'000);
    EXPECT_NEAR(y[1], -std::sin(end), 1e-9);
    EXPECT_NEAR(y[2], 1000 + 0.1 * end, 2e-12);
}

TEST(Ode113, dense_output_tiles_the_interval_without_jumps_and_is_as_accurate_as_the_steps) {
    for (const double rtol : {1e-4, 1e-7, 1e-10}) {
        OscillatorTiles tiles;
        std::vector<double> y{1, 0};
        const auto result = march_ode113(oscillator, {0, 10}, {rtol, rtol}, y, tiles.listener(), {}, 100'000);
        EXPECT_EQ(tiles.end, 10);
        EXPECT_EQ(tiles.count, result.steps);
        EXPECT_LT(tiles.error, 30 * rtol) << rtol;
        EXPECT_LT(tiles.jump, 1e-13);
        EXPECT_NEAR(tiles.last, y[0], 1e-13);
    }
}

TEST(Ode113, dense_output_that_nobody_wants_is_not_made_and_none_costs_an_evaluation) {
    const auto evaluations = [](const StepListener& listener) {
        std::int64_t calls = 0;
        const FirstOrderRate rate = [&](double t, In y, Out dy) {
            ++calls;
            oscillator(t, y, dy);
        };
        std::vector<double> y{1, 0};
        march_ode113(rate, {0, 10}, {1e-8, 1e-8}, y, listener, {}, 100'000);
        return calls;
    };
    const auto silent = evaluations({});
    EXPECT_EQ(evaluations({[](double) { return false; }, [](const DenseStep&) { FAIL(); }}), silent);
    EXPECT_EQ(evaluations({[](double) { return true; }, [](const DenseStep&) {}}), silent);
}

TEST(Ode113, each_component_has_its_own_tolerance) {
    // Two oscillators that know nothing of each other; the second is a millionth as large and measured by that.
    const auto both = [](double t, In y, Out dy) {
        oscillator(t, y.first(2), dy.first(2));
        oscillator(t, y.last(2), dy.last(2));
    };
    const auto error = [&](const Tolerance& tolerance) {
        std::vector<double> y{1, 0, 1e-6, 0};
        march_ode113(both, {0, 10}, tolerance, y, {}, {}, 100'000);
        return std::abs(y[2] - 1e-6 * std::cos(10.0));
    };
    EXPECT_LT(error({1e-12, 1e-8, {1e3, 1e3, 1e-6, 1e-6}}), 1e-12);
    EXPECT_GT(error({1e-12, 1e-5, {1, 1, 1, 1}}), 1e-12);
}

// --- How a march ends ------------------------------------------------------------------------------------------------

TEST(Ode113, a_force_that_jumps_is_crossed) {
    // Sides of y'' = -sign(y), a particle between two slopes: parabolas, period 4 sqrt(2).
    const auto slopes = [](double, In y, Out dy) {
        dy[0] = y[1];
        dy[1] = y[0] > 0 ? -1 : 1;
    };
    std::vector<double> y{1, 0};
    const auto result = march_ode113(slopes, {0, 4 * std::sqrt(2.0)}, {1e-8, 1e-8}, y, {}, {}, 100'000);
    EXPECT_EQ(result.outcome, Outcome::completed) << result.explanation;
    EXPECT_LT(result.steps + result.rejected, 1000);
    EXPECT_GT(result.rejected, 0);
    EXPECT_NEAR(y[0], 1, 1e-6);
    EXPECT_NEAR(y[1], 0, 1e-6);
}

TEST(Ode113, a_rate_that_is_not_finite_at_the_start_is_told_with_its_component) {
    const auto broken = [](double, In, Out dy) {
        dy[0] = 1;
        dy[1] = std::nan("");
    };
    std::vector<double> y{1, 2};
    const auto result = march_ode113(broken, {3, 4}, {1e-6, 1e-9}, y, {}, {}, 100'000);
    EXPECT_EQ(result.outcome, Outcome::diverged);
    EXPECT_EQ(result.culprit, 1U);
    EXPECT_EQ(result.reached, 3);
    EXPECT_EQ(result.explanation, "the force is not a finite number at the start, t = 3");
}

TEST(Ode113, a_rate_that_stays_not_finite_ends_as_diverged_next_to_the_place) {
    const auto wall = [](double t, In, Out dy) { dy[0] = t < 0.5 ? 1.0 : std::nan(""); };
    std::vector<double> y{0};
    const auto result = march_ode113(wall, {0, 2}, {1e-6, 1e-9}, y, {}, {}, 100'000);
    EXPECT_EQ(result.outcome, Outcome::diverged) << result.explanation;
    EXPECT_EQ(result.culprit, 0U);
    EXPECT_NEAR(result.reached, 0.5, 1e-6);
    EXPECT_NEAR(y[0], result.reached, 1e-9);
    EXPECT_NE(result.explanation.find("stops being finite after t = 0.5"), std::string::npos);
    EXPECT_LT(result.steps + result.rejected, 1000);
}

TEST(Ode113, a_rate_that_is_not_finite_beyond_the_solution_is_stepped_past) {
    // y rises to 0.5 and falls again; trials that overshoot see the root of a negative number.
    const auto narrow = [](double t, In y, Out dy) { dy[0] = (t < 0.5 ? 1 : -1) + 0 * std::sqrt(0.5 + 1e-7 - y[0]); };
    std::vector<double> y{0};
    const auto result = march_ode113(narrow, {0, 2}, {1e-8, 1e-10}, y, {}, {}, 100'000);
    EXPECT_EQ(result.outcome, Outcome::completed) << result.explanation;
    EXPECT_NEAR(y[0], -1, 1e-6);
    EXPECT_GT(result.rejected, 0);
}

TEST(Ode113, a_blow_up_ends_in_an_outcome_with_a_sentence) {
    const auto blow_up = [](double, In y, Out dy) { dy[0] = y[0] * y[0]; };
    std::vector<double> y{1};  // 1 / (1 - t)
    const auto result = march_ode113(blow_up, {0, 2}, {1e-6, 1e-9}, y, {}, {}, 100'000);
    EXPECT_TRUE(result.outcome == Outcome::not_converged || result.outcome == Outcome::diverged);
    EXPECT_NEAR(result.reached, 1, 1e-3);
    EXPECT_TRUE(std::isfinite(y[0]));
    EXPECT_NE(result.explanation.find("t = "), std::string::npos) << result.explanation;
}

TEST(Ode113, more_digits_than_numbers_have_are_refused) {
    std::vector<double> y{1, 1};
    const auto tight = march_ode113(oscillator, {0, 1}, {1e-17, 1e-17}, y, {}, {}, 100'000);
    EXPECT_EQ(tight.outcome, Outcome::not_converged);
    EXPECT_NE(tight.explanation.find("loosen"), std::string::npos) << tight.explanation;
}

TEST(Ode113, a_stop_and_a_budget_end_the_march_with_what_there_is) {
    auto y = narrow_start;
    const auto spent = march_ode113(kepler, {0, 2 * pi}, {1e-10, 1e-12}, y, {}, {}, 7);
    EXPECT_EQ(spent.outcome, Outcome::budget_exhausted);
    EXPECT_EQ(spent.steps + spent.rejected, 7);
    EXPECT_GT(spent.reached, 0);
    EXPECT_NE(spent.explanation.find("7 steps were not enough"), std::string::npos) << spent.explanation;

    std::stop_source source;
    int steps = 0;
    const StepListener listener{[&](double) {
                                    if (++steps == 5) {
                                        source.request_stop();
                                    }
                                    return false;
                                },
                                {}};
    y = narrow_start;
    const auto stopped = march_ode113(kepler, {0, 2 * pi}, {1e-10, 1e-12}, y, listener, source.get_token(), 100'000);
    EXPECT_EQ(stopped.outcome, Outcome::interrupted);
    EXPECT_EQ(stopped.steps, 5);
    EXPECT_GT(stopped.reached, 0);
}

TEST(Ode113, exceptions_come_through) {
    const auto torn = [](double t, In y, Out dy) {
        if (t > 0.5) {
            throw std::runtime_error("beyond the table");
        }
        oscillator(t, y, dy);
    };
    std::vector<double> y{1, 0};
    EXPECT_THROW(march_ode113(torn, {0, 1}, {1e-6, 1e-9}, y, {}, {}, 1000), std::runtime_error);
}

TEST(Ode113, intervals_of_no_length_and_systems_of_no_components_are_done_at_once) {
    std::vector<double> y{1, 0};
    const auto nowhere = march_ode113(oscillator, {1, 1}, {1e-6, 1e-9}, y, {}, {}, 1000);
    EXPECT_EQ(nowhere.outcome, Outcome::completed);
    EXPECT_EQ(nowhere.steps, 0);
    std::vector<double> nothing;
    const auto still = [](double, In, Out) {};
    EXPECT_EQ(march_ode113(still, {0, 1}, {1e-6, 1e-9}, nothing, {}, {}, 1000).reached, 1);
}

TEST(Ode113, goes_back_to_order_1_wherever_it_is_started_again) {
    // In ten pieces the same motion costs more, and is no less exact.
    std::int64_t calls = 0;
    const FirstOrderRate rate = [&](double t, In y, Out dy) {
        ++calls;
        kepler(t, y, dy);
    };
    auto y = narrow_start;
    for (int n = 0; n < 10; ++n) {
        march_ode113(rate, {2 * pi * n / 10, 2 * pi * (n + 1) / 10}, {1e-8, 1e-11}, y, {}, {}, 1000);
    }
    EXPECT_GT(calls, 1.5 * static_cast<double>(by_ode113(kepler, narrow_start, 2 * pi, 1e-8).evaluations));
    EXPECT_NEAR(y[0], narrow_start[0], 1e-6);
    EXPECT_NEAR(y[1], narrow_start[1], 1e-6);
}

}  // namespace
}  // namespace lento
