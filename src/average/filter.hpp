/// Filters: even weight functions K on [-1, 1] with unit mass that average a fast signal away and keep a slow one.
///
///     F = int K(xi) a(t + xi eta/2) d xi,     eta the whole width of the window      (vibrated (2.11), (2.15))
///
/// | name          | K up to its mass                             | mu | nu   | source                          |
/// |---------------|----------------------------------------------|----|------|---------------------------------|
/// | `exponential` | exp(5 / (xi^2 - 1))                          | 1  | inf  | vibrated (2.13)                 |
/// | `gentle`      | exp(5/4 / (xi^2 - 1))                        | 1  | inf  | reversible (2.9), sign mended   |
/// | `cubic`       | piecewise cubic, 1/2 a joint                 | 3  | 2    | slow-manifold, section 5.2      |
/// | `cosP`        | cos(pi xi / 2)^P, P even (`cos4`, `cos8`...) | 1  | P+1  | trigonometric polynomial        |
/// | `flatP`       | that times 1 + c cos(pi xi) (`flat4`...)     | 3  | P+1  | c such that int K xi^2 vanishes |
/// | `period`      | 1, over exactly one period                   | 1  | 1    | vibrated (2.16)                 |
///
/// mu is the number of vanishing moments: a slow signal is reproduced up to bias * (eta/2)^(mu+1). nu is the decay: a
/// pure tone is damped as n^-nu over n periods (slow-manifold, lemma 3.2, item 2). A cosP filter over more than P/2
/// periods, a whole number of them, lets nothing of the tone or its harmonics through; nor does `period`, nor flatP
/// over more than P/2 + 1. Over 6 periods or more flat4 lets at most 5e-4 of any tone through, cubic up to 3e-2, with
/// twice the bias.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lento {

class Filter {
public:
    /// By name; throws Misuse, with the names there are, for any other.
    explicit Filter(std::string_view name);

    const std::string& name() const { return name_; }
    bool is_one_period() const { return shape_ == Shape::period; }

    /// The whole width of the window, in periods, used where none is given.
    double usual_periods() const;

    /// K(xi), not normalised.
    double shape(double xi) const;

    /// int K xi^k d xi / int K d xi.
    double moment(int k) const;

    /// The number of vanishing moments, found from the moments themselves.
    int vanishing_moments() const;

    /// The decay exponent nu; infinity for the exponential filter.
    double smoothness() const;

    /// What a slow signal's (mu+1)st derivative adds: moment(mu+1) / (mu+1)!, in units of (eta/2)^(mu+1).
    double bias() const;

    /// The share of a pure tone cos(2 pi t / T) that comes through a window of n periods T, with its sign.
    double leakage(double periods) const;

private:
    enum class Shape { exponential, gentle, cubic, cosine, flat, period };

    double raised_cosine(double xi) const;
    /// int K f d xi / int K d xi of an even f with so many oscillations, by quadrature.
    double mean(const std::function<double(double)>& f, double oscillations) const;

    std::string name_;
    Shape shape_;
    int power_ = 0;    // of the cosine
    double wave_ = 0;  // of a flat filter
};

/// The weights of a filter on a grid: w_0 at the middle, w_k at the k-th point on each side, w_0 + 2 sum w_k = 1.
class FilterWeights {
public:
    /// M points on each side of the middle, weights K(k/M) normalised by their sum; the one-period filter is the
    /// trapezoidal rule.
    FilterWeights(const Filter& filter, std::size_t each_side);

    /// For windows whose half is no whole number of steps: weights K(k/half) at all k up to it.
    static FilterWeights over(const Filter& filter, double half);

    std::size_t each_side() const { return weights_.size() - 1; }
    double operator[](std::size_t k) const { return weights_[k]; }
    std::span<const double> all() const { return weights_; }

    /// The share of the tone cos(2 pi k / steps_per_period) that these weights let through: the leakage as it really
    /// is, quadrature included.
    double leakage(double steps_per_period) const;

private:
    FilterWeights(const Filter& filter, std::size_t each_side, double half);

    std::vector<double> weights_;
};

}  // namespace lento
