#include "output/run_output.hpp"

#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "model/mapped.hpp"

namespace lento {
namespace {

/// Numbers as numbers, names as text.
Json option_value(const std::string& text) {
    const auto value = Json::parse(text, nullptr, false);
    return value.is_number() ? value : Json(text);
}

}  // namespace

bool has_result(Outcome outcome) {
    return outcome == Outcome::completed || outcome == Outcome::tolerance_missed;
}

Json summary_json(const RunOutput& output) {
    const auto& record = output.record;
    const auto& statistics = record.statistics;
    auto options = Json::object();
    for (const auto& option : record.options) {
        options[option.name] = option_value(option.value);
    }
    const auto tried = model::mapped(record.tried, [](const auto& each) {
        return Json{{"method", each.method}, {"outcome", name_of(each.outcome)}, {"why", each.why}};
    });
    Json summary{{"schema", 1},
                 {"version", version},
                 {"title", output.title},
                 {"method", record.method},
                 {"requested_method", record.requested_method},
                 {"slow_is", record.slow_is},
                 {"outcome", name_of(record.outcome)},
                 {"t_end", record.t_end},
                 {"final", by_name(output.slow.names, output.final_slow)},
                 {"final_fast", output.final_fast ? by_name(output.slow.names, *output.final_fast) : Json(nullptr)},
                 {"error_estimate", output.error_estimate.empty() ? Json(nullptr) : by_name(output.error_estimate)},
                 {"left_out", output.left_out.empty() ? Json(nullptr) : by_name(output.left_out)},
                 {"statistics",
                  {{"macro_steps", statistics.macro_steps},
                   {"rejected_steps", statistics.rejected_steps},
                   {"micro_steps", statistics.micro_steps},
                   {"force_evaluations", statistics.force_evaluations},
                   {"estimate_evaluations", statistics.estimate_evaluations},
                   {"newton_iterations", statistics.newton_iterations},
                   {"slow_evaluations", statistics.slow_evaluations},
                   {"projections", statistics.projections},
                   {"bridges", statistics.bridges},
                   {"projection_iterations", statistics.projection_iterations},
                   {"projection_residual", statistics.projection_residual},
                   {"wall_seconds", statistics.wall_seconds}}},
                 {"tried", tried},
                 {"warnings", record.warnings},
                 {"options", options}};
    if (!record.explanation.empty()) {
        summary["explanation"] = record.explanation;
    }
    if (!output.choice.empty()) {
        summary["chosen_because"] = output.choice;
    }
    summary["seconds"] = by_name(output.seconds);
    if (output.additions.is_object()) {
        summary.update(output.additions);
    }
    return summary;
}

std::string json_text(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Json by_name(const std::vector<std::string>& names, const std::vector<double>& values) {
    Json object = Json::object();
    // NOTE: appended without looking for the key, as operator[] does: models have up to 1e5 names, all different.
    auto& entries = object.get_ref<Json::object_t&>();
    for (std::size_t i = 0; i < values.size(); ++i) {
        entries.emplace_back(names[i], values[i]);
    }
    return object;
}

Json by_name(const RunOutput::Named& numbers) {
    return Json::object_t(numbers.begin(), numbers.end());
}

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

void write_csv(std::ostream& file, const Series& series) {
    constexpr std::size_t at_once = 1 << 16;  // characters
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    const auto flush = [&] {
        file.write(text.data(), static_cast<std::streamsize>(text.size()));
        text.clear();
    };
    fmt::format_to(out, "t,{}\n", fmt::join(series.names, ","));
    SampleStore::Reader rows(series.rows);
    for (std::size_t k = 0; k < rows.size() && file; ++k) {
        fmt::format_to(out, "{},{}\n", rows.t(k), fmt::join(rows[k], ","));
        if (text.size() > at_once) {
            flush();
        }
    }
    flush();
}

}  // namespace lento
