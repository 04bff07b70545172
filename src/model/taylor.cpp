#include "model/taylor.hpp"

#include <algorithm>
#include <numbers>
#include <unordered_map>
#include <utility>

namespace lento::model {
namespace {

/// The coefficients of one quantity, as nodes; always degree + 1 of them.
using Series = std::vector<Node>;

/// Operations on series: each writes its recurrence into the graph.
class Expansion : Formula {
public:
    Expansion(Graph& graph, int degree) : Formula(graph), degree_(degree), zero_(number(0)) {}

    Series steady(Node value) const {
        Series y(static_cast<std::size_t>(degree_) + 1, zero_);
        y[0] = value;
        return y;
    }

    Series apply(Op op, const Series& a, const Series& b) {
        const bool two = is_binary(op);
        const Node value = two ? graph_.binary(op, a[0], b[0]) : graph_.unary(op, a[0]);
        // NOTE: not only for the work saved: the recurrence of a square root divides by it, which may be zero.
        if (is_steady(a) && (!two || is_steady(b))) {
            return steady(value);
        }
        return two ? of_two(op, value, a, b) : of_one(op, value, a);
    }

private:
    Series of_two(Op op, Node value, const Series& a, const Series& b) {
        switch (op) {
            case Op::add:
            case Op::subtract:
                return each([&](int k) { return graph_.binary(op, at(a, k), at(b, k)); });
            case Op::multiply:
                return product(a, b);
            case Op::divide:
                return quotient(value, a, b);
            case Op::power:
                return is_steady(b) ? power(value, a, b[0]) : exponential(value, product(b, logarithm(a)));
            case Op::atan2:
                return angle(value, a, b);
            case Op::min:
                return chosen(value, a, b, minus(b[0], a[0]));
            case Op::max:
                return chosen(value, a, b, minus(a[0], b[0]));
            default:
                return root(value, sum_of_squares(a, b));  // hypot
        }
    }

    Series of_one(Op op, Node value, const Series& a) {
        switch (op) {
            case Op::negate:
                return each([&](int k) { return negative(at(a, k)); });
            case Op::sin:
                return coupled(value, of(Op::cos, a[0]), -1, a).first;
            case Op::cos:
                return coupled(of(Op::sin, a[0]), value, -1, a).second;
            case Op::sinh:
                return coupled(value, of(Op::cosh, a[0]), 1, a).first;
            case Op::cosh:
                return coupled(of(Op::sinh, a[0]), value, 1, a).second;
            case Op::tan:  // y' = (1 + y^2) a'
                return with_square_slope(value, plus(number(1), times(value, value)), 1, a);
            case Op::tanh: {
                // y' = (1 - y^2) a', whose value is 1/cosh^2 without cancellation
                const Node inverse = over(number(1), of(Op::cosh, a[0]));
                return with_square_slope(value, times(inverse, inverse), -1, a);
            }
            case Op::asin:
                return primitive_over(value, a, root_of_one_minus_square(a));
            case Op::acos:
                return primitive_over(value, apply(Op::negate, a, a), root_of_one_minus_square(a));
            case Op::atan:
                return primitive_over(value, a, shifted(product(a, a)));
            case Op::exp:
                return exponential(value, a);
            case Op::expm1:
                return with_value(value, exponential(of(Op::exp, a[0]), a));
            case Op::log:
                return primitive_over(value, a, a);
            case Op::log1p:
                return primitive_over(value, a, shifted(a));
            case Op::log10:
                return with_value(value, product(steady(number(1 / std::numbers::ln10)), logarithm(a)));
            case Op::sqrt:
                return root(value, a);
            case Op::cbrt:
                return cube_root(value, a);
            case Op::abs:
                return with_value(value, product(steady(of(Op::sign, a[0])), a));
            default:
                return steady(value);  // sign and floor
        }
    }

    /// y = a b; the terms of a square are equal two by two.
    Series product(const Series& a, const Series& b) {
        return each([&](int k) {
            if (a != b) {
                return sum(0, k, [&](int j) { return times(at(a, j), at(b, k - j)); });
            }
            const Node half = sum(0, (k + 1) / 2 - 1, [&](int j) { return times(at(a, j), at(a, k - j)); });
            const Node twice = times(number(2), half);
            return k % 2 == 0 ? plus(twice, times(at(a, k / 2), at(a, k / 2))) : twice;
        });
    }

