/// Runs of the stiff system of section 6 of the paper slow-manifold by conventional codes, at the paper's six pairs of
/// tolerances.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "slow_solutions.hpp"

namespace lento::papers {

inline constexpr std::array<double, 6> tolerances{1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
using Runs = std::vector<Errors>;  // one a tolerance

/// As ipa or direct ask for it: with rtol and atol = rtol/1000.
Request with_code(Request request, const std::string& code, double rtol);

// NOTE: where stability limits the steps, rounding decides how large errors become: a start that is 1e-13 beside
// another ends with several times the error. So everything is a geometric mean over some starts.
inline constexpr int starts = 4;

enum class Start { constraints, slow_manifold };

/// The stiff system from either start by one of Lento's solvers, or once, at the larger tolerances, by an implicit
/// code.
const Runs& stiff_runs(const std::string& code, double omega, Start start);

/// By ode113: from the constraints; from the projected start, with what the projections cost; projected again at t = 1,
/// ..., 9.
const Runs& figure_3_runs(double omega);
const Runs& figure_4_runs(double omega);
const Runs& figure_5_runs(double omega);

using Part = double Errors::*;
inline constexpr std::array<std::pair<Part, const char*>, 2> parts{{{&Errors::q, "q"}, {&Errors::p, "p"}}};

/// The geometric mean over the tolerances of a part of one set of runs over that of another.
double mean_ratio(const Runs& above, Part part, const Runs& below, Part other);
double mean_ratio(const Runs& above, const Runs& below, Part part);
/// The same at one tolerance after the other.
std::vector<double> ratios(const Runs& above, const Runs& below, Part part);

/// The fewest evaluations with which a code keeps an error below a bound, of all tolerances.
double cost_below(const Runs& runs, Part part, double bound);

}  // namespace lento::papers
