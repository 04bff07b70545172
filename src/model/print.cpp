/// Expressions back to text.
#include <string_view>

#include <fmt/format.h>

#include "model/parts.hpp"

namespace lento::model {
namespace {

/// How tightly the outermost operation of a text binds.
enum class Binding { sum, product, negation, atom };

struct Text {
    std::string text;
    Binding binding = Binding::atom;
};

class Printer {
public:
    explicit Printer(const Model& model) : model_(model) {}

    Text text(Node node) const {
        const auto& entry = model_.graph[node];
        if (entry.fixed) {
            const double value = values_at(model_, {node}, {}, {}, 0, {})[0];
            return {fmt::format("{}", value), value < 0 ? Binding::negation : Binding::atom};
        }
        switch (entry.op) {
            case Op::symbol:
                return {name_at(model_, model_.places[entry.symbol])};
            case Op::add:
                return joined(entry, " + ", Binding::sum, Binding::sum);
            case Op::subtract:
                return joined(entry, " - ", Binding::sum, Binding::product);
            case Op::multiply:
                if (entry.a == entry.b) {
                    return {fmt::format("{}^2", enclosed(entry.a, Binding::atom)), Binding::product};
                }
                return joined(entry, "*", Binding::product, Binding::product);
            case Op::divide:
                return joined(entry, "/", Binding::product, Binding::atom);
            case Op::negate:
                return {fmt::format("-{}", enclosed(entry.a, Binding::product)), Binding::negation};
            default:
                return {call(entry)};
        }
    }

private:
    std::string enclosed(Node node, Binding least) const {
        auto inner = text(node);
        // NOTE: a minus sign that follows another operator needs parentheses too.
        return inner.binding < least || inner.binding == Binding::negation ? fmt::format("({})", inner.text)
                                                                           : std::move(inner.text);
    }
    Text joined(const Graph::Entry& entry, std::string_view sign, Binding own, Binding right) const {
        auto first = text(entry.a);
        const bool plain = first.binding >= own && first.binding != Binding::negation;
        return {fmt::format("{}{}{}", plain || own == Binding::sum ? first.text : fmt::format("({})", first.text), sign,
                            enclosed(entry.b, right)),
                own};
    }
    std::string call(const Graph::Entry& entry) const {
        const auto* known = found(function_catalogue(), entry.op, &FunctionEntry::op);
        const auto function = known != nullptr ? known->name : entry.op == Op::expm1 ? "expm1" : "log1p";
        return is_binary(entry.op) ? fmt::format("{}({}, {})", function, text(entry.a).text, text(entry.b).text)
                                   : fmt::format("{}({})", function, text(entry.a).text);
    }

    const Model& model_;
};

}  // namespace

std::string name_at(const Model& model, const Place& place) {
    switch (place.array) {
        case Place::Array::position:
            return model.is_first_order() ? model.variables[place.index].name : model.coordinates[place.index].name;
        case Place::Array::velocity:
            return model.coordinates[place.index].name + "_dot";
        case Place::Array::phase:
            return model.phases[place.index].name;
        default:
            return "t";
    }
}

std::string text_of(const Model& model, Node node) {
    return Printer(model).text(node).text;
}

}  // namespace lento::model