    /// b y = a
    Series quotient(Node value, const Series& a, const Series& b) {
        return recurrence(value, [&](int k, const Series& y) {
            const Node known = sum(1, k, [&](int j) { return times(at(b, j), at(y, k - j)); });
            return over(minus(at(a, k), known), b[0]);
        });
    }

    /// g y' = n', from the value of y: logarithms and inverse functions.
    Series primitive_over(Node value, const Series& n, const Series& g) {
        return recurrence(value, [&](int k, const Series& y) {
            const Node known = sum(1, k - 1, [&](int j) { return times(times(number(j), at(y, j)), at(g, k - j)); });
            return over(minus(at(n, k), part(known, k)), g[0]);
        });
    }
    Series logarithm(const Series& a) { return primitive_over(of(Op::log, a[0]), a, a); }

    /// y' = y a'
    Series exponential(Node value, const Series& a) {
        return recurrence(value, [&](int k, const Series& y) { return primitive(k, a, y); });
    }

    /// first' = second a', second' = sign first a': the pairs (sin, cos) and (sinh, cosh).
    std::pair<Series, Series> coupled(Node first, Node second, int sign, const Series& a) {
        std::pair y{steady(first), steady(second)};
        for (int k = 1; k <= degree_; ++k) {
            const Node derived = primitive(k, a, y.first);
            at(y.first, k) = primitive(k, a, y.second);
            at(y.second, k) = sign < 0 ? negative(derived) : derived;
        }
        return y;
    }

    /// y' = (1 + sign y^2) a', the slope with the value given.
    Series with_square_slope(Node value, Node slope_value, int sign, const Series& a) {
        Series y = steady(value);
        Series slope = steady(slope_value);
        for (int k = 1; k <= degree_; ++k) {
            at(y, k) = primitive(k, a, slope);
            const Node squared = sum(0, k, [&](int j) { return times(at(y, j), at(y, k - j)); });
            at(slope, k) = sign < 0 ? negative(squared) : squared;
        }
        return y;
    }

    /// y = a^p:  k a_0 y_k = sum_{j=1..k} (p j - (k - j)) a_j y_{k-j}
    Series power(Node value, const Series& a, Node p) {
        return recurrence(value, [&](int k, const Series& y) {
            const Node total = sum(1, k, [&](int j) {
                return times(times(minus(times(p, number(j)), number(k - j)), at(a, j)), at(y, k - j));
            });
            return over(part(total, k), a[0]);
        });
    }

    // NOTE: the root of an exact zero that stays zero, as in sqrt(max(x, 0)), must not become 0/0. No root of another
    // number is as small as what `not_zero` puts in its place.
    /// y^2 = a
    Series root(Node value, const Series& a) {
        return recurrence(value, [&](int k, const Series& y) {
            const Node known = sum(1, k - 1, [&](int j) { return times(at(y, j), at(y, k - j)); });
            return over(minus(at(a, k), known), not_zero(times(number(2), value)));
        });
    }

    /// y^3 = a:  3 y^2 y' = a'
    Series cube_root(Node value, const Series& a) {
        Series y = steady(value);
        Series squared = steady(square(value));
        const Node slope = not_zero(times(number(3), squared[0]));
        for (int k = 1; k <= degree_; ++k) {
            const Node known =
                sum(1, k - 1, [&](int j) { return times(times(number(3 * j), at(y, j)), at(squared, k - j)); });
            at(y, k) = over(minus(at(a, k), part(known, k)), slope);
            at(squared, k) = sum(0, k, [&](int j) { return times(at(y, j), at(y, k - j)); });
        }
        return y;
    }

    /// The angle of (x, y):  (x^2 + y^2) angle' = x y' - y x'
    Series angle(Node value, const Series& y, const Series& x) {
        const Series turned = each([&](int k) {
            const Node total = sum(1, k, [&](int j) {
                return times(number(j), minus(times(at(y, j), at(x, k - j)), times(at(x, j), at(y, k - j))));
            });
            return part(total, k);
        });
        return primitive_over(value, turned, sum_of_squares(x, y));
    }

