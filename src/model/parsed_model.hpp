/// A mechanical system written down as text (TOML, `lento = 1`), read, checked and differentiated.
///
/// Every expression is a node of one graph, in which parameters are symbols. Forces contain minus the gradients of the
/// potential and of the springs. Everything is in the order of the file. Copies share the graph and the text, and code
/// made for one serves those with other values of the parameters (`with_parameters`).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lento/model/model.hpp"
#include "model/graph.hpp"
#include "model/inputs.hpp"
#include "model/mapped.hpp"
#include "model/source.hpp"

namespace lento::model {

class Numbers;

using Parameter = lento::Model::Parameter;
using Assignment = lento::Model::Assignment;

struct Coordinate {
    std::string name;
    double start = 0;
    double velocity = 0;
    std::optional<double> scale{}, velocity_scale{};  ///< what atol is multiplied by
    Mark mark{};                                      ///< of the coordinate
    Mark force{};                                     ///< of its force, if it has one
};

/// An unknown of a first-order system.
struct Variable {
    std::string name;
    double start = 0;
    std::optional<double> scale{};  ///< what atol is multiplied by
    Node rate{};
    std::optional<Node> exact{};  ///< the exactly solvable part of its rate
    Mark mark{};
};

struct NamedExpression {
    std::string name;
    Node node{};
    Mark mark{};
};

/// A stiff potential 1/2 k elongation^2, or one of another form with a frequency.
struct Spring {
    std::string name;
    std::optional<Node> elongation{};
    std::optional<double> frequency{};  ///< k = frequency^2
    std::optional<double> stiffness{};  ///< k itself
    std::optional<Node> strength{};     ///< k as an expression of parameters
    Node potential{};
    bool soft = false;  ///< only part of the slow force
};

struct SlowVariable {
    std::string name;
    Node node{};
    std::optional<Node> alternative{};  ///< a second chart
};

/// The exactly solvable Kepler part of a system.
struct KeplerSplitting {
    std::vector<std::string> position, velocity;
    double mu = 1;
    std::optional<Node> time_factor{};  ///< of the variables
};

/// A method option as given: a number, text that may be an expression, or a list of numbers.
struct Setting {
    std::string name;
    std::variant<double, std::string, std::vector<double>> value;
    Mark name_mark{};
    Mark mark{};  ///< of the value
};

struct RunSettings {
    double t_start = 0;
    std::optional<double> t_end{};
    Mark t_end_mark{};
    std::string method = "auto";
    Mark method_mark{};
    std::size_t samples = 201;
    double rtol = 1e-6;
    double atol = 1e-9;
    std::vector<Setting> options{};
};

struct Model {
    Source source{"", ""};
    std::string title{};
    std::vector<Parameter> parameters{};
    std::vector<Parameter> constants{};  ///< definitions that are numbers
    /// Parameters that stand in exponents, where the form of a power and of its derivatives depends on the value, and
    /// those that these follow from. Expressions hold their values: other values need the model to be read anew.
    std::vector<std::string> structural{};
    std::vector<std::optional<double>> given{};  ///< values that `with_parameters` was given, one a parameter

    Graph graph{};
    std::vector<Place> places{};               ///< where the value of each symbol of the graph stands
    std::shared_ptr<Inputs> inputs{};          ///< of all functions made from this model and its copies
    std::shared_ptr<const Numbers> numbers{};  ///< how the numbers below follow from parameters

    std::vector<Coordinate> coordinates{};  ///< of a second-order system
    std::vector<Node> forces{};             ///< one a coordinate, complete
    std::vector<Node> slow_forces{};        ///< without stiff springs
    std::vector<Node> stiff_forces{};       ///< of stiff springs alone
    Mass mass{0};                           ///< where it is constant
    std::vector<Node> masses{};             ///< where it is not: `SymmetricEntries` of M(x, t)
    std::vector<Variable> variables{};      ///< of a first-order system

    std::vector<Phase> phases{};
    std::optional<Node> potential{};  ///< that of the system, without springs
    std::vector<Spring> springs{};
    std::vector<NamedExpression> constraints{};
    std::vector<SlowVariable> slow{};
    std::vector<NamedExpression> observed{};
    std::vector<Node> fast_velocity{};   ///< one a coordinate, or none
    std::optional<double> period{};      ///< of a fast motion that no phase tells
    std::optional<std::string> small{};  ///< the parameter whose reduction makes the fast motion faster
    std::optional<KeplerSplitting> kepler{};

    RunSettings run{};

    bool is_first_order() const { return !variables.empty(); }
    /// Coordinates or variables.
    std::size_t dimension() const { return is_first_order() ? variables.size() : coordinates.size(); }
};

/// Reads a model. Throws ModelError, with the place, for everything that is wrong with it.
Model read_model(Source source, const std::vector<Assignment>& assignments = {});

/// The model with other values of some parameters, to the bit as it would be read with `--set`: those that follow from
/// them change too, and so do all numbers. Values given before stay. Nothing is parsed, differentiated or compiled.
/// Throws as reading does; and Misuse if the expressions depend on the value (`Model::structural`). It is for models as
/// they were read: of one whose springs were changed since (`stiffened`) it knows nothing.
Model with_parameters(const Model& model, std::span<const Parameter> values);

/// The values of the parameters, in their order: the first of the inputs.
std::vector<double> parameter_values(const Model& model);
/// The values of all inputs that there are by now: functions made later need new ones.
InputValues input_values(const Model& model);

/// Every expression of a model.
std::vector<Node*> expressions_of(Model& model);
/// The model with the values of its parameters written into its expressions, for what looks at their form.
Model folded(const Model& model);

/// The value of an expression of parameters and constants, for options and times.
double number_in(const Model& model, std::string_view expression, const Origin& origin);

/// The name of what stands there: "q", "q_dot", "theta", "t".
std::string name_at(const Model& model, const Place& place);

/// An expression back to text that the reader understands. Parameters appear as their values.
std::string text_of(const Model& model, Node node);

}  // namespace lento::model
