/// Slow variables found for the user, where the leading part of the fast motion is linear and oscillates:
///
///     x' = L x + g(x),     L = O(1/eps) constant, with eigenvalues 0 and +-i omega_j,     m_j omega_j all the same
///
/// With z_j = w_j . x, w_j left eigenvectors (z_j' = -i omega_j z_j + O(1)), slow are
///
///     |z_j|^2                            the amplitudes
///     Re, Im of z_1^(m_1) conj(z_j)^(m_j)    the relative phases, each a chart where the other is not
///     w . x with w L = 0                 slow combinations
///     x_i - c_i(x) L^-1 x                where the leading part of x_i' is c_i(x) x, c_i a function of slow unknowns
///
/// Where a phase theta is declared the oscillations are taken relative to it: Re and Im of z_j e^(i n theta), and
/// x_i + (1/(n^2 omega)) d(x_i', theta) where the leading part of x_i' is a vibration of the phase alone.
///
/// What is leading is seen from the same model with a smaller `small`. Nothing here is trusted before its rates have
/// been measured.
#pragma once

#include <string>
#include <vector>

#include "model/parsed_model.hpp"

namespace lento::model {

struct FoundSlow {
    std::vector<SlowVariable> variables{};
    std::string why_not{};  ///< a sentence, if none were found
};

/// `faster` is the same model with a parameter made smaller. What is found are nodes of the graph of `model`, with
/// numbers in place of parameters: other values need another search.
FoundSlow find_slow(Model& model, const Model& faster);

}  // namespace lento::model
