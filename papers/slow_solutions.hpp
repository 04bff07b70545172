/// The slow solutions of section 6 of the paper slow-manifold, figures 2 to 6: what they are compared with, and how
/// errors are shown.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lento/lento.hpp"
#include "reproduction.hpp"
#include "two_springs.hpp"

namespace lento::papers {

inline constexpr std::array<double, 3> omegas{100, 1000, 10000};
inline const std::vector<double> constraint_start{1, 0, 2, 0};          // (31)
inline const std::vector<double> constraint_velocity{0, -0.5, 0, 0.5};  // (32)

Request ipa_request(double omega);

/// The slow point that the projection makes of (31), (32), and where its solution is at t = 10.
struct Target {
    std::vector<double> start, velocity, end;
};
const Target& target(double omega);

/// At t = 10, Euclidean; NaN where a run did not get there.
struct Errors {
    double q = 0, p = 0, evaluations = 0;
};
Errors errors_of(double omega, const Solution& run);

/// RATTLE from the slow point itself, which is omega^-2 off the constraints: the first step pulls it onto them.
/// (`lento::solve` would project it first, and saturate at 18/omega^2.)
Errors rattle_errors(double omega, double step, const std::string& solver = "rattle");

/// Figures of the reference list.
struct Reference {
    std::optional<double> q{}, p{};
};

void add_rows(Result& result, const std::string& label, double omega, const Errors& errors, double tolerance = 0,
              const Reference& reference = {});

/// Errors in q and p against work, of all omegas; all figures on the same axes, as in the paper. Runs that lost the
/// solution are left out.
void add_pictures(Result& result, int figure, const std::string& caption);

/// Of what saturates, relative.
inline constexpr double within = 1 - 1 / 1.1;

/// The fewest evaluations with which ode113 from the slow point, projected again or not, keeps the error in q below a
/// bound.
double least_cost_of_ode113(double omega, double bound);

/// Section 6.2 to 6.4, figures 3 to 5: the stiff system by conventional codes.
std::vector<Reproduction> slow_manifold_stiff();

/// In words.
std::string slow_solution_setting();
std::string slow_solution_projection();

}  // namespace lento::papers
