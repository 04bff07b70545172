#include "problem/spring_spectrum.hpp"

#include <iterator>
#include <numeric>

#include "base/eigenvalues.hpp"
#include "base/number.hpp"
#include "problem/normal_matrix.hpp"

namespace lento {
namespace {

/// The rows of K^(1/2) g', and products with the matrix they make.
class ScaledRows {
public:
    ScaledRows(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient,
               std::span<const double> strengths)
        : pattern_(pattern), mass_(mass), entries_(gradient.begin(), gradient.end()) {
        for (std::size_t j = 0; j < strengths.size(); ++j) {
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                entries_[e] *= std::sqrt(strengths[j]);
            }
        }
    }

    const std::vector<double>& entries() const { return entries_; }

    std::optional<std::size_t> row_without_direction() const {
        for (std::size_t j = 0; j < pattern_.rows(); ++j) {
            const auto row = std::span(entries_).subspan(pattern_.start(j), pattern_.row(j).size());
            const double size = largest(row);
            if (size == 0 || !std::isfinite(size)) {
                return j;
            }
        }
        return {};
    }

    /// K^(1/2) g' M^-1 g'^T K^(1/2) x
    std::vector<double> product(const std::vector<double>& x) const {
        std::vector<double> pull(mass_.dimension()), scratch(mass_.dimension()), y(x.size());
        pattern_.add_transposed(entries_, x, pull);
        mass_.to_acceleration(std::span<double>(pull), std::span<double>(scratch));
        for (std::size_t j = 0; j < x.size(); ++j) {
            for (std::size_t e = pattern_.start(j); e < pattern_.start(j + 1); ++e) {
                y[j] += entries_[e] * pull[pattern_.column(e)];
            }
        }
        return y;
    }

private:
    const SparsePattern& pattern_;
    const Mass& mass_;
    std::vector<double> entries_;
};

SpringSpectrum of_few(const ScaledRows& rows, std::size_t count) {
    Eigen::MatrixXd matrix(count, count);
    for (std::size_t j = 0; j < count; ++j) {
        std::vector<double> unit(count);
        unit[j] = 1;
        const auto column = rows.product(unit);
        matrix.col(static_cast<Eigen::Index>(j)) =
            Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(count));
    }
    const Eigen::VectorXd squares = symmetric_eigenvalues(matrix);
    SpringSpectrum spectrum{.fastest = std::sqrt(squares.maxCoeff())};
    for (const double square : squares) {  // ascending
        if (square > 1e-12 * squares.maxCoeff()) {
            spectrum.slowest = std::sqrt(square);
            break;
        }
        spectrum.independent = false;
    }
    return spectrum;
}

/// The growth of a vector under repeated `apply`, which is that of the leading eigenvector.
template <class Apply>
double leading_eigenvalue(std::size_t count, int iterations, Apply&& apply) {
    std::vector<double> x(count);
    for (std::size_t j = 0; j < count; ++j) {
        x[j] = std::sin(1.0 + 2.3 * static_cast<double>(j));
    }
    double growth = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
        x = apply(x);
        growth = std::sqrt(product(x, x));
        for (double& component : x) {
            component /= growth;
        }
    }
    return growth;
}

SpringSpectrum of_many(const ScaledRows& rows, const SparsePattern& pattern, const Mass& mass,
                       std::span<const double> strengths) {
    constexpr int iterations = 60;  // a few percent: the spectrum changes along the motion anyway
    const std::size_t count = strengths.size();
    SpringSpectrum spectrum;
    spectrum.fastest = std::sqrt(leading_eigenvalue(count, iterations, [&](const auto& x) { return rows.product(x); }));
    NormalMatrix matrix(pattern, mass);
    spectrum.independent = matrix.factorise(rows.entries());
    if (!spectrum.independent) {
        // NOTE: the lowest of the others no factorisation tells; a thousand springs take some seconds without.
        constexpr std::size_t bearable = 1000;
        if (count <= bearable) {
            return of_few(rows, count);
        }
        spectrum.slowest = std::sqrt(*std::min_element(strengths.begin(), strengths.end()));
        spectrum.known = false;
        return spectrum;
    }
    spectrum.slowest = 1 / std::sqrt(leading_eigenvalue(count, iterations, [&](std::vector<double> x) {
                           matrix.solve(x);
                           return x;
                       }));
    return spectrum;
}

SpringSpectrum of_elongations(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient,
                              std::span<const double> strengths) {
    constexpr std::size_t few = 100;
    const ScaledRows rows(pattern, mass, gradient, strengths);
    if (const auto vanishing = rows.row_without_direction()) {
        return {.vanishing = vanishing, .independent = false};
    }
    return strengths.size() <= few ? of_few(rows, strengths.size()) : of_many(rows, pattern, mass, strengths);
}

}  // namespace

SpringSpectrum spring_spectrum(const Problem& problem, In x, double t) {
    const auto& measures = *problem.springs->measures;
    std::vector<double> gradient(measures.pattern().entries());
    measures.gradient(x, t, gradient);
    std::vector<std::vector<std::size_t>> rows;
    std::vector<double> entries, strengths;
    std::vector<std::size_t> spring_of_row;
    SpringSpectrum declared;
    for (std::size_t j = 0; j < problem.springs->entries.size(); ++j) {
        const auto& spring = problem.springs->entries[j];
        if (!spring.has_elongation) {
            declared.fastest = std::max(declared.fastest, spring.frequency);
            declared.slowest = declared.slowest == 0 ? spring.frequency : std::min(declared.slowest, spring.frequency);
            continue;
        }
        const auto row = measures.pattern().row(spring.first);
        rows.emplace_back(row.begin(), row.end());
        const auto first = gradient.begin() + static_cast<std::ptrdiff_t>(measures.pattern().start(spring.first));
        entries.insert(entries.end(), first, first + std::ssize(row));
        strengths.push_back(spring.strength);
        spring_of_row.push_back(j);
    }
    if (rows.empty()) {
        return declared;
    }
    auto spectrum = of_elongations(SparsePattern(rows), problem.mass.at(x, t), entries, strengths);
    if (spectrum.vanishing) {
        spectrum.vanishing = spring_of_row[*spectrum.vanishing];
    }
    if (declared.fastest > 0) {
        spectrum.fastest = std::max(spectrum.fastest, declared.fastest);
        spectrum.slowest = std::min(spectrum.slowest, declared.slowest);
    }
    return spectrum;
}

double spring_energy(const Problem& problem, double t, In x, In v) {
    const auto& measures = *problem.springs->measures;
    std::vector<double> g(measures.count()), dg(measures.count());
    measures.values(x, t, g);
    measures.rates(x, v, t, Clock::running, dg);
    double energy = 0;
    for (const auto& spring : problem.springs->entries) {
        for (std::size_t m = spring.first; m < spring.last; ++m) {
            energy += spring.strength / 2 * (g[m] * g[m] + std::pow(dg[m] / spring.frequency, 2));
        }
    }
    return energy;
}

double kinetic_energy(const Problem& problem, double t, In x, In v) {
    const auto momentum = problem.mass.at(x, t).times(v);
    return product(v, momentum) / 2;
}

}  // namespace lento
