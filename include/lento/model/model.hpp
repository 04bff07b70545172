/// A mechanical system written down as text (TOML, `lento = 1`), read, checked and differentiated.
///
/// Every expression is a node of one graph, in which parameters have their values already. Forces contain minus the gradients of
/// the potential and of the springs. Everything is in the order of the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lento/model/compile.hpp"
#include "lento/model/graph.hpp"
#include "lento/model/source.hpp"
#include "lento/problem/mass.hpp"
#include "lento/problem/vibrated_system.hpp"

namespace lento::model {

struct Coordinate {
    std::string name;
    double start = 0;
    double velocity = 0;
    Mark mark{};   ///< of the coordinate
    Mark force{};  ///< of its force, if it has one
};

/// An unknown of a first-order system.
struct Variable {
    std::string name;
    double start = 0;
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
    std::vector<std::pair<std::string, double>> parameters{};
    std::vector<std::pair<std::string, double>> constants{};  ///< definitions that are numbers

    Graph graph{};
    std::vector<Place> places{};  ///< where the value of each symbol of the graph stands in the state

    std::vector<Coordinate> coordinates{};  ///< of a second-order system
    std::vector<Node> forces{};             ///< one a coordinate, complete
    std::vector<Node> slow_forces{};        ///< without stiff springs
    std::vector<Node> stiff_forces{};       ///< of stiff springs alone
    Mass mass{0};
    std::vector<Variable> variables{};  ///< of a first-order system

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

/// `NAME=EXPRESSION` in place of what the file says of a parameter.
struct Override {
    std::string name, expression;
};

/// Reads a model. Throws ModelError, with the place, for everything that is wrong with it.
Model read_model(Source source, const std::vector<Override>& overrides = {});

/// The value of an expression of parameters and constants, for options and times; `where` says where outside the file it was given,
/// `mark` where in it.
double number_in(const Model& model, std::string_view expression, const std::string& where);
double number_in(const Model& model, std::string_view expression, Mark mark);

}  // namespace lento::model
