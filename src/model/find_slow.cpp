#include "model/find_slow.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <optional>
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

/// Makes S^-1 A S of A, with S diagonal, so that rows are as long as columns; S. Coordinates and velocities of a stiff oscillator differ by
/// its frequency, and eigenvalues of what is not balanced lose that many digits (Parlett and Reinsch, Numer. Math. 13 (1969)).
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

class Finder {
public:
    Finder(Model& model, Model& faster, double factor)
        : model_(model),
          graph_(model.graph),
          rates_(model),
          d_(static_cast<Index>(rates_.unknowns())),
          leading_(rates_.jacobians(), Rates(faster).jacobians(), factor, static_cast<Index>(model.coordinates.size())),
          matrix_(MatrixXd::Zero(d_, d_)) {}

    FoundSlow found() {
        for (auto step :
             {&Finder::find_matrix, &Finder::find_oscillations, &Finder::find_driven, &Finder::find_phases}) {
            if (why_not_.empty()) {
                (this->*step)();
            }
        }
        return why_not_.empty() ? FoundSlow{std::move(variables_), {}} : FoundSlow{{}, why_not_};
    }

private:
    std::string name(Index i) const {
        const auto k = static_cast<std::size_t>(i);
        return model_.is_first_order()         ? model_.variables[k].name
               : k < model_.coordinates.size() ? model_.coordinates[k].name
                                               : model_.coordinates[k - model_.coordinates.size()].name + "_dot";
    }
    Node unknown(Index i) const {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t n = model_.dimension();
        return k < n ? symbol_at(Place::Array::position, k) : symbol_at(Place::Array::velocity, k - n);
    }
    Node symbol_at(Place::Array array, std::size_t index) const {
        const auto found = std::ranges::find_if(
            model_.places, [&](const Place& place) { return place.array == array && place.index == index; });
        return graph_.symbol(static_cast<std::uint32_t>(found - model_.places.begin()));
    }
    Node times(double factor, Node node) { return graph_.binary(Op::multiply, graph_.constant(factor), node); }
    Node times(Node a, Node b) { return graph_.binary(Op::multiply, a, b); }
    Node plus(Node a, Node b) { return graph_.binary(Op::add, a, b); }
    Node minus(Node a, Node b) { return graph_.binary(Op::subtract, a, b); }
    // NOTE: one operation a statement. Compilers evaluate arguments in orders of their own, and the text would show it.
    Node sum_of_products(Node a, Node b, Node c, Node d) {
        const Node first = times(a, b);
        const Node second = times(c, d);
        return plus(first, second);
    }
    Node difference_of_products(Node a, Node b, Node c, Node d) {
        const Node first = times(a, b);
        const Node second = times(c, d);
        return minus(first, second);
    }
    Complex times(Complex a, Complex b) {
        return {difference_of_products(a.re, b.re, a.im, b.im), sum_of_products(a.re, b.im, a.im, b.re)};
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
        for (Index i = 0; i < d_; ++i) {
            if (name(i) == wanted) {
                return true;
            }
        }
        const auto same = [&](const auto& entry) { return entry.name == wanted; };
        return std::ranges::any_of(model_.observed, same) || std::ranges::any_of(model_.phases, same) ||
               std::ranges::any_of(model_.parameters, same) || std::ranges::any_of(variables_, same);
    }

