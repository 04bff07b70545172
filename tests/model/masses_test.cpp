/// Masses of text models that depend on the coordinates: divided by in the graph, or in numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lento/lento.hpp"
#include "model/derive.hpp"
#include "model/parsed_model.hpp"
#include "problem/acceleration.hpp"
#include "tests/average/allocation_count.hpp"

namespace lento::model {
namespace {

/// So many links of a vibrated chain in angles, each with a mass at its end, and beside them coordinates that nothing
/// couples; M_ij = (n - max(i, j)) cos(q_i - q_j), for links and masses of one.
std::string chain(std::size_t links, std::size_t beside) {
    std::string coordinates, forces, rows;
    for (std::size_t i = 0; i < links + beside; ++i) {
        coordinates += fmt::format("q{} = {{ start = {} }}\n", i, 0.3 * std::sin(1.0 + static_cast<double>(i)));
        std::string row;
        std::string force = i < links ? fmt::format("{}*weight*sin(q{})", links - i, i) : fmt::format("-q{}", i);
        for (std::size_t j = 0; j < links + beside; ++j) {
            const std::size_t carried = links - std::max(i, j);
            row += j > 0 ? ", " : "";
            row += i < links && j < links ? fmt::format("\"{}*cos(q{} - q{})\"", carried, i, j) : i == j ? "1" : "0";
            if (i < links && j < links && i != j) {
                force += fmt::format(" - {}*sin(q{} - q{})*q{}_dot^2", carried, i, j, j);
            }
        }
        rows += fmt::format("[{}],\n", row);
        forces += fmt::format("q{} = \"{}\"\n", i, force);
    }
    return fmt::format(
        "lento = 1\n[parameters]\nomega = 1e6\n[definitions]\nweight = \"1 + 30*omega*cos(theta)\"\n[coordinates]\n"
        "{}[mass]\nmatrix = [\n{}]\n[forces]\n{}[vibration.theta]\nfrequency = \"omega\"\n[run]\nt_end = 0.2\n",
        coordinates, rows, forces);
}

std::vector<double> accelerations(const Problem& problem, In x, In v, double phase) {
    return Acceleration(problem).at(x, v, 0, std::vector{phase});
}

TEST(ModelMass, division_in_the_graph_and_in_numbers_agree_for_points_series_and_runs) {
    constexpr std::size_t links = 5;
    const auto few = lento::Model::from_text(chain(links, 0));
    const auto many = lento::Model::from_text(chain(links, 9));
    const auto in_graph = few.problem();
    const auto in_numbers = many.problem();
    std::vector<double> x(links + 9, 0.1), v(links + 9, 0.2);
    for (std::size_t i = 0; i < links; ++i) {
        x[i] = 0.4 * std::cos(2.0 * static_cast<double>(i));
        v[i] = std::sin(static_cast<double>(i));
    }
    const auto a = accelerations(in_graph, In(x).first(links), In(v).first(links), 0.7);
    const auto b = accelerations(in_numbers, x, v, 0.7);
    for (std::size_t i = 0; i < links; ++i) {
        EXPECT_NEAR(a[i], b[i], 1e-11 * std::abs(a[i])) << i;
    }
    for (const std::string method : {"hmm-async", "harmonic"}) {
        const auto end = [&](const lento::Model& model) {
            auto request = model.request();
            request.method = method;
            request.rtol = 1e-8;
            request.options = {.estimate = "none"};
            const auto run = solve(model.problem(), request);
            EXPECT_EQ(run.outcome(), Outcome::completed) << run.explanation();
            return run.final_state().position;
        };
        const auto graph = end(few);
        const auto numbers = end(many);
        for (std::size_t i = 0; i < links; ++i) {
            EXPECT_NEAR(graph[i], numbers[i], 1e-8) << method << i;
        }
    }
}

TEST(ModelMass, evaluations_allocate_nothing_once_compiled) {
    for (const std::size_t beside : {0U, 9U, 15U}) {
        const auto problem = lento::Model::from_text(chain(5, beside)).problem();
        std::vector<double> x(5 + beside, 0.1), v(5 + beside, 0.2), a(5 + beside);
        const std::vector<double> theta{0.3};
        Acceleration acceleration(problem);
        for (int warm = 0; warm < 20000; ++warm) {
            acceleration(x, v, 0, theta, a);
        }
        const auto before = allocations;
        for (int k = 0; k < 10; ++k) {
            acceleration(x, v, 0, theta, a);
        }
        EXPECT_EQ(allocations - before, 0U) << beside;
    }
}

/// M^-1 f of a full matrix of two coordinates, by hand; with a definition, the time and a parameter in it.
TEST(ModelMass, may_use_definitions_the_time_and_parameters_that_change) {
    const auto model = lento::Model::from_text(R"toml(lento = 1
[parameters]
m = 2
[definitions]
coupling = "0.5*cos(q - t)"
[coordinates]
p = { start = 0.1 }
q = { start = 0.4 }
[mass]
matrix = [["m + q^2", "coupling"], ["coupling", 1]]
[forces]
p = "q"
q = "-p*q_dot"
[run]
t_end = 1
)toml");
    for (const double m : {2.0, 5.0}) {
        const auto problem = model.with({{"m", m}}).problem();
        const double p = 0.3, q = -0.7, rate = 1.5, t = 0.6;
        const double coupling = 0.5 * std::cos(q - t), first = m + q * q, determinant = first - coupling * coupling;
        const auto a = Acceleration(problem).at(std::vector{p, q}, std::vector{0.0, rate}, t, {});
        EXPECT_NEAR(a[0], (q + coupling * p * rate) / determinant, 1e-14);
        EXPECT_NEAR(a[1], (-coupling * q - first * p * rate) / determinant, 1e-14);
    }
}

TEST(ModelMass, that_is_not_positive_definite_has_no_acceleration) {
    const auto model = lento::Model::from_text(
        "lento = 1\n[coordinates]\nq = { start = 0 }\n[mass]\nq = \"1 - q\"\n[forces]\nq = 1\n[run]\nt_end = 1\n");
    const auto at = [&](double q) {
        return Acceleration(model.problem()).at(std::vector{q}, std::vector{0.0}, 0, {})[0];
    };
    EXPECT_NEAR(at(0.5), 2, 1e-15);
    EXPECT_TRUE(std::isnan(at(1.5)));
}

}  // namespace
}  // namespace lento::model
