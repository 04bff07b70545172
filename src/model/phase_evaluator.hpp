/// Functions of a model at many phases at once and as series of any degree (`phase_code.hpp`), compiled when that has
/// become worth it: a run over a pendulum takes less time than its compiler.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "model/graph.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

class PhaseCode;

/// Copies share their code, which any of them may make; each is for one thread at a time and counts for itself. Code
/// for many phases rounds otherwise than one phase after another, and what others have evaluated must not decide which
/// of the two a run uses.
class PhaseEvaluator {
public:
    PhaseEvaluator(const Model& model, const std::vector<Node>& results);

    /// Whether there is code for series of that degree. Asking counts as `points` evaluations without it; when there
    /// have been many it is made.
    bool ready(int degree, std::size_t points);

    /// Blocks as in `phase_code.hpp`, theta symbol by symbol; after `ready`.
    void operator()(int degree, std::size_t points, double t, std::span<const double> x, std::span<const double> v,
                    std::span<const double> theta, const double* inputs, std::span<double> result);

private:
    struct Shared;
    /// What depends on phases and inputs alone.
    struct Table {
        int degree;
        std::vector<double> theta, inputs, values;
    };
    struct Degree {
        std::size_t asked = 0;
        const PhaseCode* code = nullptr;  // of `shared_`
    };

    std::shared_ptr<Shared> shared_;
    std::map<int, Degree> degrees_;
    std::vector<Table> tables_;
};

}  // namespace lento::model
