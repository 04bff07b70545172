#include "reproduction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "harmonic_flows.hpp"
#include "harmonic_tables.hpp"

namespace lento::papers {
namespace {

struct Paper {
    const char *key, *citation;
};
constexpr std::array<Paper, 5> known_papers{
    {{"stiff", "Sanz-Serna, Ariel, Tsai (2009), Multiscale methods for stiff and constrained mechanical systems"},
     {"vibrated", "Calvo, Sanz-Serna (2010), Heterogeneous multiscale methods for mechanical systems with vibrations"},
     {"stroboscopic", "Calvo, Chartier, Murua, Sanz-Serna (2011), Numerical stroboscopic averaging for ODEs and DAEs"},
     {"reversible", "Ariel, Engquist, Tsai (2009), A reversible multiscale integration method"},
     {"slow-manifold",
      "Ariel, Sanz-Serna, Tsai (2012), A multiscale technique for finding slow manifolds of stiff mechanical "
      "systems"}}};

bool compared(const Row& row) {
    return row.judged && row.expected();
}

}  // namespace

std::string citation(const std::string& paper) {
    const auto found = std::ranges::find(known_papers, paper, &Paper::key);
    return found == known_papers.end() ? "Lento's own method" : found->citation;
}

bool Row::agrees() const {
    if (!judged) {
        return true;
    }
    // NOTE: written so that a NaN disagrees.
    return std::isfinite(computed) &&
           (!expected() || std::abs(computed - *expected()) <= tolerance * std::abs(*expected()));
}

Row Row::misprinted(std::string why) const {
    Row row = *this;
    row.judged = false;
    row.erratum = std::move(why);
    return row;
}

std::vector<double> Result::column(const std::string& name) const {
    std::vector<double> values;
    for (const auto& row : rows) {
        if (row.column == name) {
            values.push_back(row.computed);
        }
    }
    return values;
}

std::size_t Result::judged() const {
    return static_cast<std::size_t>(std::ranges::count_if(rows, compared) +
                                    std::ranges::count_if(claims, [](const Claim& claim) { return !claim.refuted(); }));
}

std::size_t Result::agreeing() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const Row& row) { return compared(row) && row.agrees(); }) +
        std::ranges::count_if(claims, [](const Claim& claim) { return claim.agrees() && !claim.refuted(); }));
}

std::size_t Result::refuted() const {
    return static_cast<std::size_t>(std::ranges::count_if(rows, [](const Row& row) { return !row.erratum.empty(); }) +
                                    std::ranges::count_if(claims, &Claim::refuted));
}

bool Result::agrees() const {
    return std::ranges::all_of(rows, &Row::agrees) && std::ranges::all_of(claims, &Claim::agrees);
}

std::vector<std::string> Result::errata() const {
    std::vector<std::string> list;
    for (const auto& row : rows) {
        if (!row.erratum.empty() && std::ranges::find(list, row.erratum) == list.end()) {
            list.push_back(row.erratum);
        }
    }
    return list;
}

bool Result::has_published() const {
    return std::ranges::any_of(rows, [](const Row& row) { return row.published.has_value(); });
}

bool Result::has_references() const {
    return std::ranges::any_of(rows, [](const Row& row) { return row.reference.has_value(); });
}

std::string Result::judged_by() const {
    const bool by_print = std::ranges::any_of(rows, [](const Row& row) { return row.judged && row.published; }) ||
                          std::ranges::any_of(claims, [](const Claim& claim) { return claim.source == Source::paper; });
    const bool by_reference = std::ranges::any_of(rows, [](const Row& row) { return row.judged && row.reference; });
    if (by_print) {
        return by_reference ? "print and the reference figures" : "print";
    }
    return by_reference ? "the reference figures" : "its claims";
}

const std::vector<Reproduction>& reproductions() {
    static const std::vector<Reproduction> all = [] {
        std::vector<Reproduction> list;
        for (const auto& part : {stiff_tables(),
                                 stiff_figures(),
                                 stiff_sections(),
                                 vibrated_tables(),
                                 vibrated_properties(),
                                 vibrated_constraints(),
                                 vibrated_motion(),
                                 pendulum_theorems(),
                                 stroboscopic_families(),
                                 stroboscopic_averages(),
                                 stroboscopic_figures(),
                                 stroboscopic_oscillator(),
                                 stroboscopic_half_explicit(),
                                 stroboscopic_constraints(),
                                 reversible_kernel(),
                                 reversible_orders(),
                                 reversible_figures(),
                                 reversible_chain(),
                                 slow_manifold_points(),
                                 slow_manifold_solutions(),
                                 harmonic_tables(),
                                 harmonic_flows(),
                                 harmonic_springs(),
                                 macro_solver_tables()}) {
            list.insert(list.end(), part.begin(), part.end());
        }
        return list;
    }();
    return all;
}

}  // namespace lento::papers
