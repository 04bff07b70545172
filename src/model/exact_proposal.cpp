#include "model/exact_proposal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/eigenvalues.hpp"
#include "model/derive.hpp"
#include "model/parts.hpp"

namespace lento::model {
namespace {

bool oscillates(const Eigen::MatrixXd& matrix) {
    constexpr double hardly = 0.1;
    double frequency = 0;
    double growth = 0;
    for (const auto& value : eigenvalues(matrix)) {
        frequency = std::max(frequency, std::abs(value.imag()));
        growth = std::max(growth, std::abs(value.real()));
    }
    return frequency > 0 && !(growth > hardly * frequency);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> exact_proposal(Model model) {
    if (!model.is_first_order() || has_exact_part(model)) {
        return {};
    }
    const Eigen::MatrixXd matrix = linear_terms(model);
    if (!oscillates(matrix)) {
        return {};
    }
    std::vector<std::pair<std::string, std::string>> parts;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
        std::string part;
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
            if (const double factor = matrix(i, j); factor != 0) {
                const auto& name = model.variables[static_cast<std::size_t>(j)].name;
                const std::string size = std::abs(factor) == 1 ? name : fmt::format("{}*{}", std::abs(factor), name);
                part += part.empty() ? (factor < 0 ? "-" : "") + size : (factor < 0 ? " - " : " + ") + size;
            }
        }
        if (!part.empty()) {
            parts.emplace_back(model.variables[static_cast<std::size_t>(i)].name, part);
        }
    }
    return parts;
}

}  // namespace lento::model
