/// Quantities that say their scale: a model in other units is the same model, to the bit where the units differ by a
/// power of two. And the warning where a tolerance asks for no digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "judge/coarse_tolerance.hpp"
#include "lento/base/misuse.hpp"
#include "lento/model/model.hpp"
#include "lento/problem/systems.hpp"
#include "lento/run/solve.hpp"

namespace lento {
namespace {

/// Lengths are in units of L; `{0}` is where a quantity says its scale.
constexpr auto vibrated = R"toml(lento = 1
[parameters]
L = 1
omega = 1000
[coordinates]
x = {{ start = "0.5*L", velocity = "0.1*L"{0} }}
y = {{ start = "0.25*L"{0} }}
[forces]
x = "-x - 0.1*x_dot - x^3/L^2 + 0.3*y + omega*cos(theta)*(x + 0.2*y^2/L)"
y = "-2*y + 0.3*x + 0.5*omega*cos(theta)*x"
[vibration.theta]
frequency = "omega"
[run]
t_end = 1
)toml";

constexpr auto sprung = R"toml(lento = 1
[parameters]
L = 1
[coordinates]
x = {{ start = "L"{0} }}
y = {{ start = 0, velocity = "0.1*L"{0} }}
[forces]
y = "-L"
[springs.rod]
elongation = "sqrt(x^2 + y^2) - L"
frequency = 1000
[run]
t_end = 2
)toml";

constexpr auto rigid = R"toml(lento = 1
[parameters]
L = 1
omega = 1000
[coordinates]
x = {{ start = "0.6*L"{0} }}
y = {{ start = "0.8*L"{0} }}
[forces]
y = "-L + 2*omega*L*cos(theta)"
[constraints]
rod = "(x^2 + y^2)/L - L"
[vibration.theta]
frequency = "omega"
[run]
t_end = 1
)toml";

constexpr auto rates = R"toml(lento = 1
[parameters]
L = 1
eps = 0.002
[variables]
x = {{ start = "0.5*L", rate = "y/eps"{0} }}
y = {{ start = 0, rate = "-x/eps + (1 - x^2/L^2)*y"{0} }}
[oscillation]
period = "2*pi*eps"
[run]
t_end = 1
)toml";

/// With a part that is solved exactly, and slow variables.
constexpr auto turning = R"toml(lento = 1
[parameters]
L = 1
eps = 0.002
[variables]
x = {{ start = "0.5*L", rate = "y/eps + 0.2*x*(1 - u^2/L^2)", exact = "y/eps"{0} }}
y = {{ start = 0, rate = "-x/eps", exact = "-x/eps"{0} }}
u = {{ start = "0.3*L", rate = "-u + x^2/L"{0} }}
[oscillation]
period = "2*pi*eps"
[slow]
I = "(x^2 + y^2)/L"
J = "u"
[run]
t_end = 1
)toml";

/// x is in units of L, and y in its own.
constexpr auto of_two_kinds = R"toml(lento = 1
[parameters]
L = 1
K = 1
omega = 1000
[coordinates]
x = { start = "0.5*L", velocity = "0.1*L", scale = "L" }
y = { start = "0.25*K", scale = "K" }
[forces]
x = "-x - x^3/L^2 + 0.3*L*y/K + omega*cos(theta)*(x + 0.2*L*y^2/K^2)"
y = "-2*y + 0.3*K*x/L + 0.5*omega*cos(theta)*K*x/L"
[vibration.theta]
frequency = "omega"
[run]
t_end = 1
)toml";

constexpr std::string_view by_L = ", scale = \"L\"";

Model model_of(const char* text, std::string_view scale, double L) {
    return Model::from_text(fmt::format(fmt::runtime(text), scale)).with({{"L", L}});
}

struct Way {
    std::string method;
    std::vector<std::string> options{};
};

Solution solved(const Model& model, const Way& way) {
    return model.solve(model.request({.method = way.method, .options = way.options}));
}

