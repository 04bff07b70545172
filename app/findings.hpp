/// What `lento check` finds out about a model, and how it says so.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "loaded_model.hpp"
#include "method/slow_check.hpp"

namespace lento::app {

struct Findings {
    struct Period {
        std::string name;
        double period = 0;
        std::string source;
    };
    /// How a short trial ended that did not get going: the name of the outcome, and its sentence.
    struct Failure {
        std::string outcome, explanation;
    };
    /// What a method says of the model, and what a first stretch with it showed.
    struct Judged {
        const Method* method = nullptr;
        bool applies = false;
        std::string why{};
        std::optional<double> evaluations{};  ///< of the whole run with its own tolerance, by a trial
        std::optional<Failure> failure{};     ///< of the trial
    };

    std::vector<Period> periods{};
    std::optional<double> slow_time{};  ///< in which the slow motion changes
    std::optional<double> separation{};
    RunOutput::Named residuals{};
    std::vector<Judged> methods{};
    std::string recommended{};  ///< what `run` begins with; empty if nothing can start
    std::string why{};
    std::string advice{};                                      ///< another one that a trial found to be cheaper
    std::vector<std::pair<std::string, std::string>> exact{};  ///< parts of rates that could be declared so
    std::string no_slow_variables{};                           ///< why none were found
    std::optional<SlowReport> slow{};                          ///< none where it could not be made
    std::vector<std::string> warnings{};
};

Json findings_json(const LoadedModel& loaded, const Findings& findings);
void print_findings(const LoadedModel& loaded, const Findings& findings);

}  // namespace lento::app
