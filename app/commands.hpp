/// The commands of the program. Each returns the exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lento/model/model.hpp"

namespace lento::app {

enum class Exit { done = 0, failed = 1, bad_input = 2, disagrees = 3, interrupted = 130 };

/// What commands on a model take. Numbers are text: they may be expressions.
struct ModelArguments : Model::Asked {
    std::string model{};
    std::vector<std::string> set{};
    std::optional<std::string> folder{};
    std::optional<std::string> plot{};    ///< of commands that run the model
    std::optional<std::string> fast{};    ///< of run
    std::optional<std::string> budget{};  ///< of compare
    bool richardson = false;              ///< of project
    bool json = false;
    bool quiet = false;
};

Exit run(const ModelArguments& arguments);
Exit compare(const ModelArguments& arguments);
Exit check(const ModelArguments& arguments);
Exit project(const ModelArguments& arguments);

struct ReproduceArguments {
    std::vector<std::string> ids{};
    bool list = false;
    bool all = false;
    bool json = false;
    bool quiet = false;
    std::optional<std::string> folder{};  ///< for pictures
};

Exit reproduce(const ReproduceArguments& arguments);

struct MethodsArguments {
    bool json = false;
};

Exit methods(const MethodsArguments& arguments);

/// Without a topic, the topics.
Exit help(const std::string& topic);

/// `commands`: all that there are.
Exit completion(const std::string& shell, const std::vector<std::string>& commands);

}  // namespace lento::app
