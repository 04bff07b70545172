#include "model/find_slow.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <Eigen/LU>

#include "base/eigenvalues.hpp"
#include "model/leading_part.hpp"

namespace lento::model {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_turns = 8;  // in a resonance
// Of frequencies: the leading part is seen up to terms of higher order, and what is found is measured.
constexpr double same = 1e-4;

/// Makes S^-1 A S of A, with S diagonal, so that rows are as long as columns; S. Coordinates and velocities of a stiff
/// oscillator differ by its frequency, and eigenvalues of what is not balanced lose that many digits (Parlett and
/// Reinsch, Numer. Math. 13 (1969)).
VectorXd balanced(MatrixXd& A) {
    VectorXd scale = VectorXd::Ones(A.rows());
    constexpr int sweeps = 20;
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (Index i = 0; i < A.rows(); ++i) {
            const double column = A.col(i).norm() - std::abs(A(i, i));
            const double row = A.row(i).norm() - std::abs(A(i, i));
            if (column > 0 && row > 0) {
                const double factor = std::exp2(std::round(std::log2(row / column) / 2));
                scale[i] *= factor;
                A.col(i) *= factor;
                A.row(i) /= factor;
            }
        }
    }
    return scale;
}

/// A number as a pair of expressions.
struct Complex {
    Node re, im;
};

class Finder : Formula {
public:
    Finder(Model& model, Model& faster, double factor)
        : Formula(model.graph),
          model_(model),
          rates_(model),
          d_(static_cast<Index>(rates_.unknowns())),
          leading_(rates_.jacobians(), Rates(faster).jacobians(), factor, static_cast<Index>(model.coordinates.size())),
          matrix_(MatrixXd::Zero(d_, d_)) {}

    FoundSlow found() {
        for (auto step :
             {&Finder::find_matrix, &Finder::find_oscillations, &Finder::find_driven, &Finder::find_phases}) {
            if (std::string why_not = (this->*step)(); !why_not.empty()) {
                return {{}, std::move(why_not)};
            }
        }
        return {std::move(variables_), {}};
    }

private:
    Place place(Index i) const {
        const auto k = static_cast<std::uint32_t>(i);
        const auto n = static_cast<std::uint32_t>(model_.dimension());
        return k < n ? Place{Place::Array::position, k} : Place{Place::Array::velocity, k - n};
    }
    std::string name(Index i) const { return name_at(model_, place(i)); }
    Node unknown(Index i) const { return symbol_at(place(i)); }
    Node symbol_at(const Place& wanted) const {
        const auto found = std::ranges::find(model_.places, wanted);
        return graph_.symbol(static_cast<std::uint32_t>(found - model_.places.begin()));
    }
    using Formula::times;
    Node times(double factor, Node node) { return times(number(factor), node); }
    // NOTE: one operation a statement. Compilers evaluate arguments in orders of their own, and the text would show it.
    /// a b + c d, or a b - c d.
    Node of_products(Op op, Node a, Node b, Node c, Node d) {
        const Node first = times(a, b);
        const Node second = times(c, d);
        return graph_.binary(op, first, second);
    }
    Complex times(Complex a, Complex b) {
        return {of_products(Op::subtract, a.re, b.re, a.im, b.im), of_products(Op::add, a.re, b.im, a.im, b.re)};
    }
    Complex power(Complex a, int exponent) {
        Complex result = a;
        for (int k = 1; k < exponent; ++k) {
            result = times(result, a);
        }
        return result;
    }
    void add(std::string name, Node node, std::optional<Node> alternative = {}) {
        // NOTE: names that a model may have already are made different.
        while (taken(name)) {
            name += "_slow";
        }
        variables_.push_back({std::move(name), node, alternative});
    }
    bool taken(const std::string& wanted) const {
        const auto same = [&](const auto& entry) { return entry.name == wanted; };
        for (Index i = 0; i < d_; ++i) {
            if (name(i) == wanted) {
                return true;
            }
        }
        return std::ranges::any_of(model_.observed, same) || std::ranges::any_of(model_.phases, same) ||
               std::ranges::any_of(model_.parameters, same) || std::ranges::any_of(variables_, same);
    }

    // The steps say why not, or nothing.