void expect_the_same_in_other_units(const char* text, const std::vector<Way>& ways) {
    constexpr double L = 0x1p-17;  // 8e-6
    for (const auto& way : ways) {
        SCOPED_TRACE(fmt::format("{} {}", way.method, fmt::join(way.options, " ")));
        const auto one = solved(model_of(text, "", 1), way);
        const auto other = solved(model_of(text, by_L, L), way);
        EXPECT_EQ(one.outcome(), other.outcome()) << other.explanation();
        EXPECT_EQ(one.statistics().force_evaluations, other.statistics().force_evaluations);
        EXPECT_EQ(one.statistics().macro_steps, other.statistics().macro_steps);
        EXPECT_EQ(one.record().warnings.size(), other.record().warnings.size());
        ASSERT_EQ(one.record().error_estimate.size(), other.record().error_estimate.size());
        for (std::size_t i = 0; i < one.record().error_estimate.size(); ++i) {
            EXPECT_EQ(L * one.record().error_estimate[i], other.record().error_estimate[i]);
        }
        for (std::size_t i = 0; i < one.final_state().position.size(); ++i) {
            EXPECT_EQ(L * one.final_state().position[i], other.final_state().position[i]);
        }
        for (std::size_t i = 0; i < one.final_state().velocity.size(); ++i) {
            EXPECT_EQ(L * one.final_state().velocity[i], other.final_state().velocity[i]);
        }
    }
}

TEST(Scales, make_other_units_the_same_run_to_the_bit) {
    expect_the_same_in_other_units(vibrated, {{"harmonic"},
                                              {"harmonic", {"macro=ode45"}},
                                              {"direct"},
                                              {"direct", {"macro=dopri5"}},
                                              {"direct", {"macro=cvode-adams"}},
                                              {"direct", {"macro=arkode-8"}},
                                              {"multirevolution"},
                                              {"sam"},
                                              {"lips"},
                                              {"hmm-async"},
                                              {"hmm-sync"},
                                              {"auto"}});
    expect_the_same_in_other_units(sprung,
                                   {{"bounded-derivative"}, {"bounded-derivative", {"macro=dopri5"}}, {"hmm-stiff"}});
    expect_the_same_in_other_units(rigid, {{"harmonic"}, {"direct"}, {"rattle-shake"}, {"multirevolution"}});
    expect_the_same_in_other_units(rates, {{"direct"}, {"multirevolution"}, {"sam"}, {"auto"}});
    expect_the_same_in_other_units(turning, {{"harmonic"}, {"reversible"}, {"multirevolution"}});
}

TEST(Scales, may_differ_from_one_quantity_to_the_next) {
    constexpr double L = 0x1p-20, K = 0x1p13;
    const auto model = Model::from_text(of_two_kinds);
    for (const std::string method : {"harmonic", "direct", "multirevolution"}) {
        SCOPED_TRACE(method);
        const auto one = solved(model, {method});
        const auto other = solved(model.with({{"L", L}, {"K", K}}), {method});
        EXPECT_EQ(one.statistics().force_evaluations, other.statistics().force_evaluations);
        const auto &here = one.final_state(), &there = other.final_state();
        // NOTE: the march of harmonic foresees corrections by products of all components, which then weigh otherwise.
        const double off = method == "harmonic" ? 1e-9 : 0;
        EXPECT_NEAR(here.position[0], there.position[0] / L, off);
        EXPECT_NEAR(here.position[1], there.position[1] / K, off);
        EXPECT_NEAR(here.velocity[0], there.velocity[0] / L, off);
        EXPECT_NEAR(here.velocity[1], there.velocity[1] / K, off);
    }
}

