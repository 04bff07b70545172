/// The even-odd mode of a leapfrog. Its points are x_n = s_n + (-1)^n d_n, s and d smooth: even steps hardly know of
/// odd ones, and where d grows, as it does along chaotic motions, the two drift apart.
///
///     D_n = 4^-4 sum_{j=-4}^{4} (-1)^j C(8, 4 + j) x_{n+j} = (-1)^n d_n (1 + O(H^2)) + (H/2)^8 s^(8)
///
/// x_n - D_n and x_{n+1} - D_{n+1} are a pair without the mode. The smooth part solves the leapfrog by itself, and
/// d = 0 stays 0: a run that is smoothed so every now and then loses O(H^8) of its reversibility, besides the
/// mode of its first step, O(H^3).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace lento {

/// Points that D_n needs on each side.
inline constexpr std::size_t even_odd_reach = 4;

/// D_n, n the middle one of 2 even_odd_reach + 1 points.
Eigen::VectorXd even_odd_mode(std::span<const Eigen::VectorXd> points);

/// Notices when the slow variables at even and at odd steps drift apart: differences of neighbours against those of
/// points of the same parity, which are those of a smooth motion.
class EvenOddWatch {
public:
    void see(double t, const Eigen::VectorXd& slow_variables);

    std::optional<double> parted() const { return parted_; }
    /// By how much of a slow variable's range at most.
    double gap() const { return gap_; }

private:
    std::vector<Eigen::VectorXd> recent_{};
    Eigen::VectorXd least_{}, greatest_{};
    int apart_ = 0;  // points in a row
    std::optional<double> parted_{};
    double gap_ = 0;
};

}  // namespace lento
