/// Published tables and figures, recomputed beside the printed numbers.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "picture.hpp"

namespace lento::papers {

/// One printed figure.
struct Row {
    std::string label, column;
    std::optional<double> published;  ///< none for what only a picture shows
    double computed = 0;
    bool judged = true;    ///< false for what cannot be expected to agree
    double tolerance = 0;  ///< relative
    bool agrees() const;
};

/// One sentence of a paper, with the number measured here.
struct Claim {
    std::string text;
    double measured = 0;
    bool holds = false;
};

struct Result {
    std::vector<Row> rows{};
    std::vector<Claim> claims{};
    std::vector<Picture> pictures{};

    /// What was computed in all rows of a column, in their order.
    std::vector<double> column(const std::string& name) const;
    /// Every judged row and every claim.
    bool agrees() const;
};

struct Reproduction {
    std::string id, title, paper;
    std::string parameters;  ///< of the system and the methods, in the paper's notation
    std::function<Result()> compute;
};

/// All of them, in the order of the papers.
const std::vector<Reproduction>& reproductions();

std::vector<Reproduction> stiff_tables();
std::vector<Reproduction> stiff_figures();
std::vector<Reproduction> slow_manifold_points();
std::vector<Reproduction> slow_manifold_solutions();
std::vector<Reproduction> vibrated_tables();
std::vector<Reproduction> vibrated_properties();
std::vector<Reproduction> vibrated_constraints();
std::vector<Reproduction> pendulum_theorems();
std::vector<Reproduction> stroboscopic_figures();
std::vector<Reproduction> stroboscopic_constraints();
std::vector<Reproduction> reversible_figures();
std::vector<Reproduction> reversible_chain();

}  // namespace lento::papers