    /// L on the unknowns whose leading rates are linear; with coordinates, x' = v where v is such.
    std::string find_matrix() {
        for (Index i = 0; i < d_; ++i) {
            if (leading_.grows(i) && leading_.is_constant(i) &&
                (leading_.part.row(i).tail(leading_.part.cols() - d_).array() == 0).all()) {
                matrix_.row(i) = leading_.part.row(i).head(d_);
                linear_.push_back(i);
            }
        }
        const auto n = static_cast<Index>(model_.coordinates.size());
        for (const Index v : std::vector<Index>(linear_)) {
            if (v >= n && n > 0) {
                matrix_(v - n, v) = 1;
                linear_.push_back(v - n);
            }
        }
        for (Index i = 0; i < d_; ++i) {
            if (leading_.grows(i) && !is_linear(i)) {
                driven_.push_back(i);
            }
        }
        return linear_.empty() && driven_.empty()
                   ? fmt::format("no rate grows as {} becomes smaller", model_.small.value_or("the small parameter"))
                   : std::string();
    }
    bool is_linear(Index i) const { return std::ranges::find(linear_, i) != linear_.end(); }
    bool is_driven(Index i) const { return std::ranges::find(driven_, i) != driven_.end(); }

    /// Unknowns that L connects with i, i among them.
    std::vector<Index> component(Index i, std::vector<bool>& seen) const {
        std::vector<Index> members{i};
        seen[static_cast<std::size_t>(i)] = true;
        for (std::size_t next = 0; next < members.size(); ++next) {
            const Index k = members[next];
            for (Index j = 0; j < d_; ++j) {
                if (!seen[static_cast<std::size_t>(j)] && (matrix_(k, j) != 0 || matrix_(j, k) != 0)) {
                    seen[static_cast<std::size_t>(j)] = true;
                    members.push_back(j);
                }
            }
        }
        std::ranges::sort(members);
        return members;
    }

    std::string not_linear(Index i) const {
        return fmt::format("the leading part of the rate of {} is not linear", name(i));
    }

    std::string find_oscillations() {
        std::vector<bool> seen(static_cast<std::size_t>(d_), false);
        std::string why_not;
        for (Index i = 0; i < d_ && why_not.empty(); ++i) {
            if (seen[static_cast<std::size_t>(i)] || is_driven(i)) {
                continue;
            }
            const auto members = component(i, seen);
            const auto driven = std::ranges::find_if(members, [this](Index k) { return is_driven(k); });
            if (driven != members.end()) {
                why_not = not_linear(*driven);
            } else if (members.size() == 1) {
                add(name(i) + "_slow", unknown(i));
            } else {
                why_not = take_apart(members);
            }
        }
        return why_not;
    }

    Node combination(const std::vector<Index>& members, const VectorXd& weights) {
        std::optional<Node> sum;
        for (std::size_t k = 0; k < members.size(); ++k) {
            // NOTE: whole numbers as such; eigenvectors are right to some digits only.
            const double raw = weights[static_cast<Index>(k)];
            const double whole = std::round(raw);
            const double weight = whole != 0 && std::abs(raw - whole) < 0.1 * same ? whole : raw;
            if (std::abs(weight) < 1e-12) {
                continue;
            }
            const Node term = times(std::abs(weight), unknown(members[k]));
            sum = !sum         ? (weight < 0 ? graph_.unary(Op::negate, term) : term)
                  : weight < 0 ? minus(*sum, term)
                               : plus(*sum, term);
        }
        return sum.value_or(graph_.constant(0));
    }

