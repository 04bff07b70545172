/// A run as papers do it: one march with their parameters, and nothing beside it to tell how wrong it is.
#pragma once

#include "lento/lento.hpp"

namespace lento::papers {

inline Solution plain_run(const Problem& problem, Request request) {
    request.options.estimate = "none";
    return solve(problem, request);
}

}  // namespace lento::papers