/// In units that are no power of two rounding differs, and with it a step here and there.
TEST(Scales, keep_accuracy_and_work_in_metres_and_microns) {
    constexpr double L = 1e-5;
    for (const std::string method : {"harmonic", "direct", "multirevolution"}) {
        SCOPED_TRACE(method);
        const auto model = model_of(vibrated, "", 1);
        const auto exact =
            model.solve(model.request({.method = "direct", .rtol = "1e-11", .atol = "1e-14"})).slow(1).position;
        const auto error = [&](const Solution& solution, double unit) {
            const auto position = solution.has_fast() ? solution.fast(1).position : solution.slow(1).position;
            return std::max(std::abs(position[0] / unit - exact[0]), std::abs(position[1] / unit - exact[1]));
        };
        const auto one = solved(model, {method});
        const auto scaled = solved(model_of(vibrated, by_L, L), {method});
        const auto unscaled = solved(model_of(vibrated, "", L), {method});
        EXPECT_LT(std::abs(error(scaled, L) - error(one, 1)), 1e-8);
        EXPECT_LT(error(scaled, L), method == "multirevolution" ? 1e-5 : 1e-6);
        EXPECT_NEAR(static_cast<double>(scaled.statistics().force_evaluations),
                    static_cast<double>(one.statistics().force_evaluations),
                    0.05 * static_cast<double>(one.statistics().force_evaluations));
        // Without a scale atol = 1e-9 asks for four digits, and fewer evaluations give them.
        EXPECT_LT(unscaled.statistics().force_evaluations, scaled.statistics().force_evaluations);
    }
}

TEST(Scales, are_read_and_follow_parameters) {
    const auto model = Model::from_text(R"toml(lento = 1
[parameters]
L = 1e-5
[definitions]
speed = "100*L"
[coordinates]
x = { start = 1e-5, scale = "L/10", velocity_scale = "speed" }
y = { start = 0, scale = 2 }
z = { start = 0, velocity_scale = 3 }
w = { start = 0 }
)toml");
    EXPECT_EQ(model.problem().scales, (std::vector<double>{1e-5 / 10, 2, 1, 1, 100 * 1e-5, 2, 3, 1}));
    EXPECT_EQ(model.with({{"L", 10}}).problem().scales, (std::vector<double>{1, 2, 1, 1, 1000, 2, 3, 1}));
    const auto of = [](const std::string& scale) {
        return Model::from_text("lento = 1\n[variables]\nu = { start = 1, rate = \"v\"" + scale +
                                " }\nv = { start = 0, rate = \"-u\" }\n")
            .problem()
            .scales;
    };
    EXPECT_EQ(of(", scale = 1e-3"), (std::vector<double>{1e-3, 1}));
    EXPECT_TRUE(of("").empty());
}

std::string refusal_of(const std::string& text) {
    try {
        Model::from_text(text);
    } catch (const Misuse& misuse) {
        return misuse.what();
    }
    return "";
}

TEST(Scales, that_make_no_sense_are_refused_with_their_place) {
    const auto coordinate = [](const std::string& keys) {
        return refusal_of("lento = 1\n[parameters]\nlength = 1\n[coordinates]\nx = { start = 1, " + keys + " }\n");
    };
    const auto says = [](const std::string& message, const std::string& words) {
        return message.find(words) != std::string::npos;
    };
    EXPECT_PRED2(says, coordinate("scale = 0"), "model:5:26: the scale of the coordinate x is 0; it must be above 0");
    EXPECT_PRED2(says, coordinate("velocity_scale = \"-length\""), "the velocity_scale of the coordinate x is -1");
    EXPECT_PRED2(says, coordinate("scale = \"lenght\""), "'lenght' is not known (did you mean 'length'?)");
    EXPECT_PRED2(says, coordinate("scale = \"1/0\""), "it must be a finite number");
    EXPECT_PRED2(says, coordinate("scael = 1"), "did you mean 'scale'");
    EXPECT_PRED2(says, coordinate("scale = \"x\""), "must be a number; this depends on the coordinate x");
    const auto variable = refusal_of("lento = 1\n[variables]\nu = { start = 1, rate = \"-u\", velocity_scale = 1 }\n");
    EXPECT_PRED2(says, variable, "model:3:31: velocity_scale is for coordinates, and u is a variable");
    EXPECT_PRED2(says, variable, "^^^^^");
}

