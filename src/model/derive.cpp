#include "model/derive.hpp"

#include <algorithm>

namespace lento::model {
namespace {

/// The number of the symbol for the velocity of each coordinate.
std::vector<std::uint32_t> velocity_symbols(const Model& model) {
    std::vector<std::uint32_t> symbols(model.coordinates.size());
    for (std::uint32_t k = 0; k < model.places.size(); ++k) {
        if (model.places[k].array == Place::Array::velocity) {
            symbols[model.places[k].index] = k;
        }
    }
    return symbols;
}

constexpr std::uint32_t time_symbol = 0;

std::vector<MatrixEntry> gradient_by_unknown(Model& model, Node node, std::size_t row) {
    std::vector<MatrixEntry> entries;
    for (const auto& partial : model.graph.gradient(node)) {
        if (const auto column = unknown_of(model, partial.symbol)) {
            entries.push_back({row, *column, partial.node});
        }
    }
    std::ranges::sort(entries, {}, &MatrixEntry::column);
    return entries;
}

}  // namespace

std::optional<std::size_t> unknown_of(const Model& model, std::uint32_t symbol) {
    const Place& place = model.places[symbol];
    if (place.array == Place::Array::position) {
        return place.index;
    }
    if (place.array == Place::Array::velocity) {
        return model.coordinates.size() + place.index;
    }
    return {};
}

void subtract_gradient(Model& model, Node potential, std::vector<Node>& forces) {
    for (const auto& entry : gradient_by_position(model, potential, 0)) {
        forces[entry.column] = model.graph.binary(Op::subtract, forces[entry.column], entry.node);
    }
}

void add_stiff_forces(Model& model) {
    model.stiff_forces.assign(model.coordinates.size(), model.graph.constant(0));
    model.forces = model.slow_forces;
    for (const auto& spring : model.springs) {
        if (!spring.soft) {
            subtract_gradient(model, spring.potential, model.stiff_forces);
            subtract_gradient(model, spring.potential, model.forces);
        }
    }
}

bool divides_in_graph(const Model& model) {
    constexpr std::size_t most_coupled = 12;
    if (model.masses.empty() || model.dimension() <= most_coupled) {
        return !model.masses.empty();
    }
    for (std::size_t i = 0; i < model.dimension(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (!model.graph.is_constant(model.masses[SymmetricEntries<Node>::place(i, j)], 0)) {
                return false;
            }
        }
    }
    return true;
}

std::vector<Node> divided_by_masses(Model& model, std::vector<Node> f) {
    if (!divides_in_graph(model)) {
        return f;
    }
    const Formula formula(model.graph);
    auto entries = model.masses;
    const SymmetricEntries<Node> l(entries, model.dimension());
    const auto subtract_product = [&](Node& from, Node a, Node b) { from = formula.minus(from, formula.times(a, b)); };
    for (std::size_t i = 0; i < f.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            for (std::size_t k = 0; k < j; ++k) {
                subtract_product(l(i, j), l(i, k), l(j, k));
            }
            l(i, j) = formula.over(l(i, j), l(j, j));
            subtract_product(l(i, i), l(i, j), l(i, j));
            subtract_product(f[i], l(i, j), f[j]);
        }
        l(i, i) = formula.of(Op::sqrt, l(i, i));
        f[i] = formula.over(f[i], l(i, i));
    }
    for (std::size_t i = f.size(); i-- > 0;) {
        for (std::size_t j = i + 1; j < f.size(); ++j) {
            subtract_product(f[i], l(j, i), f[j]);
        }
        f[i] = formula.over(f[i], l(i, i));
    }
    return f;
}

std::vector<MatrixEntry> gradient_by_position(Model& model, Node node, std::size_t row) {
    auto entries = gradient_by_unknown(model, node, row);
    std::erase_if(entries, [&](const MatrixEntry& entry) { return entry.column >= model.dimension(); });
    return entries;
}

