#include <cstdio>

#include <lento/lento.hpp>
#include <lento/model/model.hpp>
#include <lento/model/system.hpp>

int main() {
    const auto model = lento::model::read_model({"pendulum", R"toml(
lento = 1
[parameters]
omega = 1e6
[coordinates]
q = { start = 0.5 }
[forces]
q = "(9.8 + 4*omega*cos(theta))/0.2 * sin(q)"
[vibration.theta]
frequency = "omega"
)toml"});
    const auto system = lento::model::second_order_system(model);
    const auto solution = lento::solve(system, {.start = lento::model::start_of(model), .t_end = 1});
    std::printf("q(1) = %.6f, %s\n", solution.slow(1).position[0], lento::name_of(solution.outcome()).data());
}
