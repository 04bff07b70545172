/// How the numbers of a model follow from its parameters: what reading does with a number after it has been parsed,
/// kept so that it can be done again with other values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/names.hpp"
#include "model/parsed_model.hpp"

namespace lento::model {

/// Throws ModelError unless `value`, which stands at `mark` and is called `what`, is a finite number; or one above 0.
double finite(const Source& source, Mark mark, const std::string& what, double value);
double positive(const Source& source, Mark mark, const std::string& what, double value);

/// Throws Misuse unless it is a number of samples that a run can have.
std::size_t samples_of(double number);

/// Throws Misuse: there is no parameter of that name.
[[noreturn]] void refuse_parameter(const Source& source, const Assignment& given,
                                   const std::vector<std::string>& known);

/// Puts copies of the expressions of a model, which are nodes of `from`, into its own graph.
void copy_expressions(const Graph& from, Model& model, const Graph::Replacement& replacement);

class Numbers {
public:
    /// Checks some values and puts them into the model.
    using Step = std::function<void(Model&, std::span<const double>)>;

    /// What a parameter is unless it is given: an expression of earlier ones, in the file or in an override.
    struct Definition {
        std::string name{};
        Mark mark{};                           ///< in the file
        std::optional<std::string> outside{};  ///< the text of an override
        Node node{};                           ///< of the graph of names
    };

    /// Parameters in their order, before all else.
    void add_parameter(const Names& names, Definition definition);
    /// What is to be done with the values of `nodes` of the graph of names.
    void add_step(const Names& names, std::span<const Node> nodes, Step step);

    /// The values of these parameters stand in expressions: whoever changes one has to read the model anew. Gives the
    /// names of those and of parameters that they follow from, in their order.
    std::vector<std::string> fold(std::vector<std::uint32_t> parameters);

    /// Parameters, and all that follows from them; `given[k]` instead of the definition of parameter k.
    void put(Model& model, std::span<const std::optional<double>> given) const;

private:
    struct Part {
        std::vector<Node> nodes;
        Step step;
    };

    std::vector<Node> copied(const Names& names, std::span<const Node> nodes);

    Graph graph_;  // symbol k is parameter k, and comes after its definition
    std::vector<Definition> definitions_;
    std::vector<Node> parameter_nodes_;
    std::vector<Part> parts_;
    std::vector<std::uint32_t> folded_;
};

}  // namespace lento::model