    std::string take_apart(const std::vector<Index>& members) {
        const auto they = [&](std::string_view what) {
            return fmt::format("the leading part of the rates of {} and what it is coupled with {}", name(members[0]),
                               what);
        };
        const auto m = static_cast<Index>(members.size());
        MatrixXd block = matrix_(members, members);
        const VectorXd scale = balanced(block);
        const auto [eigenvalues, eigenvectors] = eigenpairs(block.transpose());
        const double size = eigenvalues.cwiseAbs().maxCoeff();
        if (!(size > 0)) {
            return they("does not oscillate");
        }
        if (const double growth = eigenvalues.real().cwiseAbs().maxCoeff(); growth > 1e-7 * size) {
            return they(fmt::format("does not oscillate: eigenvalues with real parts up to {:.3g}", growth));
        }
        Index found = 0;
        for (Index k = 0; k < m; ++k) {
            const double frequency = eigenvalues[k].imag();
            if (frequency > 1e-7 * size) {
                // so that z = x + i v for an oscillator
                Eigen::VectorXcd w = scale.cwiseInverse().asDiagonal() * eigenvectors.col(k).conjugate();
                Index largest = 0;
                w.cwiseAbs().maxCoeff(&largest);
                // NOTE: of equally large ones the first.
                for (Index a = m; a-- > 0;) {
                    largest = std::abs(w[a]) > (1 - 1e-9) * w.cwiseAbs().maxCoeff() ? a : largest;
                }
                w /= w[largest];
                oscillators_.push_back({frequency,
                                        {combination(members, w.real()), combination(members, w.imag())},
                                        name(members[static_cast<std::size_t>(largest)])});
                found += 2;
            }
        }
        const auto zeros = (eigenvalues.cwiseAbs().array() <= 1e-7 * size).count();
        if (zeros > 0) {
            // NOTE: columns of length 1, since stiff coordinates have entries of very different sizes.
            const VectorXd lengths = block.colwise().norm().transpose();
            const MatrixXd even = block * lengths.unaryExpr([](double l) { return l > 0 ? 1 / l : 1.0; }).asDiagonal();
            Eigen::FullPivLU<MatrixXd> lu(even.transpose());
            lu.setThreshold(1e-9);
            const MatrixXd kernel = lu.kernel();
            for (Index k = 0; k < kernel.cols(); ++k, ++found) {
                VectorXd w = scale.cwiseInverse().asDiagonal() * kernel.col(k);
                Index largest = 0;
                w.cwiseAbs().maxCoeff(&largest);
                w /= w[largest];
                add(name(members[static_cast<std::size_t>(largest)]) + "_slow", combination(members, w));
            }
        }
        return found < m ? they("grows in time: its matrix has too few eigenvectors") : "";
    }

    /// x_i' = c_i(x) . x_C + O(1) with slow c_i: x_i - c_i L_C^-1 x_C. Of a vibration by a phase: its antiderivative.
    std::string find_driven() {
        const auto m = static_cast<Index>(linear_.size());
        const MatrixXd block = matrix_(linear_, linear_);
        Eigen::FullPivLU<MatrixXd> lu;
        if (m > 0) {
            lu.compute(block);
        }
        if (!driven_.empty() && m > 0 && !lu.isInvertible()) {
            return not_linear(driven_[0]);
        }
        for (const Index i : driven_) {
            Node node = unknown(i);
            for (Index b = 0; b < m; ++b) {
                for (Index a = 0; a < m; ++a) {
                    const double inverse = lu.inverse()(a, b);
                    const Node c = rates_.partial(i, linear_[static_cast<std::size_t>(a)]);
                    if (std::abs(inverse) > 0 && !graph_.is_constant(c, 0)) {
                        if (!only_slow(c)) {
                            return not_linear(i);
                        }
                        const Node term =
                            times(times(std::abs(inverse), c), unknown(linear_[static_cast<std::size_t>(b)]));
                        node = inverse < 0 ? plus(node, term) : minus(node, term);
                    }
                }
            }
            for (std::size_t j = 0; j < model_.phases.size(); ++j) {
                const Node by_phase = rates_.partial(i, d_ + static_cast<Index>(j));
                if (graph_.is_constant(by_phase, 0)) {
                    continue;
                }
                const auto turns = harmonic(by_phase, j);
                if (!turns || !only_slow(by_phase)) {
                    return fmt::format("the vibration of {} by {} is not one sine with a slow amplitude", name(i),
                                       model_.phases[j].name);
                }
                node = plus(node, times(1 / (*turns * *turns * model_.phases[j].frequency), by_phase));
            }
            add(name(i) + "_slow", node);
        }
        return {};
    }
    /// Whether an expression depends on no fast unknown.
    bool only_slow(Node node) {
        return std::ranges::none_of(graph_.gradient(node), [this](const Partial& partial) {
            const auto i = unknown_of(model_, partial.symbol);
            return i && (is_linear(static_cast<Index>(*i)) || is_driven(static_cast<Index>(*i)));
        });
    }
    /// n where the second derivative by the phase is -n^2 times the function, at every point.
    std::optional<double> harmonic(Node node, std::size_t phase) {
        const auto symbol = graph_[symbol_at({Place::Array::phase, static_cast<std::uint32_t>(phase)})].symbol;
        const Node second = graph_.derivative(graph_.derivative(node, symbol), symbol);
        std::optional<double> square;
        for (std::size_t p = 0; p < Rates::points; ++p) {
            const auto values = rates_.at(p, {node, second});
            const double here = -values[1] / values[0];
            if (!std::isfinite(here) || (square && std::abs(here - *square) > 1e-9 * *square)) {
                return std::nullopt;
            }
            square = here;
        }
        return std::sqrt(square.value_or(1));
    }

