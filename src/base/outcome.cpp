#include "lento/base/outcome.hpp"

#include <array>
#include <cstddef>

namespace lento {

std::string_view name_of(Outcome outcome) {
    static constexpr std::array<std::string_view, 10> names{
        "completed",     "tolerance_missed",    "interrupted",     "diverged", "unstable",
        "not_converged", "no_scale_separation", "off_constraints", "refused",  "budget_exhausted"};
    return names[static_cast<std::size_t>(outcome)];
}

}  // namespace lento
