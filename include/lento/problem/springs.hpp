/// Stiff springs of a mechanical system:
///
///     M x'' = f(x, x', t) - sum_j k_j g_j(x, t) g_j'(x, t)^T,     k_j = omega_j^2      (stiff (1), slow-manifold (1))
///
/// g_j is the elongation of a spring, omega_j its frequency: nominal, since the true one also depends on masses and
/// gradients.
///
/// Methods look at a spring through its measures: functions of (x, t) whose smallness is that of the elongation. An
/// elongation is its own measure; a stiff potential U of another form has the components of U'/omega^2.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lento/problem/constraints.hpp"
#include "lento/problem/forces.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Problem;

/// What is known of one spring.
struct SpringEntry {
    std::string name;
    double frequency = 0;             ///< nominal
    double strength = 0;              ///< k
    std::size_t first = 0, last = 0;  ///< its measures, the last one excluded
    bool has_elongation = true;       ///< else it is a potential of another form

    /// From the values of all measures: the elongation, or |U'|/omega^2.
    double elongation(In measures) const {
        if (has_elongation) {
            return measures[first];
        }
        double square = 0;
        for (std::size_t m = first; m < last; ++m) {
            square += measures[m] * measures[m];
        }
        return std::sqrt(square);
    }
};

/// All forces near a centre, as a function of the move d from it and of the time s since: what rounding adds to the
/// force of springs is then of the size k |d| 1e-16, where the plain force has k |x| 1e-16. Divided, like all forces,
/// by masses that vary. One caller has one.
class CentredForce {
public:
    virtual ~CentredForce() = default;
    virtual void centre(In x, double t) = 0;
    virtual void at(In d, In v, double s, In theta, Out f) = 0;
    /// The measures of all springs at a move from the centre.
    virtual void measures(In d, double s, Out values) = 0;
};

struct Springs {
    std::vector<SpringEntry> entries{};
    std::shared_ptr<const Constraints> measures{};
    Forces slow{};  ///< the forces beside the springs

    /// Where springs know their forces near a centre, or at other frequencies, better than by their elongations.
    std::function<std::unique_ptr<CentredForce>()> centred{};
    std::function<Problem(double factor)> stiffened{};
};

/// Springs that are given by their elongations beside the forces of a problem.
Problem beside_springs(Problem slow, std::vector<SpringEntry> entries, std::shared_ptr<const Constraints> elongations);

/// The forces of a problem with springs near a centre.
std::unique_ptr<CentredForce> centred_force(const Problem& problem);

/// The same problem with all springs stiffer: their frequencies times `factor`.
Problem stiffened(const Problem& problem, double factor);

/// Springs of stiffness strengths[j] and that nominal frequency in place of rigid constraints: g(x, t) = 0 becomes the
/// potential 1/2 k g^2. As k grows, slow motions of the springs approach those of the constraints with O(1/k), and k g
/// the multipliers (slow-manifold (4), section 6.5). A problem may know a better form of itself; else springs that it
/// has already become part of its slow force.
Problem relaxed(const Problem& problem, double frequency, const std::vector<double>& strengths);

}  // namespace lento
