/// Models written as text (TOML, `lento = 1`):
///
///     const auto pendulum = lento::Model::from_file("models/inverted-pendulum.toml");
///     for (double omega : {1e4, 1e6, 1e8}) {
///         const auto solution = pendulum.with({{"omega", omega}}).solve();
///         std::printf("%g\n", solution.slow(1).position[0]);
///     }
///
/// A model is read, differentiated and compiled once. Other values of its parameters compile nothing again, and give
/// the same numbers to the last bit as a model that is read with them. A model is immutable: any thread may use it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lento/base/misuse.hpp"
#include "lento/problem/problem.hpp"
#include "lento/run/request.hpp"
#include "lento/run/solve.hpp"

namespace [[gnu::visibility("default")]] lento {

namespace model {
struct Model;
class ModelParts;
}  // namespace model

class Model {
public:
    struct Parameter {
        std::string name;
        double value = 0;
    };
    /// `NAME=EXPRESSION` in place of what the text says of a parameter.
    struct Assignment {
        std::string name, expression;
    };

    /// Throw Misuse with the place, the line and a caret for everything that is wrong with a model.
    static Model from_file(const std::filesystem::path& path, const std::vector<Assignment>& assignments = {});
    static Model from_text(std::string text, const std::vector<Assignment>& assignments = {},
                           std::string name = "model");

    const std::string& title() const;
    /// With those that follow from others.
    std::vector<Parameter> parameters() const;
    /// With other values of some parameters. Parameters that follow from them change too; values given before stay.
    Model with(const std::vector<Parameter>& values) const;

    /// The system, with the values of the parameters.
    Problem problem() const;

    /// What is asked of a run beside what the model says: expressions of the parameters; options as NAME=VALUE.
    struct Asked {
        std::optional<std::string> method{}, rtol{}, atol{}, t_end{}, samples{};
        std::vector<std::string> options{};
    };
    /// Whether something can be done without an end of the run; then t_end is NaN if nobody says it.
    enum class End { needed, optional };
    /// What the model says of a run: start, times, tolerances, method, options, with what is asked in its place.
    /// Options in the model are for the method in the model. Throws Misuse where nobody says when the run ends.
    Request request(const Asked& asked, End end = End::needed) const;
    Request request() const { return request(Asked{}); }

    Solution solve() const { return solve(request()); }
    Solution solve(const Request& request) const;

    /// The names of all numbers that outputs have, in the order of the file: coordinates, velocities, variables,
    /// multipliers, slow variables, observed quantities.
    const std::vector<std::string>& columns() const;
    /// Their values at a true state.
    std::vector<double> row(const Snapshot& state) const;
    /// Their values at a state of the slow motion of a run. What depends on phases is taken at those that the slow
    /// motion belongs to: of methods that meet the true motion once a period, at those of the start.
    std::vector<double> slow_row(const Snapshot& state, const RunRecord& of, double t_start) const;
    /// A state as sinks are given it.
    Snapshot snapshot(double t, std::span<const double> y) const;

    /// The number that an expression of parameters and constants stands for; `where` says where it was given.
    double number(std::string_view expression, const std::string& where) const;

    /// Slow variables are looked for where none are declared. Says why there are none, if so.
    std::optional<std::string> find_slow_variables();

    /// As it was read: for those who look at expressions.
    const model::Model& parsed() const { return *parsed_; }
    /// Operations of one evaluation of the right-hand side.
    std::size_t operations() const;
    /// What reading took, and preparing what is evaluated; machine code is made later, when it repays.
    struct Seconds {
        double read = 0, compile = 0;
    };
    Seconds seconds() const;

private:
    struct Code;

    Model(std::shared_ptr<const model::Model> parsed, std::shared_ptr<const Code> code);
    static Model read(const std::function<model::Model()>& reading, std::vector<Assignment> assignments);
    std::optional<FasterProblem> faster(double factor) const;
    std::vector<double> row_at(const Snapshot& state, double phases_at) const;

    std::shared_ptr<const model::Model> parsed_;
    std::shared_ptr<const Code> code_;
    std::shared_ptr<const std::vector<double>> inputs_;  // of functions beside the state
};

}  // namespace lento