    /// L on the unknowns whose leading rates are linear; with coordinates, x' = v where v is such.
    void find_matrix() {
        bool any = false;
        for (Index i = 0; i < d_; ++i) {
            any = any || leading_.grows(i);
            if (leading_.grows(i) && leading_.is_constant(i) &&
                (leading_.part.row(i).tail(leading_.part.cols() - d_).array() == 0).all()) {
                matrix_.row(i) = leading_.part.row(i).head(d_);
                linear_.push_back(i);
            }
        }
        if (!any) {
            why_not_ = fmt::format("no rate grows as {} becomes smaller", model_.small.value_or("the small parameter"));
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
    }
    bool is_linear(Index i) const { return std::ranges::find(linear_, i) != linear_.end(); }
    bool is_driven(Index i) const { return std::ranges::find(driven_, i) != driven_.end(); }

    /// Unknowns that L connects with i, i among them.
    std::vector<Index> component(Index i, std::vector<bool>& seen) const {
        std::vector<Index> members;
        std::vector<Index> open{i};
        while (!open.empty()) {
            const Index k = open.back();
            open.pop_back();
            if (seen[static_cast<std::size_t>(k)]) {
                continue;
            }
            seen[static_cast<std::size_t>(k)] = true;
            members.push_back(k);
            for (Index j = 0; j < d_; ++j) {
                if (matrix_(k, j) != 0 || matrix_(j, k) != 0) {
                    open.push_back(j);
                }
            }
        }
        std::sort(members.begin(), members.end());
        return members;
    }

    void find_oscillations() {
        std::vector<bool> seen(static_cast<std::size_t>(d_), false);
        for (Index i = 0; i < d_ && why_not_.empty(); ++i) {
            if (seen[static_cast<std::size_t>(i)] || is_driven(i)) {
                continue;
            }
            const auto members = component(i, seen);
            for (const Index k : members) {
                if (is_driven(k)) {
                    why_not_ = fmt::format("the leading part of the rate of {} is not linear", name(k));
                    return;
                }
            }
            if (members.size() == 1) {
                add(name(i) + "_slow", unknown(i));
            } else {
                take_apart(members);
            }
        }
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

    void take_apart(const std::vector<Index>& members) {
        const auto m = static_cast<Index>(members.size());
        MatrixXd block = matrix_(members, members);
        const VectorXd scale = balanced(block);
        const auto [eigenvalues, eigenvectors] = eigenpairs(block.transpose());
        const double size = eigenvalues.cwiseAbs().maxCoeff();
        if (!(size > 0)) {
            why_not_ = fmt::format("the leading part of the rates of {} and what it is coupled with does not oscillate",
                                   name(members[0]));
            return;
        }
        if (eigenvalues.real().cwiseAbs().maxCoeff() > 1e-7 * size) {
            why_not_ = fmt::format(
                "the leading part of the rates of {} and what it is coupled with does not oscillate: eigenvalues with "
                "real parts up to {:.3g}",
                name(members[0]), eigenvalues.real().cwiseAbs().maxCoeff());
            return;
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
        if (found < m) {
            why_not_ = fmt::format(
                "the leading part of the rates of {} and what it is coupled with grows in time: its matrix has too few "
                "eigenvectors",
                name(members[0]));
        }
    }

    /// x_i' = c_i(x) . x_C + O(1) with slow c_i: x_i - c_i L_C^-1 x_C. Of a vibration by a phase: its antiderivative.
    void find_driven() {
        const auto m = static_cast<Index>(linear_.size());
        const MatrixXd block = matrix_(linear_, linear_);
        Eigen::FullPivLU<MatrixXd> lu;
        if (m > 0) {
            lu.compute(block);
        }
        if (!driven_.empty() && m > 0 && !lu.isInvertible()) {
            why_not_ = fmt::format("the leading part of the rate of {} is not linear", name(driven_[0]));
            return;
        }
        for (const Index i : driven_) {
            Node node = unknown(i);
            for (Index b = 0; b < m; ++b) {
                for (Index a = 0; a < m; ++a) {
                    const double inverse = lu.inverse()(a, b);
                    const Node c = rates_.partial(i, linear_[static_cast<std::size_t>(a)]);
                    if (std::abs(inverse) > 0 && !graph_.is_constant(c, 0)) {
                        if (!only_slow(c)) {
                            why_not_ = fmt::format("the leading part of the rate of {} is not linear", name(i));
                            return;
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
                    why_not_ = fmt::format("the vibration of {} by {} is not one sine with a slow amplitude", name(i),
                                           model_.phases[j].name);
                    return;
                }
                node = plus(node, times(1 / (*turns * *turns * model_.phases[j].frequency), by_phase));
            }
            add(name(i) + "_slow", node);
        }
    }
    /// Whether an expression depends on no fast unknown.
    bool only_slow(Node node) {
        for (const auto& partial : graph_.gradient(node)) {
            const auto i = unknown_of(model_, partial.symbol);
            if (i && (is_linear(static_cast<Index>(*i)) || is_driven(static_cast<Index>(*i)))) {
                return false;
            }
        }
        return true;
    }
    /// n where the second derivative by the phase is -n^2 times the function, at every point.
    std::optional<double> harmonic(Node node, std::size_t phase) {
        const std::uint32_t symbol = graph_[symbol_at(Place::Array::phase, phase)].symbol;
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

    void find_phases() {
        if (!model_.phases.empty()) {
            return relative_to_phase();
        }
        for (std::size_t j = 0; j < oscillators_.size(); ++j) {
            const auto& own = oscillators_[j];
            add("I_" + own.name, sum_of_products(own.z.re, own.z.re, own.z.im, own.z.im));
        }
        for (std::size_t j = 1; j < oscillators_.size() && why_not_.empty(); ++j) {
            relative_phase(oscillators_[0], oscillators_[j]);
        }
        if (oscillators_.empty() && why_not_.empty()) {
            why_not_ = "the leading part does not oscillate";
        }
    }

    struct Oscillator {
        double frequency;
        Complex z;
        std::string name;
    };

    void relative_phase(const Oscillator& first, const Oscillator& other) {
        for (int a = 1; a <= most_turns; ++a) {
            const double turns = a * first.frequency / other.frequency;
            const int b = static_cast<int>(std::round(turns));
            if (b >= 1 && b <= most_turns && std::abs(turns - b) < same * b) {
                const Complex p = power(first.z, a);
                const Complex q = power(other.z, b);
                const Node phi = sum_of_products(p.re, q.re, p.im, q.im);
                return add("phi_" + other.name, phi, difference_of_products(p.im, q.re, p.re, q.im));
            }
        }
        why_not_ = fmt::format(
            "the frequencies {:.6g} of {} and {:.6g} of {} are not commensurate: there is more than one fast phase",
            first.frequency, first.name, other.frequency, other.name);
    }

    void relative_to_phase() {
        const auto& phase = model_.phases[0];
        for (const auto& own : oscillators_) {
            const double turns = own.frequency / phase.frequency;
            if (model_.phases.size() > 1 || std::abs(turns - std::round(turns)) > same || turns < 0.5) {
                why_not_ = fmt::format("the frequency {:.6g} of {} is not a multiple of that of {}, {:.6g}",
                                       own.frequency, own.name, phase.name, phase.frequency);
                return;
            }
            const Node angle = times(std::round(turns), symbol_at(Place::Array::phase, 0));
            // z turns as e^(-i n theta)
            const Complex back{graph_.unary(Op::cos, angle), graph_.unary(Op::sin, angle)};
            const Complex z = times(own.z, back);
            add(own.name + "_cos", z.re);
            add(own.name + "_sin", z.im);
        }
    }

    Model& model_;
    Graph& graph_;
    Rates rates_;
    Index d_;
    Leading leading_;
    MatrixXd matrix_;  // L
    std::vector<Index> linear_, driven_;
    std::vector<Oscillator> oscillators_;
    std::vector<SlowVariable> variables_;
    std::string why_not_;
};

double small_of(const Model& model) {
    return std::ranges::find(model.parameters, *model.small, &Parameter::name)->value;
}

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
    // NOTE: what is leading depends on the values of parameters, and so does the form of what is found: it holds
    // numbers.
    Model numbers = folded(model);
    Model faster_numbers = folded(faster);
    const double factor = small_of(model) / small_of(faster);
    FoundSlow found = Finder(numbers, faster_numbers, factor).found();
    for (auto& variable : found.variables) {
        variable.node = model.graph.copies(numbers.graph, std::span(&variable.node, 1))[0];
        if (variable.alternative) {
            variable.alternative = model.graph.copies(numbers.graph, std::span(&*variable.alternative, 1))[0];
        }
    }
    return found;
}

}  // namespace lento::model
