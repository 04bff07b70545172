/// Functions of a model at many phases at once and as series of any degree (`phase_code.hpp`), compiled when that has become worth it: a run
/// over a pendulum takes less time than its compiler.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lento/model/graph.hpp"
#include "lento/model/model.hpp"

namespace lento::model {

/// Copies share their code; each is for one thread at a time.
class PhaseEvaluator {
public:
    PhaseEvaluator(const Model& model, const std::vector<Node>& results);

    /// Whether there is code for series of that degree. Asking counts as `points` evaluations without it; when there have been many it is made.
    bool ready(int degree, std::size_t points);

    /// Blocks as in `phase_code.hpp`, theta symbol by symbol; after `ready`.
    void operator()(int degree, std::size_t points, double t, std::span<const double> x, std::span<const double> v,
                    std::span<const double> theta, std::span<double> result);

private:
    struct Shared;
    /// What depends on the phases alone.
    struct Table {
        int degree;
        std::vector<double> theta, values;
    };

    std::shared_ptr<Shared> shared_;
    std::vector<Table> tables_;
};

}  // namespace lento::model
