/// The true frequencies of stiff springs at a position, from the eigenvalues of their part of the Hessian:
///
///     mu^2 = eigenvalues of K^(1/2) g' M^-1 g'^T K^(1/2),     K = diag(k_j)
///
/// Springs that pull on each other have frequencies far from their nominal ones: two in line 0.618 and 1.618 of it, a long straight chain
/// all from nearly zero up to twice it. A window has to cover the slowest, a micro-step to resolve the fastest.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "lento/problem/mass.hpp"
#include "lento/problem/sparse_pattern.hpp"
#include "lento/problem/stiff_system.hpp"

namespace lento {

struct SpringSpectrum {
    double slowest = 0;  ///< the lowest angular frequency, without those of springs that depend on others
    double fastest = 0;  ///< the highest
    std::optional<std::size_t>
        vanishing{};          ///< a row of g' that is zero or no number: that spring has no direction here
    bool independent = true;  ///< whether the rows of g' are
    bool known = true;        ///< false: too many dependent springs; the lowest frequency is the nominal one
};

SpringSpectrum spring_spectrum(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient,
                               std::span<const double> strengths);

/// Of a system at (x, t). Springs with a potential of another form count with the frequency they declare.
template <class Springs>
SpringSpectrum spring_spectrum(const StiffSystem<Springs>& system, std::span<const double> x, double t) {
    const auto& measures = system.springs().measures();
    std::vector<double> gradient(measures.pattern().entries());
    measures.gradient(x, t, gradient);
    std::vector<std::vector<std::size_t>> rows;
    std::vector<double> entries, strengths;
    std::vector<std::size_t> spring_of_row;
    SpringSpectrum declared;
    for (std::size_t j = 0; j < system.springs().entries().size(); ++j) {
        const auto& spring = system.springs().entries()[j];
        if (!spring.has_elongation) {
            declared.fastest = std::max(declared.fastest, spring.frequency);
            declared.slowest = declared.slowest == 0 ? spring.frequency : std::min(declared.slowest, spring.frequency);
            continue;
        }
        auto& row = rows.emplace_back();
        for (std::size_t e = measures.pattern().start(spring.first); e < measures.pattern().start(spring.first + 1);
             ++e) {
            row.push_back(measures.pattern().column(e));
            entries.push_back(gradient[e]);
        }
        strengths.push_back(spring.strength);
        spring_of_row.push_back(j);
    }
    if (rows.empty()) {
        return declared;
    }
    auto spectrum = spring_spectrum(SparsePattern(rows), system.mass(), entries, strengths);
    if (spectrum.vanishing) {
        spectrum.vanishing = spring_of_row[*spectrum.vanishing];
    }
    if (declared.fastest > 0) {
        spectrum.fastest = std::max(spectrum.fastest, declared.fastest);
        spectrum.slowest = std::min(spectrum.slowest, declared.slowest);
    }
    return spectrum;
}

}  // namespace lento
