/// The normal modes of stiff springs at a point, and how they change as the point moves. Of constant masses, with
/// K = diag(k_j),
///
///     mu_j^2, u_j     eigenvalues and eigenvectors of K^(1/2) g' M^-1 g'^T K^(1/2)
///     e_j = K^(1/2) u_j / mu_j,     n_j = M^-1 g'^T e_j,     n_j^T M n_k = 1 where j = k, else 0
///     q_jk = sum_i e_ki g_i''[n_j, .]
///
/// A move sum_j b_j n_j costs the energy 1/2 sum_j mu_j^2 b_j^2. Along a motion with velocity v frequencies change and
/// modes turn by
///
///     (ln mu_j)' = q_jj v,     n_j^T M n_k' = (mu_k^2 q_jk + mu_j^2 q_kj) v / (mu_k^2 - mu_j^2)
///
/// and the part of third order of the springs' energy is 1/2 sum_jkl mu_j^2 q_kj[n_l] b_j b_k b_l.
#pragma once

#include "lento/problem/problem.hpp"

namespace lento {

class SpringModes {
public:
    /// NOTE: all springs have elongations that take series; masses are constant.
    explicit SpringModes(const Problem& problem);

    /// Finds them at x. False where springs depend on each other, or something is not a finite number.
    [[nodiscard]] bool at(double t, In x);

    std::size_t count() const { return strengths_.size(); }
    /// mu_j, ascending.
    double frequency(std::size_t j) const { return frequencies_[j]; }
    /// n_j and q_jk.
    In shape(std::size_t j) const { return std::span(shapes_).subspan(j * dimension_, dimension_); }
    In bend(std::size_t j, std::size_t k) const {
        return std::span(bends_).subspan((j * count() + k) * dimension_, dimension_);
    }
    /// n_j^T M n_k' along v; zero where j = k.
    double turning(std::size_t j, std::size_t k, In v) const;
    /// n_j^T M y.
    double component(std::size_t j, In y) const;
    /// M^-1 y without what springs feel of it, for a force y.
    std::vector<double> tangential(In y) const;

private:
    const Constraints* measures_;
    Mass mass_;
    std::size_t dimension_;
    std::vector<double> strengths_;
    std::vector<double> frequencies_, shapes_, bends_;
    std::vector<double> weights_;  // e_j, one after the other
    std::vector<double> gradient_;
    std::vector<Taylor> positions_, entries_;
};

}  // namespace lento
