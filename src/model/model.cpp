#include "lento/model/model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "model/find_slow.hpp"
#include "model/function.hpp"
#include "model/parsed_model.hpp"
#include "model/parts.hpp"

namespace lento {

/// What is compiled of a model, once for all values of its parameters.
struct Model::Code {
    model::ModelParts parts;
    std::vector<Assignment> assignments;
    std::vector<std::string> columns;
    std::optional<model::ModelFunction> extras;  // slow variables and observed quantities
    Seconds seconds{};

    Code(const model::Model& parsed, std::vector<Assignment> given) : parts(parsed), assignments(std::move(given)) {
        const auto add = [this](const auto& named, std::string_view prefix, std::string_view suffix) {
            for (const auto& each : named) {
                columns.push_back(fmt::format("{}{}{}", prefix, each.name, suffix));
            }
        };
        add(parsed.coordinates, "", "");
        add(parsed.coordinates, "", "_dot");
        add(parsed.variables, "", "");
        add(parsed.constraints, "lambda_", "");
        add(parsed.constraints, "lambda_total_", "");
        add(parsed.slow, "", "");
        add(parsed.observed, "", "");
        auto nodes = model::mapped(parsed.slow, &model::SlowVariable::node);
        std::ranges::transform(parsed.observed, std::back_inserter(nodes), &model::NamedExpression::node);
        if (!nodes.empty()) {
            extras.emplace(parsed, nodes);
        }
    }
};

namespace {

/// Puts `value` in the place of what is assigned to a parameter.
void assign(std::vector<Model::Assignment>& assignments, const std::string& name, double value) {
    std::erase_if(assignments, [&](const auto& before) { return before.name == name; });
    assignments.push_back({name, fmt::format("{}", value)});
}

/// The model read anew with its small parameter divided by a number.
model::Model faster_model(const model::Model& parsed, std::vector<Model::Assignment> assignments, double divisor) {
    const auto* small = model::found(parsed.parameters, *parsed.small, &Model::Parameter::name);
    assign(assignments, small->name, small->value / divisor);
    return model::read_model(parsed.source, assignments);
}

}  // namespace

Model::Model(std::shared_ptr<const model::Model> parsed, std::shared_ptr<const Code> code)
    : parsed_(std::move(parsed)), code_(std::move(code)), inputs_(model::input_values(*parsed_)) {}

Model Model::read(const std::function<model::Model()>& reading, std::vector<Assignment> assignments) {
    const auto began = std::chrono::steady_clock::now();
    auto parsed = std::make_shared<const model::Model>(reading());
    const auto read = std::chrono::steady_clock::now();
    auto code = std::make_shared<Code>(*parsed, std::move(assignments));
    code->seconds = {std::chrono::duration<double>(read - began).count(),
                     std::chrono::duration<double>(std::chrono::steady_clock::now() - read).count()};
    return {std::move(parsed), std::move(code)};
}

Model Model::from_file(const std::filesystem::path& path, const std::vector<Assignment>& assignments) {
    return read([&] { return model::read_model(model::Source::file(path), assignments); }, assignments);
}

Model Model::from_text(std::string text, const std::vector<Assignment>& assignments, std::string name) {
    return read([&] { return model::read_model({std::move(name), std::move(text)}, assignments); }, assignments);
}

Model::Seconds Model::seconds() const {
    return code_->seconds;
}

const std::string& Model::title() const {
    return parsed_->title;
}

std::vector<Model::Parameter> Model::parameters() const {
    return parsed_->parameters;
}

Model Model::with(const std::vector<Parameter>& values) const {
    auto assignments = code_->assignments;
    bool structural = false;
    for (const auto& [name, value] : values) {
        assign(assignments, name, value);
        structural = structural || model::found(parsed_->structural, name) != nullptr;
    }
    if (!structural) {
        return {std::make_shared<const model::Model>(model::with_parameters(*parsed_, values)), code_};
    }
    for (std::size_t i = 0; i < parsed_->parameters.size(); ++i) {
        const auto& [name, value] = parsed_->parameters[i];
        if (parsed_->given[i] && model::found(values, name, &Parameter::name) == nullptr) {
            assign(assignments, name, value);
        }
    }
    return read([&] { return model::read_model(parsed_->source, assignments); }, assignments);
}

Problem Model::problem() const {
    auto problem = code_->parts.problem(*parsed_);
    if (parsed_->small && !parsed_->slow.empty()) {
        problem.faster = [model = *this](double factor) { return model.faster(factor); };
    }
    return problem;
}

std::optional<FasterProblem> Model::faster(double factor) const {
    auto parsed = faster_model(*parsed_, code_->assignments, factor);
    if (parsed.slow.empty()) {
        parsed.slow = model::find_slow(parsed, faster_model(*parsed_, code_->assignments, factor * factor)).variables;
    }
    if (parsed.slow.size() != parsed_->slow.size()) {
        return std::nullopt;
    }
    auto start = model::start_of(parsed);
    const auto velocity = model::velocity_of(parsed);
    start.insert(start.end(), velocity.begin(), velocity.end());
    return FasterProblem{model::ModelParts(std::move(parsed)).problem(), std::move(start)};
}

Solution Model::solve(const Request& request) const {
    return lento::solve(problem(), request);
}

const std::vector<std::string>& Model::columns() const {
    return code_->columns;
}

std::vector<double> Model::row_at(const Snapshot& state, double phases_at) const {
    std::vector<double> values;
    values.reserve(columns().size());
    values.insert(values.end(), state.position.begin(), state.position.end());
    values.insert(values.end(), state.velocity.begin(), state.velocity.end());
    for (const auto* multipliers : {&state.multipliers, &state.total_multipliers}) {
        values.insert(values.end(), multipliers->begin(), multipliers->end());
        values.resize(values.size() + parsed_->constraints.size() - multipliers->size(), NAN);  // without a start
    }
    if (code_->extras) {
        const std::size_t first = values.size();
        values.resize(columns().size());
        const auto theta = model::mapped(parsed_->phases, [&](const Phase& phase) { return phase.at(phases_at); });
        (*code_->extras)(state.position, state.velocity, state.t, theta, inputs_->data(), Out(values).subspan(first));
    }
    return values;
}

std::vector<double> Model::row(const Snapshot& state) const {
    return row_at(state, state.t);
}

std::vector<double> Model::slow_row(const Snapshot& state, const RunRecord& of, double t_start) const {
    const bool at_start =
        of.slow_is == name_of(SlowMeaning::stroboscopic) || of.slow_is == name_of(SlowMeaning::slow_variables);
    return row_at(state, at_start ? t_start : state.t);
}

Snapshot Model::snapshot(double t, std::span<const double> y) const {
    return snapshot_of(t, y, parsed_->dimension(), parsed_->constraints.size());
}

double Model::number(std::string_view expression, const std::string& where) const {
    return model::number_in(*parsed_, expression, where);
}

std::size_t Model::operations() const {
    return code_->parts.operations();
}

std::optional<std::string> Model::find_slow_variables() {
    if (!parsed_->slow.empty()) {
        return std::nullopt;
    }
    auto parsed = *parsed_;
    auto found = model::find_slow(parsed, parsed.small ? faster_model(parsed, code_->assignments, 4) : parsed);
    if (!found.why_not.empty()) {
        return found.why_not;
    }
    parsed.slow = std::move(found.variables);
    parsed_ = std::make_shared<const model::Model>(std::move(parsed));
    code_ = std::make_shared<const Code>(*parsed_, code_->assignments);
    inputs_ = model::input_values(*parsed_);
    return std::nullopt;
}

}  // namespace lento
