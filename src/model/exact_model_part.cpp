#include "model/exact_model_part.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lento/problem/exact_flow.hpp"

namespace lento::model {
namespace {

struct TimeFactor {
    std::optional<ModelFunction> function{};

    template <class S>
    S operator()(std::span<const S> y) const {
        S factor = 1;
        if (function) {
            function->operator()<S>(y, {}, S(0), {}, std::span(&factor, 1));
        }
        return factor;
    }
};

LinearFlow linear_part(const Model& model) {
    const std::size_t d = model.variables.size();
    Rows matrix(d, d);
    for (std::size_t i = 0; i < d; ++i) {
        const auto& variable = model.variables[i];
        if (!variable.exact) {
            continue;
        }
        // The parts are linear: their values at the unit vectors are the columns.
        const Evaluator part(model.graph, {*variable.exact});
        const auto inputs = parameter_values(model);
        const auto at = [&](std::size_t j) {
            std::vector<double> y(d, 0.0);
            if (j < d) {
                y[j] = 1;
            }
            double value = 0;
            part.operator()<double>(
                [&](std::size_t symbol) {
                    return value_at<double>(model.places[symbol], y, {}, 0.0, {}, inputs.data());
                },
                std::span(&value, 1));
            return value;
        };
        if (at(d) != 0) {
            model.source.fail(variable.mark, fmt::format("the exact part of the rate of {} must be linear; it is {} "
                                                         "where all variables are zero: leave that to the rate",
                                                         variable.name, at(d)));
        }
        for (std::size_t j = 0; j < d; ++j) {
            matrix(i, j) = at(j);
        }
    }
    return LinearFlow(std::move(matrix));
}

}  // namespace

ModelExactPart::ModelExactPart(const Model& model) {
    if (model.kepler && model.kepler->time_factor) {
        time_factor_.emplace(model, std::vector<Node>{*model.kepler->time_factor});
    }
}

std::shared_ptr<const ExactPart> ModelExactPart::with_values(const Model& model) const {
    if (!model.kepler) {
        return exact_part(linear_part(model));
    }
    const auto places = [&](const std::vector<std::string>& wanted) {
        std::vector<std::size_t> indices;
        for (const auto& name : wanted) {
            const auto found = std::find_if(model.variables.begin(), model.variables.end(),
                                            [&](const auto& variable) { return variable.name == name; });
            indices.push_back(static_cast<std::size_t>(found - model.variables.begin()));
        }
        return indices;
    };
    TimeFactor factor;
    if (time_factor_) {
        factor.function = time_factor_->with_inputs(input_values(model));
    }
    return exact_part(KeplerFlow<TimeFactor>(places(model.kepler->position), places(model.kepler->velocity),
                                             model.kepler->mu, std::move(factor)));
}

}  // namespace lento::model