TEST(Scales, of_a_problem_are_one_a_component_and_positive) {
    const auto pendulum = plain_system(1, [](auto x, auto, auto, auto f) { f[0] = -x[0]; });
    EXPECT_EQ(pendulum.with_scales({1e-5, 1e-3}).scales, (std::vector<double>{1e-5, 1e-3}));
    EXPECT_TRUE(pendulum.with_scales({}).scales.empty());
    EXPECT_THROW(pendulum.with_scales({1e-5}), Misuse);
    EXPECT_THROW(pendulum.with_scales({1e-5, 0}), Misuse);
    EXPECT_THROW(pendulum.with_scales({1e-5, HUGE_VAL}), Misuse);
    auto wrong = pendulum;
    wrong.scales = {1, -1};
    try {
        solve(wrong, {.start = {1}, .t_end = 1, .method = "direct"});
        ADD_FAILURE() << "a scale of -1 was taken";
    } catch (const Misuse& misuse) {
        EXPECT_NE(std::string(misuse.what()).find("the scale of the velocity of x"), std::string::npos)
            << misuse.what();
    }
    // Those of a request stand before those of the problem.
    const auto evaluations = [&](const Request& request) {
        return solve(pendulum.with_scales({1, 1}), request).statistics().force_evaluations;
    };
    const Request fine{.start = {1e-7}, .t_end = 10, .method = "direct", .scales = {1e-7, 1e-7}};
    const Request coarse{.start = {1e-7}, .t_end = 10, .method = "direct"};
    EXPECT_GT(evaluations(fine), evaluations(coarse));
}

bool warns_of_atol(const Solution& solution) {
    return std::ranges::any_of(solution.record().warnings,
                               [](const auto& warning) { return warning.find("a smaller atol") != std::string::npos; });
}

TEST(Scales, are_asked_for_where_atol_leaves_no_digits) {
    for (const std::string method : {"harmonic", "direct", "multirevolution", "hmm-async"}) {
        SCOPED_TRACE(method);
        EXPECT_FALSE(warns_of_atol(solved(model_of(vibrated, "", 1), {method})));
        EXPECT_TRUE(warns_of_atol(solved(model_of(vibrated, "", 1e-8), {method})));
        EXPECT_FALSE(warns_of_atol(solved(model_of(vibrated, by_L, 1e-8), {method})));
        const auto model = model_of(vibrated, "", 1e-8);
        EXPECT_FALSE(warns_of_atol(model.solve(model.request({.method = method, .atol = "1e-17"}))));
    }
}

TEST(Scales, are_asked_for_once_and_not_of_what_is_zero_or_rounding_or_moves_nothing) {
    const auto pair = plain_system(2, [](auto, auto, auto, auto f) { f[0] = f[1] = 0; }).with_names({"a", "b"});
    const auto sentence = [&](const std::vector<double>& sizes, double length) {
        return coarse_tolerance(pair, sizes, {1e-6, 1e-9, {}}, length).value_or("");
    };
    EXPECT_EQ(sentence({1, 2e-8, 1, 1}, 1),
              "b is at most 2e-08 in this run, and atol lets it be wrong by 1e-09: give it a scale of its size, or a "
              "smaller atol");
    EXPECT_EQ(sentence({3e-8, 2e-8, 1, 1}, 1).substr(0, 1), "b");
    EXPECT_EQ(sentence({1, 2e-7, 1, 1}, 1), "");
    EXPECT_EQ(sentence({1, 0, 1, 0}, 1), "");
    EXPECT_EQ(sentence({1, 1e-15, 1, 1e-15}, 1), "");
    EXPECT_EQ(sentence({1, 1, 1, 1e-8}, 1), "");
    EXPECT_EQ(sentence({1, 1, 1, 1e-8}, 1e3).substr(0, 17), "the velocity of b");
    EXPECT_EQ(coarse_tolerance(pair, std::vector{1.0, 2e-8, 1.0, 1.0}, {1e-6, 1e-9, {1, 1e-8, 1, 1}}, 1), std::nullopt);
}

}  // namespace
}  // namespace lento