    std::string find_phases() {
        if (!model_.phases.empty()) {
            return relative_to_phase();
        }
        for (const auto& own : oscillators_) {
            add("I_" + own.name, of_products(Op::add, own.z.re, own.z.re, own.z.im, own.z.im));
        }
        std::string why_not = oscillators_.empty() ? "the leading part does not oscillate" : "";
        for (std::size_t j = 1; j < oscillators_.size() && why_not.empty(); ++j) {
            why_not = relative_phase(oscillators_[0], oscillators_[j]);
        }
        return why_not;
    }

    struct Oscillator {
        double frequency;
        Complex z;
        std::string name;
    };

    std::string relative_phase(const Oscillator& first, const Oscillator& other) {
        for (int a = 1; a <= most_turns; ++a) {
            const double turns = a * first.frequency / other.frequency;
            const int b = static_cast<int>(std::round(turns));
            if (b >= 1 && b <= most_turns && std::abs(turns - b) < same * b) {
                const Complex p = power(first.z, a);
                const Complex q = power(other.z, b);
                const Node phi = of_products(Op::add, p.re, q.re, p.im, q.im);
                add("phi_" + other.name, phi, of_products(Op::subtract, p.im, q.re, p.re, q.im));
                return {};
            }
        }
        return fmt::format(
            "the frequencies {:.6g} of {} and {:.6g} of {} are not commensurate: there is more than one fast phase",
            first.frequency, first.name, other.frequency, other.name);
    }

    std::string relative_to_phase() {
        const auto& phase = model_.phases[0];
        for (const auto& own : oscillators_) {
            const double turns = own.frequency / phase.frequency;
            if (model_.phases.size() > 1 || std::abs(turns - std::round(turns)) > same || turns < 0.5) {
                return fmt::format("the frequency {:.6g} of {} is not a multiple of that of {}, {:.6g}", own.frequency,
                                   own.name, phase.name, phase.frequency);
            }
            const Node angle = times(std::round(turns), symbol_at({Place::Array::phase, 0}));
            // z turns as e^(-i n theta)
            const Complex back{graph_.unary(Op::cos, angle), graph_.unary(Op::sin, angle)};
            const Complex z = times(own.z, back);
            add(own.name + "_cos", z.re);
            add(own.name + "_sin", z.im);
        }
        return {};
    }

    Model& model_;
    Rates rates_;
    Index d_;
    Leading leading_;
    MatrixXd matrix_;  // L
    std::vector<Index> linear_, driven_;
    std::vector<Oscillator> oscillators_;
    std::vector<SlowVariable> variables_;
};

}  // namespace

FoundSlow find_slow(Model& model, const Model& faster) {
    if (!model.constraints.empty()) {
        return {{}, "the system has constraints"};
    }
    if (!model.small) {
        return {{},
                "the model does not say which parameter makes the fast motion faster: [oscillation] small = \"eps\""};
    }
    constexpr std::size_t most = 400;
    if (model.dimension() > most) {
        return {{}, fmt::format("{} unknowns are too many to look for slow variables", model.dimension())};
    }
    // NOTE: what is leading depends on the values of parameters, and so does the form of what is found.
    Model numbers = folded(model);
    Model faster_numbers = folded(faster);
    const auto small = [&](const Model& of) { return found(of.parameters, *model.small, &Parameter::name)->value; };
    const double factor = small(model) / small(faster);
    FoundSlow slow = Finder(numbers, faster_numbers, factor).found();
    const auto copy = [&](Node node) { return model.graph.copies(numbers.graph, std::span(&node, 1))[0]; };
    for (auto& variable : slow.variables) {
        variable.node = copy(variable.node);
        if (variable.alternative) {
            variable.alternative = copy(*variable.alternative);
        }
    }
    return slow;
}

}  // namespace lento::model
