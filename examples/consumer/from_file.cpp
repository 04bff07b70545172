// from_file MODEL [NAME=VALUE...]: runs a model as `lento run MODEL --set NAME=VALUE` would.
#include <cstdio>
#include <string>
#include <vector>

#include <lento/model/model.hpp>

int main(int argc, char** argv) {
    try {
        std::vector<lento::Model::Assignment> parameters;
        for (int k = 2; k < argc; ++k) {
            const std::string text = argv[k];
            const auto equals = text.find('=');
            parameters.push_back({text.substr(0, equals), text.substr(equals + 1)});
        }
        const auto model = lento::Model::from_file(argc > 1 ? argv[1] : "", parameters);
        const auto request = model.request();
        const auto solution = model.solve(request);

        const auto& end = solution.final_state();
        const auto row = model.slow_row(end, solution.record(), request.t_start);
        std::printf("%s: %s at t = %g %s\n", model.title().c_str(), lento::name_of(solution.outcome()).data(), end.t,
                    solution.explanation().c_str());
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::printf("  %s = %.6f\n", model.columns()[i].c_str(), row[i]);
        }
        return solution.outcome() == lento::Outcome::completed ? 0 : 1;
    } catch (const lento::Misuse& misuse) {  // with file, line and column
        std::fprintf(stderr, "%s\n", misuse.what());
        return 2;
    }
}
