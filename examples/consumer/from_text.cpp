#include <cstdio>

#include <lento/model/model.hpp>

int main() {
    const auto pendulum = lento::Model::from_text(R"toml(
lento = 1
[parameters]
omega = 1e6
[coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4*omega*cos(theta))/0.2 * sin(q)"
[vibration.theta]
frequency = "omega"
[run]
t_end = 1
)toml");
    for (const double omega : {1e4, 1e6, 1e8}) {  // compiled once
        const auto solution = pendulum.with({{"omega", omega}}).solve();
        std::printf("q(1) = %.6f, %s\n", solution.slow(1).position[0], lento::name_of(solution.outcome()).data());
    }
}
