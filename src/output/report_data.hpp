/// What the charts of a report show, as JSON; page/page.js says what is in it.
#pragma once

#include <nlohmann/json.hpp>

#include "output/run_output.hpp"

namespace lento {

nlohmann::ordered_json report_data(const RunOutput& output);

}  // namespace lento
