#include "lento/problem/systems.hpp"

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

std::vector<std::string> numbered(const char* letter, std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back(count == 1 ? letter : fmt::format("{}{}", letter, i + 1));
    }
    return names;
}

void require_parts(std::size_t dimension, const char* what, const std::vector<Phase>& phases) {
    if (dimension == 0) {
        throw Misuse(fmt::format("a system needs at least one {}", what));
    }
    for (const auto& phase : phases) {
        require_positive(phase.frequency, fmt::format("the frequency of phase '{}'", phase.name));
    }
}

struct FromC {
    CForce function;
    void* user;

    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* parameters, double* f) {
        const auto& given = *static_cast<const FromC*>(self);
        given.function(x, v, t, theta, parameters, f, given.user);
    }
};

}  // namespace

Problem coordinates_problem(std::size_t dimension, std::vector<Phase> phases, Forces forces) {
    require_parts(dimension, "coordinate", phases);
    return {.names = numbered("x", dimension),
            .mass = Mass(dimension),
            .forces = std::move(forces),
            .phases = std::move(phases)};
}

Problem variables_problem(std::size_t dimension, std::vector<Phase> phases, Forces rates) {
    require_parts(dimension, "variable", phases);
    return {.names = numbered("y", dimension),
            .second_order = false,
            .forces = std::move(rates),
            .phases = std::move(phases)};
}

std::vector<Phase> phases_of(const std::vector<double>& frequencies) {
    std::vector<Phase> phases;
    for (const double frequency : frequencies) {
        phases.push_back({.frequency = frequency, .start = 0, .name = fmt::format("theta{}", phases.size() + 1)});
    }
    return phases;
}

Problem constrained(Problem free, std::shared_ptr<const Constraints> constraints) {
    if (constraints->count() >= free.dimension()) {
        throw Misuse(fmt::format("{} constraints on {} coordinates leave nothing to move", constraints->count(),
                                 free.dimension()));
    }
    free.constraints = std::move(constraints);
    return free;
}

Problem split(Problem whole, std::shared_ptr<const ExactPart> exact) {
    whole.exact = std::move(exact);
    return whole;
}

Problem with_springs(Problem slow, const std::vector<double>& frequencies,
                     std::shared_ptr<const Constraints> elongations) {
    if (frequencies.empty()) {
        throw Misuse("a stiff system needs at least one spring");
    }
    if (elongations->count() != frequencies.size()) {
        throw Misuse(fmt::format("{} frequencies for {} springs", frequencies.size(), elongations->count()));
    }
    std::vector<SpringEntry> entries;
    for (std::size_t j = 0; j < frequencies.size(); ++j) {
        require_positive(frequencies[j], fmt::format("the frequency of spring {}", j + 1));
        entries.push_back({elongations->names()[j], frequencies[j], frequencies[j] * frequencies[j], j, j + 1});
    }
    return beside_springs(std::move(slow), std::move(entries), std::move(elongations));
}

Forces forces_of(CForce function, void* user) {
    if (function == nullptr) {
        throw Misuse("forces_of is given no function");
    }
    return {std::make_shared<const FromC>(FromC{function, user}), &FromC::at, nullptr, {}};
}

}  // namespace lento
