/// The commands of the program. Each returns the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lento::app {

enum class Exit { done = 0, failed = 1, bad_input = 2, disagrees = 3, interrupted = 130 };

/// What every command on a model takes. Numbers are text: they may be expressions.
struct ModelArguments {
    std::string model;
    std::optional<std::string> method{}, rtol{}, atol{}, t_end{}, samples{};
    std::vector<std::string> set{}, options{};
    std::optional<std::string> folder{};
    std::optional<std::string> plot{};  ///< of commands that run the model
    bool json = false;
    bool quiet = false;
};

struct RunArguments : ModelArguments {
    std::optional<std::string> fast{};
};

Exit run(const RunArguments& arguments);

struct CompareArguments : ModelArguments {
    std::optional<std::string> budget{};
};

Exit compare(const CompareArguments& arguments);

Exit check(const ModelArguments& arguments);

struct ProjectArguments : ModelArguments {
    bool richardson = false;
};

Exit project(const ProjectArguments& arguments);

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

struct HelpArguments {
    std::string topic{};  ///< empty: the topics
};

Exit help(const HelpArguments& arguments);

struct CompletionArguments {
    std::string shell{};
};

Exit completion(const CompletionArguments& arguments);

}  // namespace lento::app
