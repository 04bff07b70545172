/// The summary of a run as a table for the terminal.
#pragma once

#include <string>

#include "output/run_output.hpp"
#include "terminal.hpp"

namespace lento::app {

std::string summary_text(const RunOutput& output, const Terminal& terminal);

}  // namespace lento::app
