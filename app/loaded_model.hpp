/// A model as the command line asked for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"
#include "lento/model/model.hpp"
#include "model/parsed_model.hpp"
#include "output/run_output.hpp"
#include "problem/spring_spectrum.hpp"
#include "progress.hpp"

namespace lento::app {

/// "NAME=VALUE"
std::pair<std::string, std::string> name_and_value(const std::string& text, std::string_view flag);

class LoadedModel {
public:
    explicit LoadedModel(const ModelArguments& arguments, Model::End end = Model::End::needed);

    const ModelArguments& arguments() const { return arguments_; }
    const Model& model() const { return model_; }
    const model::Model& parsed() const { return model_.parsed(); }
    const Problem& problem() const { return problem_; }
    /// The name of the file without folder and extension.
    std::string name() const;
    std::filesystem::path folder() const;

    /// As the file and the command line ask; without sink, progress and stop token.
    const Request& request() const { return request_; }
    /// The same with the method left open: options in the file are for the method in the file.
    Request automatic_request() const;
    /// What `auto` stands for, if it was asked for.
    const std::optional<Choice>& choice() const { return choice_; }

    /// Looks for slow variables where none are declared. Why there are none, if so.
    std::optional<std::string> find_slow_variables();
    bool slow_variables_declared() const { return slow_declared_; }

    Solution solve(const Request& request) const { return lento::solve(problem_, request); }

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
    Request asked(std::optional<std::string> method) const;

    ModelArguments arguments_;
    Model::End end_;
    Patience patience_;
    Model model_;
    bool slow_declared_;
    Problem problem_;
    Request request_{.start = {}};
    std::optional<Choice> choice_;
};

}  // namespace lento::app