ConstraintTerms constraint_terms(Model& model) {
    Graph& graph = model.graph;
    const auto velocities = velocity_symbols(model);
    // The rate of change of a function of (q, v, t) along the motion, with v held: the directional derivative along
    // (v, 0, 1); `sum` begins with the part by the time.
    const auto rate = [&](Node node, Node sum) {
        for (const auto& entry : gradient_by_position(model, node, 0)) {
            const Node velocity = graph.symbol(velocities[entry.column]);
            sum = graph.binary(Op::add, sum, graph.binary(Op::multiply, entry.node, velocity));
        }
        return sum;
    };
    const auto in_time = [&](Node node) { return rate(node, graph.derivative(node, time_symbol)); };
    const auto at_rest = [&](Node node) { return rate(node, graph.constant(0)); };
    ConstraintTerms terms;
    for (std::size_t j = 0; j < model.constraints.size(); ++j) {
        const Node value = model.constraints[j].node;
        terms.values.push_back(value);
        const auto row = gradient_by_position(model, value, j);
        terms.jacobian.insert(terms.jacobian.end(), row.begin(), row.end());
        terms.velocity_residuals.push_back(in_time(value));
        terms.curvature.push_back(in_time(terms.velocity_residuals.back()));
        terms.rates_at_rest.push_back(at_rest(value));
        terms.curvature_at_rest.push_back(at_rest(terms.rates_at_rest.back()));
    }
    return terms;
}

SlowTerms slow_terms(Model& model) {
    SlowTerms terms;
    for (const auto& slow : model.slow) {
        terms.values.push_back(slow.node);
        if (slow.alternative) {
            terms.values.push_back(*slow.alternative);
        }
    }
    for (std::size_t k = 0; k < terms.values.size(); ++k) {
        const auto row = gradient_by_unknown(model, terms.values[k], k);
        terms.gradient.insert(terms.gradient.end(), row.begin(), row.end());
        for (const auto& entry : row) {
            for (const auto& second : gradient_by_unknown(model, entry.node, entry.column)) {
                terms.hessian.push_back({k, second.row, second.column, second.node});
            }
        }
    }
    return terms;
}

namespace {

/// Adds what the term `node`, times `factor`, has of constant partial derivatives; sums are taken apart first.
void add_linear_terms(Model& model, Node node, double factor, Eigen::Index row, Eigen::MatrixXd& matrix) {
    const auto entry = model.graph[node];
    if (entry.op == Op::add || entry.op == Op::subtract) {
        add_linear_terms(model, entry.a, factor, row, matrix);
        add_linear_terms(model, entry.b, entry.op == Op::add ? factor : -factor, row, matrix);
        return;
    }
    if (entry.op == Op::negate) {
        add_linear_terms(model, entry.a, -factor, row, matrix);
        return;
    }
    const auto partials = model.graph.gradient(node);
    if (partials.size() != 1 || !model.graph.is_constant(partials[0].node)) {
        return;  // a term of more than one symbol, or not linear in it
    }
    const auto& place = model.places[partials[0].symbol];
    if (place.array == Place::Array::position) {
        matrix(row, static_cast<Eigen::Index>(place.index)) += factor * model.graph[partials[0].node].value;
    }
}

}  // namespace

Eigen::MatrixXd linear_terms(const Model& given) {
    Model model = folded(given);
    const auto d = static_cast<Eigen::Index>(model.variables.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(d, d);
    for (Eigen::Index i = 0; i < d; ++i) {
        add_linear_terms(model, model.variables[static_cast<std::size_t>(i)].rate, 1, i, matrix);
    }
    return matrix;
}

std::vector<Node> first_order_form(Model& model) {
    if (model.is_first_order()) {
        return mapped(model.variables, &Variable::rate);
    }
    std::vector<Node> rates;
    Graph& graph = model.graph;
    for (const auto symbol : velocity_symbols(model)) {
        rates.push_back(graph.symbol(symbol));
    }
    if (!model.masses.empty()) {
        const auto accelerations = divided_by_masses(model, model.forces);
        rates.insert(rates.end(), accelerations.begin(), accelerations.end());
        return rates;
    }
    for (std::size_t i = 0; i < model.dimension(); ++i) {
        Node sum = graph.constant(0);
        const std::size_t first = model.mass.is_diagonal() ? i : 0;
        const std::size_t last = model.mass.is_diagonal() ? i + 1 : model.dimension();
        for (std::size_t j = first; j < last; ++j) {
            const Node weight = graph.constant(model.mass.inverse_entry(i, j));
            sum = graph.binary(Op::add, sum, graph.binary(Op::multiply, weight, model.forces[j]));
        }
        rates.push_back(sum);
    }
    return rates;
}

}  // namespace lento::model
