/// Functions of a model at many phases at once and as series of any degree (`phase_program.hpp`): interpreted, and
/// compiled when that repays; a run over a pendulum takes less time than its compiler.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "lento/problem/forces.hpp"
#include "model/graph.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// Copies share programs and code; each has tables of its own and is for one thread at a time. Which of the two serves
/// does not change a bit, so that any caller may have had the code made.
class PhaseEvaluator {
public:
    PhaseEvaluator(const Model& model, const std::vector<Node>& results);

    /// Fills the result from blocks as in `phase_program.hpp`, theta symbol by symbol.
    void operator()(const Block& block, Out result);

private:
    struct Shared;
    struct Degree;
    /// What depends on phases and inputs alone.
    struct Table {
        int degree;
        std::vector<double> theta, inputs, values;
    };

    const Table& table_at(const Degree& with, const Block& block);

    std::shared_ptr<Shared> shared_;
    std::map<int, Degree*> degrees_;  // of `shared_`
    std::vector<Table> tables_;
};

}  // namespace lento::model
