#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "base/compensated_sum.hpp"
#include "base/number.hpp"
#include "lento/base/misuse.hpp"
#include "lento/base/outcome.hpp"
#include "lento/base/phase.hpp"

namespace lento {
namespace {

TEST(CompensatedSum, keeps_what_plain_addition_loses) {
    CompensatedSum<double> sum;
    double plain = 0;
    for (const double term : {1e16, 1.0, -1e16, 1e-3}) {
        sum.add(term);
        plain += term;
    }
    EXPECT_DOUBLE_EQ(sum.value(), 1.001);
    EXPECT_NE(plain, 1.001);
}

TEST(CompensatedSum, forces_of_1e9_that_cancel_leave_a_mean_to_1e_minus_12) {
    CompensatedVectorSum<double> sum(1);
    constexpr int n = 100'000;
    for (int k = 0; k < n; ++k) {
        const std::vector<double> term{k % 2 == 0 ? 1e9 + 0.25 : -1e9 + 0.25};
        sum.add(1.0 / 1024, term);
    }
    std::vector<double> value(1);
    sum.value(value);
    EXPECT_NEAR(value[0], 0.25 * n / 1024, 1e-12 * value[0]);
}

// glibc reduces the argument of sinl exactly, so it is an oracle wherever the product is exact in long double.
RC_GTEST_PROP(ReducedPhase, agrees_with_exact_reduction, ()) {
    const auto frequency = static_cast<double>(*rc::gen::inRange<std::int64_t>(1, 1LL << 31));
    const auto t = static_cast<double>(*rc::gen::inRange<std::int64_t>(-(1LL << 24), 1LL << 24)) / 4096;
    const long double product = static_cast<long double>(frequency) * t;
    const double phase = reduced_phase(frequency, t, 0);
    RC_ASSERT(std::abs(phase) <= 3.1415926535897936);
    RC_ASSERT(std::abs(std::sin(phase) - static_cast<double>(std::sin(product))) < 2e-15);
    RC_ASSERT(std::abs(std::cos(phase) - static_cast<double>(std::cos(product))) < 2e-15);
}

TEST(ReducedPhase, keeps_its_digits_to_two_to_the_50_turns) {
    using Long = boost::multiprecision::cpp_bin_float_100;
    const Long two_pi = 2 * boost::math::constants::pi<Long>();
    for (const double t : {1e2 / 3, 1e5 / 3, 1e8 / 3, 1e8 + 1e-3, -1e9 / 7}) {
        const double frequency = 1e6 / 0.7;
        const Long product = Long(frequency) * t;
        const Long exact = product - two_pi * round(product / two_pi);
        EXPECT_NEAR(reduced_phase(frequency, t, 0), static_cast<double>(exact), 5e-16) << t;
    }
}

TEST(ReducedPhase, survives_where_omega_times_t_does_not) {
    const double omega = 1e8 / 3;
    const double t = 12345.678;
    const long double exact = static_cast<long double>(omega) * t;
    const double naive = std::sin(omega * t);
    EXPECT_NEAR(std::sin(reduced_phase(omega, t, 0)), static_cast<double>(std::sin(exact)), 1e-7);
    EXPECT_GT(std::abs(naive - static_cast<double>(std::sin(exact))), 1e-7);
    EXPECT_NEAR(reduced_phase(1.0, 0.0, 7.0), 7.0 - 2 * std::numbers::pi, 1e-15);
}

TEST(Misuse, suggestions_name_the_nearest_or_nothing) {
    const std::vector<std::string> known{"macro_step", "micro_step", "filter"};
    EXPECT_EQ(suggestion("macro_stepp", known), " (did you mean 'macro_step'?)");
    EXPECT_EQ(suggestion("filtre", known), " (did you mean 'filter'?)");
    EXPECT_EQ(suggestion("xyz", known), "");
}

TEST(Misuse, numbers_are_read_whole_or_not_at_all) {
    EXPECT_EQ(number_from("1e6", "x"), 1e6);
    EXPECT_EQ(number_from("-0.5", "x"), -0.5);
    for (const char* bad : {"", "1e6x", "abc", "nan", "inf", "1 2", "1e999"}) {
        EXPECT_THROW(number_from(bad, "x"), Misuse) << bad;
    }
    EXPECT_THROW(require_positive(0, "H"), Misuse);
    EXPECT_THROW(require_positive(std::nan(""), "H"), Misuse);
    EXPECT_THROW(require_positive(HUGE_VAL, "H"), Misuse);
}

TEST(Outcome, every_outcome_has_its_name) {
    EXPECT_EQ(name_of(Outcome::completed), "completed");
    EXPECT_EQ(name_of(Outcome::no_scale_separation), "no_scale_separation");
    EXPECT_EQ(name_of(Outcome::budget_exhausted), "budget_exhausted");
}

TEST(ListItems, stand_between_commas_outside_parentheses) {
    using Items = std::vector<std::string>;
    EXPECT_EQ(list_items("1, 2,3"), (Items{"1", "2", "3"}));
    EXPECT_EQ(list_items(" [max(1, 2), pi] "), (Items{"max(1, 2)", "pi"}));
    EXPECT_EQ(list_items("1,,2"), (Items{"1", "", "2"}));
    EXPECT_EQ(list_items(""), (Items{""}));
}

}  // namespace
}  // namespace lento
