#include "problem/relaxed.hpp"

#include <cstddef>
#include <utility>

namespace lento {

Problem relaxed(const Problem& problem, double frequency, const std::vector<double>& strengths) {
    if (problem.relaxed) {
        return problem.relaxed(frequency, strengths);
    }
    std::vector<SpringEntry> entries;
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        entries.push_back({problem.constraints->names()[j], frequency, strengths[j], j, j + 1});
    }
    return beside_springs(problem.free(), std::move(entries), problem.constraints);
}

}  // namespace lento
