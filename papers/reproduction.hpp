/// Published tables and figures, recomputed beside the printed numbers; where print has only a picture, beside
/// reference figures.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "picture.hpp"

namespace lento::papers {

/// One figure.
struct Row {
    std::string label, column;
    std::optional<double> published{};  ///< as the paper prints it
    double computed = 0;
    bool judged = true;                 ///< false for what cannot be expected to agree
    double tolerance = 0;               ///< relative
    std::optional<double> reference{};  ///< what is expected instead where the paper prints no number
    std::string erratum{};              ///< why the printed figure does not hold, a sentence; it is not judged then

    std::optional<double> expected() const { return published ? published : reference; }
    /// The same, with a printed figure that does not hold.
    Row misprinted(std::string why) const;
    bool agrees() const;
};

/// Who claims it: the paper, or Lento beyond it.
enum class Source { paper, lento };

/// One sentence, with the number measured here.
struct Claim {
    std::string text;
    double measured = 0;
    bool holds = false;
    Source source = Source::paper;
    std::string erratum{};  ///< why a sentence of the paper does not hold, and what does: a sentence of ours

    /// It holds, or it is the paper's and known not to. An erratum of what does hold is one of ours.
    bool agrees() const { return holds ? erratum.empty() : refuted(); }
    bool refuted() const { return !holds && source == Source::paper && !erratum.empty(); }
};

struct Result {
    std::vector<Row> rows{};
    std::vector<Claim> claims{};
    std::vector<Picture> pictures{};
    /// Where the reference figures come from.
    std::string references =
        "The paper prints no such numbers; the reference figures were measured by an independent implementation "
        "beforehand.";
    std::string not_judged{};  ///< why rows without an erratum are not, a sentence

    /// What was computed in all rows of a column, in their order.
    std::vector<double> column(const std::string& name) const;
    /// Judged rows with something to compare with, and claims that no erratum refutes; and how many of them agree.
    std::size_t judged() const;
    std::size_t agreeing() const;
    /// Every judged row, and every claim or what its erratum says.
    bool agrees() const;
    /// Printed figures and sentences that do not hold, each with its erratum.
    std::size_t refuted() const;
    /// Of figures, each once; claims have theirs beside them.
    std::vector<std::string> errata() const;
    bool has_published() const;
    bool has_references() const;
    /// "print" (numbers or claims of the paper), "print and the reference figures", "the reference figures" or "its
    /// claims".
    std::string judged_by() const;
};

struct Reproduction {
    std::string id, title, paper;
    std::string parameters;  ///< of the system and the methods, in the paper's notation
    std::function<Result()> compute;
};

/// Authors, year and title of a paper by its key, or that the method is Lento's own.
std::string citation(const std::string& paper);

/// All of them, in the order of the papers.
const std::vector<Reproduction>& reproductions();

std::vector<Reproduction> stiff_tables();
std::vector<Reproduction> stiff_figures();
std::vector<Reproduction> stiff_sections();
std::vector<Reproduction> slow_manifold_points();
std::vector<Reproduction> slow_manifold_solutions();
std::vector<Reproduction> vibrated_tables();
std::vector<Reproduction> vibrated_properties();
std::vector<Reproduction> vibrated_constraints();
std::vector<Reproduction> vibrated_motion();
std::vector<Reproduction> pendulum_theorems();
std::vector<Reproduction> stroboscopic_families();
std::vector<Reproduction> stroboscopic_averages();
std::vector<Reproduction> stroboscopic_figures();
std::vector<Reproduction> stroboscopic_oscillator();
std::vector<Reproduction> stroboscopic_half_explicit();
std::vector<Reproduction> stroboscopic_constraints();
std::vector<Reproduction> reversible_kernel();
std::vector<Reproduction> reversible_orders();
std::vector<Reproduction> reversible_figures();
std::vector<Reproduction> reversible_chain();

}  // namespace lento::papers
