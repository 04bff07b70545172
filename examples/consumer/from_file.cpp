// from_file MODEL [NAME=VALUE...]: runs a model with coordinates, as `lento run MODEL --set NAME=VALUE` would.
#include <cstdio>
#include <string>
#include <vector>

#include <lento/lento.hpp>
#include <lento/model/model.hpp>
#include <lento/model/system.hpp>

int main(int argc, char** argv) {
    try {
        std::vector<lento::model::Override> parameters;
        for (int k = 2; k < argc; ++k) {
            const std::string text = argv[k];
            const auto equals = text.find('=');
            parameters.push_back({text.substr(0, equals), text.substr(equals + 1)});
        }
        const auto model = lento::model::read_model(lento::model::Source::file(argc > 1 ? argv[1] : ""), parameters);
        const auto solution =
            lento::solve(lento::model::second_order_system(model), {.start = lento::model::start_of(model),
                                                                    .velocity = lento::model::velocity_of(model),
                                                                    .t_start = model.run.t_start,
                                                                    .t_end = model.run.t_end.value_or(1),
                                                                    .method = model.run.method,
                                                                    .rtol = model.run.rtol,
                                                                    .atol = model.run.atol});

        const auto& end = solution.final_state();
        std::vector<lento::model::Node> observed;
        for (const auto& expression : model.observed) {
            observed.push_back(expression.node);
        }
        std::vector<double> theta, values(observed.size());
        for (const auto& phase : model.phases) {
            theta.push_back(phase.at(end.t));
        }
        lento::model::ModelFunction(model, observed)
            .
            operator()<double>(end.position, end.velocity, end.t, theta, values);
        std::printf("%s: %s at t = %g %s\n", model.title.c_str(), lento::name_of(solution.outcome()).data(), end.t,
                    solution.explanation().c_str());
        for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
            std::printf("  %s = %.6f\n", model.coordinates[i].name.c_str(), end.position[i]);
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::printf("  %s = %.6f\n", model.observed[i].name.c_str(), values[i]);
        }
        return solution.outcome() == lento::Outcome::completed ? 0 : 1;
    } catch (const lento::Misuse& misuse) {  // ModelError, with file, line and column, is one
        std::fprintf(stderr, "%s\n", misuse.what());
        return 2;
    }
}