    /// `a` where `difference` is positive, else `b`. NOTE: the weights are exactly 1 and 0, and NaN with the value.
    Series chosen(Node value, const Series& a, const Series& b, Node difference) {
        const Node first = graph_.binary(Op::max, of(Op::sign, difference), zero_);
        const Node second = minus(number(1), first);
        return with_value(value, each([&](int k) { return plus(times(first, at(a, k)), times(second, at(b, k))); }));
    }

    Series sum_of_squares(const Series& a, const Series& b) { return apply(Op::add, product(a, a), product(b, b)); }
    Series shifted(Series a) {
        a[0] = plus(number(1), a[0]);
        return a;
    }
    Series root_of_one_minus_square(const Series& a) {
        const Series rest = apply(Op::subtract, steady(number(1)), product(a, a));
        return root(of(Op::sqrt, rest[0]), rest);
    }

    /// Coefficient k of y where y' = g a'.
    Node primitive(int k, const Series& a, const Series& g) {
        return part(sum(1, k, [&](int j) { return times(times(number(j), at(a, j)), at(g, k - j)); }), k);
    }

    static Series with_value(Node value, Series y) {
        y[0] = value;
        return y;
    }
    /// From y_0, `next(k, y)` is y_k.
    template <class Next>
    Series recurrence(Node value, Next&& next) {
        Series y = steady(value);
        for (int k = 1; k <= degree_; ++k) {
            at(y, k) = next(k, y);
        }
        return y;
    }
    template <class Term>
    Node sum(int from, int to, Term&& term) {
        Node total = zero_;
        for (int j = from; j <= to; ++j) {
            total = plus(total, term(j));
        }
        return total;
    }
    template <class Coefficient>
    Series each(Coefficient&& coefficient) {
        Series y;
        for (int k = 0; k <= degree_; ++k) {
            y.push_back(coefficient(k));
        }
        return y;
    }

    bool is_steady(const Series& a) const {
        return std::all_of(a.begin() + 1, a.end(), [this](Node node) { return node == zero_; });
    }
    static Node& at(Series& a, int k) { return a[static_cast<std::size_t>(k)]; }
    static Node at(const Series& a, int k) { return a[static_cast<std::size_t>(k)]; }

    /// a/k by a product, which costs a third of a division.
    Node part(Node a, int k) { return times(number(1.0 / k), a); }

    int degree_;
    Node zero_;
};

}  // namespace

FunctionGraph taylor(const FunctionGraph& function, std::size_t dimension, int degree) {
    FunctionGraph made;
    Expansion expansion(made.graph, degree);
    const auto new_symbol = [&](const Place& place) {
        made.places.push_back(place);
        const auto number = static_cast<std::uint32_t>(made.places.size() - 1);
        return place.array == Place::Array::input ? made.graph.parameter(number) : made.graph.symbol(number);
    };
    const auto symbol = [&](const Place& place) {
        Series y = expansion.steady(new_symbol(place));
        for (std::size_t j = 1; j < y.size(); ++j) {
            if (place.array == Place::Array::position || place.array == Place::Array::velocity) {
                y[j] = new_symbol({place.array, static_cast<std::uint32_t>(j * dimension + place.index)});
            } else if (place.array == Place::Array::time && j == 1) {
                y[j] = made.graph.constant(1);
            }
        }
        return y;
    };

    std::unordered_map<Node, Series> series;
    for (const Node node : function.graph.parts(function.results)) {
        const auto& entry = function.graph[node];
        series.emplace(node, entry.op == Op::constant ? expansion.steady(made.graph.constant(entry.value))
                             : entry.op == Op::symbol
                                 ? symbol(function.places[entry.symbol])
                                 : expansion.apply(entry.op, series.at(entry.a), series.at(entry.b)));
    }
    for (std::size_t j = 0; j <= static_cast<std::size_t>(degree); ++j) {
        for (const Node node : function.results) {
            made.results.push_back(series.at(node)[j]);
        }
    }
    return made;
}

}  // namespace lento::model
