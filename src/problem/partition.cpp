#include "problem/partition.hpp"

#include <algorithm>
#include <array>

#include <Eigen/Core>

#include "base/number.hpp"

namespace lento {
namespace {

constexpr int probes = 3;

/// Exact in binary and as large as what it is added to: differences of linear rates are then exact to rounding.
double offset_at(double y, double scale) {
    return 0.375 * std::exp2(std::ceil(std::log2(std::max(scale, std::abs(y)))));
}

using Matrix = Eigen::MatrixXd;

/// Difference quotients of all rates by all variables near the start; none where rates are not finite.
std::optional<Matrix> quotients(const ProbedRate& rate, std::span<const double> start, std::span<const double> scales,
                                int probe) {
    const std::size_t d = start.size();
    const auto offset = [&](std::size_t i) { return offset_at(start[i], scales.empty() ? 1.0 : scales[i]); };
    std::vector<double> y(d);
    for (std::size_t i = 0; i < d; ++i) {
        y[i] = start[i] + offset(i) * (2 * golden_fraction(i, static_cast<std::size_t>(probe)) - 1);
    }
    Eigen::VectorXd here(static_cast<Eigen::Index>(d));
    Eigen::VectorXd there(static_cast<Eigen::Index>(d));
    const auto at = [&](Eigen::VectorXd& result) { rate(y, probe, {result.data(), d}); };
    at(here);
    Matrix matrix(here.size(), here.size());
    for (std::size_t j = 0; j < d; ++j) {
        const double kept = y[j];
        y[j] += offset(j);
        at(there);
        matrix.col(static_cast<Eigen::Index>(j)) = (there - here) / (y[j] - kept);
        y[j] = kept;
    }
    return matrix.allFinite() ? std::optional(std::move(matrix)) : std::nullopt;
}

class Colouring {
public:
    explicit Colouring(const std::array<Matrix, probes>& slopes)
        : slopes_(slopes), colour_(Eigen::VectorXi::Constant(slopes[0].rows(), none)) {
        for (Eigen::Index i = 0; i < size() && possible_; ++i) {
            if (colour_[i] == none) {
                component_.clear();
                spread(i, 0);
                name_component();
            }
        }
    }

    bool possible() const { return possible_; }
    Partition partition() const {
        Partition result;
        for (Eigen::Index i = 0; i < size(); ++i) {
            (is_position(i) ? result.positions : result.momenta).push_back(static_cast<std::size_t>(i));
            for (Eigen::Index j = 0; j < size() && is_position(i); ++j) {
                if (slopes_[0](i, j) != 0) {
                    result.coupling.push_back(
                        {static_cast<std::size_t>(i), static_cast<std::size_t>(j), slopes_[0](i, j)});
                }
            }
        }
        return result;
    }

private:
    static constexpr int none = -1;

    Eigen::Index size() const { return slopes_[0].rows(); }
    bool is_position(Eigen::Index i) const { return colour_[i] == 0; }
    bool depends(Eigen::Index i, Eigen::Index j) const {
        return std::ranges::any_of(slopes_, [&](const Matrix& slope) { return slope(i, j) != 0; });
    }

    /// Neighbours are of the other colour.
    void spread(Eigen::Index first, int colour) {
        std::vector<std::pair<Eigen::Index, int>> open{{first, colour}};
        while (!open.empty() && possible_) {
            const auto [i, own] = open.back();
            open.pop_back();
            if (colour_[i] != none) {
                possible_ = colour_[i] == own;
                continue;
            }
            colour_[i] = own;
            component_.push_back(i);
            possible_ = !depends(i, i);
            for (Eigen::Index j = 0; j < size(); ++j) {
                if (j != i && (depends(i, j) || depends(j, i))) {
                    open.emplace_back(j, 1 - own);
                }
            }
        }
    }

    /// Positions are those whose rates are linear: colour 0, or else 1.
    void name_component() {
        if (!possible_ || linear(0)) {
            return;
        }
        possible_ = linear(1);
        for (const auto i : component_) {
            colour_[i] = 1 - colour_[i];
        }
    }
    bool linear(int colour) const {
        constexpr double same = 1e-12;
        return std::ranges::all_of(component_, [&](Eigen::Index i) {
            const double size = slopes_[0].row(i).cwiseAbs().maxCoeff();
            const auto keeps = [&](const Matrix& slope) {
                return (slope.row(i) - slopes_[0].row(i)).cwiseAbs().maxCoeff() <= same * size;
            };
            return colour_[i] != colour || (size > 0 && std::ranges::all_of(slopes_, keeps));
        });
    }

    const std::array<Matrix, probes>& slopes_;
    Eigen::VectorXi colour_;
    std::vector<Eigen::Index> component_;
    bool possible_ = true;
};

}  // namespace

std::optional<Partition> partition_of(const ProbedRate& rate, std::span<const double> start,
                                      std::span<const double> scales) {
    std::array<Matrix, probes> slopes;
    for (int probe = 0; probe < probes; ++probe) {
        auto found = quotients(rate, start, scales, probe);
        if (!found) {
            return std::nullopt;
        }
        slopes[static_cast<std::size_t>(probe)] = std::move(*found);
    }
    const Colouring colouring(slopes);
    return colouring.possible() ? std::optional(colouring.partition()) : std::nullopt;
}

std::optional<Partition> partition_of(const Problem& problem, double t_start, In start) {
    if (problem.second_order) {
        Partition parts;
        for (std::size_t i = 0; i < problem.dimension(); ++i) {
            parts.positions.push_back(i);
            parts.momenta.push_back(problem.dimension() + i);
        }
        return parts;
    }
    return partition_of(
        [&](In y, int probe, Out rate) {
            constexpr double aside = 0.37;
            std::vector<double> theta;
            for (const auto& phase : problem.phases) {
                theta.push_back(phase.at(t_start) + aside * probe);
            }
            problem.forces.at(y.data(), nullptr, t_start + aside * probe, theta.data(), problem.parameters.data(),
                              rate.data());
        },
        start, problem.scales);
}

}  // namespace lento
