/// A model as the command line asked for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "model/parsed_model.hpp"
#include "output/run_output.hpp"

namespace lento::app {

struct LoadedModel {
    Model model;
    bool slow_declared;  ///< the slow variables; else they may have been found
    Problem problem;
    Request request;               ///< as the file and the command line ask; without sink, progress and stop token
    std::string choice;            ///< why `auto` chooses its method, if it was asked for
    std::filesystem::path folder;  ///< for the files

    /// The run that is asked for, by another method with its own options.
    Request request_for(const Method& method) const;

    /// The shortest declared period, if any.
    std::optional<double> fastest_period() const;
};

LoadedModel load(const ModelArguments& arguments, Model::End end = Model::End::needed);

/// The slow variables, each as "xi = EXPRESSION", as it would stand in [slow].
std::vector<std::string> slow_texts(const model::Model& model);

}  // namespace lento::app
