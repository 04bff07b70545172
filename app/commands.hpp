/// The commands of the program. Each returns the exit status.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lento::app {

enum class Exit { done = 0, failed = 1, bad_input = 2, disagrees = 3, interrupted = 130 };

struct RunArguments {
    std::string problem;
    std::string method = "auto";
    std::optional<double> rtol{}, atol{}, t_end{};
    std::optional<std::int64_t> samples{};
    std::vector<std::string> set{}, options{};
    std::optional<std::string> folder{}, fast{};
    bool json = false;
    bool quiet = false;
};

Exit run(const RunArguments& arguments);

struct ReproduceArguments {
    std::vector<std::string> ids{};
    bool list = false;
    bool all = false;
    bool json = false;
    bool quiet = false;
};

Exit reproduce(const ReproduceArguments& arguments);

struct MethodsArguments {
    bool json = false;
};

Exit methods(const MethodsArguments& arguments);

}  // namespace lento::app
