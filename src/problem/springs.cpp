#include "lento/problem/springs.hpp"

#include <algorithm>
#include <functional>

#include "lento/problem/problem.hpp"
#include "problem/normals.hpp"

namespace lento {
namespace {

struct SpringForce {
    Forces slow;
    std::shared_ptr<const Constraints> elongations;
    std::vector<double> strengths;
    std::size_t dimension;
    Normals normals;

    /// The force at x where the elongations are known better than their evaluation at x tells.
    void with_elongations(In g, const double* x, const double* v, double t, const double* theta,
                          const double* parameters, double* f) const {
        slow.at(x, v, t, theta, parameters, f);
        Scratch<double, 64> directions(normals.size());
        Scratch<double> tensions(g.size());
        normals.at(In(x, dimension), t, directions);
        std::ranges::transform(strengths, g, tensions.data(), std::multiplies<>());
        normals.pull_forces(directions.span(), tensions.span(), 1, Out(f, dimension));
    }

    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* parameters, double* f) {
        const auto& force = *static_cast<const SpringForce*>(self);
        Scratch<double, 64> g(force.strengths.size());
        force.elongations->values(In(x, force.dimension), t, g);
        force.with_elongations(g.span(), x, v, t, theta, parameters, f);
    }
};

SpringForce spring_force(const Problem& problem) {
    SpringForce force{problem.springs->slow,
                      problem.springs->measures,
                      {},
                      problem.dimension(),
                      Normals(problem.mass, problem.springs->measures)};
    for (const auto& entry : problem.springs->entries) {
        force.strengths.push_back(entry.strength);
    }
    return force;
}

/// Elongations are those at the centre plus their change, which keeps its digits (`base/increment.hpp`).
class CentredElongations final : public CentredForce {
public:
    explicit CentredElongations(const Problem& problem)
        : force_(spring_force(problem)),
          parameters_(problem.parameters),
          centre_(problem.dimension()),
          x_(problem.dimension()),
          at_centre_(force_.strengths.size()),
          values_(force_.strengths.size()) {}

    void centre(In x, double t) override {
        std::copy(x.begin(), x.end(), centre_.begin());
        t_ = t;
        force_.elongations->values(x, t, at_centre_);
    }
    void at(In d, In v, double s, In theta, Out f) override {
        measures(d, s, values_);
        for (std::size_t i = 0; i < d.size(); ++i) {
            x_[i] = centre_[i] + d[i];
        }
        force_.with_elongations(values_, x_.data(), v.data(), t_ + s, theta.data(), parameters_.data(), f.data());
    }
    void measures(In d, double s, Out values) override {
        force_.elongations->change(centre_, t_, d, s, values);
        for (std::size_t j = 0; j < values.size(); ++j) {
            values[j] = at_centre_[j] + values[j];
        }
    }

private:
    SpringForce force_;
    std::vector<double> parameters_;
    std::vector<double> centre_, x_;
    double t_ = 0;
    std::vector<double> at_centre_, values_;
};

}  // namespace

Problem beside_springs(Problem slow, std::vector<SpringEntry> entries, std::shared_ptr<const Constraints> elongations) {
    slow.springs = Springs{.entries = std::move(entries), .measures = std::move(elongations), .slow = slow.forces};
    slow.forces = Forces(std::make_shared<const SpringForce>(spring_force(slow)), &SpringForce::at, nullptr, {});
    return slow;
}

std::unique_ptr<CentredForce> centred_force(const Problem& problem) {
    return problem.springs->centred ? problem.springs->centred() : std::make_unique<CentredElongations>(problem);
}

Problem stiffened(const Problem& problem, double factor) {
    if (problem.springs->stiffened) {
        return problem.springs->stiffened(factor);
    }
    Problem slow = problem;
    slow.forces = problem.springs->slow;
    auto entries = problem.springs->entries;
    for (auto& entry : entries) {
        entry.frequency *= factor;
        entry.strength *= factor * factor;
    }
    return beside_springs(std::move(slow), std::move(entries), problem.springs->measures);
}

Problem relaxed(const Problem& problem, double frequency, const std::vector<double>& strengths) {
    if (problem.relaxed) {
        return problem.relaxed(frequency, strengths);
    }
    std::vector<SpringEntry> entries;
    for (std::size_t j = 0; j < strengths.size(); ++j) {
        entries.push_back({problem.constraints->names()[j], frequency, strengths[j], j, j + 1});
    }
    return beside_springs(problem.free(), std::move(entries), problem.constraints);
}

}  // namespace lento
