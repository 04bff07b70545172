/// `lento-bench-reading MODEL`: what reading a model takes, and making it a problem whose forces and constraints have
/// been evaluated once. Prints the seconds of the processor for both.
#include <cstdio>
#include <ctime>
#include <vector>

#include "lento/lento.hpp"
#include "lento/model/model.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: lento-bench-reading MODEL\n", stderr);
        return 2;
    }
    const auto seconds = [began = std::clock()] { return static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC; };
    const auto model = lento::Model::from_file(argv[1]);
    const double read = seconds();
    const auto problem = model.problem();
    const auto request = model.request();
    const std::vector<double> v(problem.dimension(), 0.1), theta(problem.phases.size(), 0.2);
    std::vector<double> f(problem.dimension());
    problem.forces.at(request.start.data(), v.data(), 0, theta.data(), problem.parameters.data(), f.data());
    if (problem.constraints) {
        std::vector<double> values(problem.constraints->count()), entries(problem.constraints->pattern().entries());
        problem.constraints->values(request.start, 0, values);
        problem.constraints->gradient(request.start, 0, entries);
        problem.constraints->curvature(request.start, v, 0, lento::Clock::running, values);
    }
    std::printf("%.6f %.6f\n", read, seconds());
}
