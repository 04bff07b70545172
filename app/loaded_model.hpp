/// A model read, compiled and ready to be solved, as the command line asked for it.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "commands.hpp"
#include "lento/method/choice.hpp"
#include "lento/method/request.hpp"
#include "lento/method/slow_point.hpp"
#include "lento/model/model.hpp"
#include "lento/model/springs.hpp"
#include "lento/model/system.hpp"
#include "lento/output/run_output.hpp"
#include "progress.hpp"

namespace lento::app {

/// "NAME=VALUE"
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag);

class LoadedModel {
public:
    /// Whether the command can do without an end of the run; then t_end is NaN if nobody says it.
    enum class End { needed, optional };

    explicit LoadedModel(const ModelArguments& arguments, End end = End::needed);

    const ModelArguments& arguments() const { return arguments_; }
    const model::Model& model() const { return model_; }
    /// The name of the file without folder and extension.
    std::string name() const;
    std::filesystem::path folder() const;
    ProblemClass problem() const;
    /// Of one evaluation of the right-hand side.
    std::size_t operations() const;

    /// As the file and the command line ask, `auto` made a method; without sink, progress and stop token.
    const Request& request() const { return request_; }
    /// What `auto` stood for, and why.
    const std::optional<MethodChoice>& choice() const { return choice_; }
    const std::vector<std::string>& notes() const { return notes_; }

    /// Looks for slow variables where none are declared. Why there are none, if so.
    std::optional<std::string> find_slow_variables();
    bool slow_variables_declared() const { return slow_declared_; }

    /// Where an expression given on the command line stands for a number.
    double number(const std::string& expression, const std::string& flag) const;

    Solution solve(const Request& request) const;
    /// The start on the slow manifold; Misuse where there are neither stiff springs nor constraints.
    SlowPoint slow_point(Extrapolation extrapolation) const;

    /// The columns of every output, without t: coordinates, velocities, variables, multipliers, slow variables, observed quantities.
    const std::vector<std::string>& columns() const { return columns_; }
    std::vector<double> row(const Snapshot& state) const;
    /// Of a slow state; some methods follow it at the phases of the start.
    std::vector<double> slow_row(const std::string& method, const Snapshot& state) const;
    /// A state as sinks are given it.
    Snapshot snapshot(double t, std::span<const double> y) const;

    /// How strongly the vibration excites the system parametrically at the start (`average/fast_part.hpp`); none where there is no
    /// phase, or too many coordinates to find out.
    std::optional<double> parametric_strength() const;

    /// The true frequencies of stiff springs at the start, if there are any.
    std::optional<SpringSpectrum> spring_spectrum() const;

    /// The shortest declared period, if any.
    std::optional<double> fastest_period() const;

    /// What all outputs have in common: title, columns, parameters, model text, times of reading and compiling.
    RunOutput output() const;

private:
    using System = std::variant<VibratedSystem<model::ModelForce>, FirstOrderSystem<model::ModelRate>,
                                model::SplitModel, model::ConstrainedModel, model::StiffModel>;

    static System system_of(const model::Model& model);
    std::vector<double> row(const Snapshot& state, double phases_at) const;
    void make_request(End end);
    void set_options(Options& options);

    ModelArguments arguments_;
    double began_;
    Patience patience_;
    model::Model model_;
    bool slow_declared_;
    double read_;
    System system_;
    std::optional<model::ModelFunction> extras_;  // slow variables and observed quantities
    double compiled_ = 0;
    std::vector<std::string> columns_;
    Request request_{.start = {}};
    std::optional<MethodChoice> choice_;
    std::vector<std::string> notes_;
};

}  // namespace lento::app
