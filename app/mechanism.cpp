/// What can be drawn of a model: points of two coordinates each, and the rods and springs between them.
#include <algorithm>
#include <cmath>

#include "model/parts.hpp"
#include "model_run.hpp"

namespace lento::app {
namespace {

using model::Node;

constexpr std::size_t most_coordinates = 400;

class MechanismFinder {
public:
    explicit MechanismFinder(const model::Model& model) : model_(model), point_of_(model.coordinates.size()) {}

    std::optional<Mechanism> find() {
        if (!find_points()) {
            return {};
        }
        for (const auto& constraint : model_.constraints) {
            join(constraint.node, Mechanism::Link::Kind::rod);
        }
        for (const auto& spring : model_.springs) {
            if (spring.elongation) {
                join(*spring.elongation, Mechanism::Link::Kind::spring);
            }
        }
        return mechanism_;
    }

private:
    bool find_points() {
        const auto& coordinates = model_.coordinates;
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const auto& name = coordinates[i].name;
            for (std::size_t at = 0; at < name.size() && !point_of_[i]; ++at) {
                const auto partner = [&](char letter) {
                    std::string other = name;
                    other[at] = letter;
                    return static_cast<std::size_t>(std::ranges::find(coordinates, other, &model::Coordinate::name) -
                                                    coordinates.begin());
                };
                const auto y = partner('y');
                if (name[at] != 'x' || y == coordinates.size()) {
                    continue;
                }
                if (partner('z') < coordinates.size()) {
                    return false;
                }
                point_of_[i] = point_of_[y] = mechanism_.points.size();
                mechanism_.points.push_back({i, y});
            }
        }
        return !mechanism_.points.empty();
    }

    void join(Node node, Mechanism::Link::Kind kind) {
        std::vector<std::size_t> points;
        std::vector<model::Partial> slopes;
        for (const auto& partial : model_.graph.gradient(node)) {
            const auto& place = model_.places[partial.symbol];
            if (place.array != model::Place::Array::position) {
                continue;  // time
            }
            if (!point_of_[place.index]) {
                return;
            }
            slopes.push_back(partial);
            if (std::ranges::find(points, *point_of_[place.index]) == points.end()) {
                points.push_back(*point_of_[place.index]);
            }
        }
        if (points.size() == 2) {
            mechanism_.links.push_back({kind, points[0], points[1]});
        } else if (points.size() == 1 && slopes.size() == 2) {
            if (const auto place = centre(slopes, points[0])) {
                mechanism_.links.push_back({kind, *place, points[0]});
            }
        }
    }

    /// About which a constraint keeps its point: of r^2 - l^2 the gradient is 2 (x - c) and the second derivatives
    /// 2, 0, 2; of r - l the gradient has length one, and the second derivatives the trace 1/r and no determinant.
    std::optional<std::array<double, 2>> centre(const std::vector<model::Partial>& slopes, std::size_t point) {
        const auto second = [&](std::size_t a, std::size_t b) {
            return model_.graph.derivative(slopes[a].node, slopes[b].symbol);
        };
        const std::vector<Node> wanted{slopes[0].node, slopes[1].node, second(0, 0), second(0, 1), second(1, 1)};
        const auto value = model::values_at_start(model_, wanted);
        const double trace = value[2] + value[4];
        const double determinant = value[2] * value[4] - value[3] * value[3];
        const bool square = std::abs(determinant - trace * trace / 4) < 1e-6 * trace * trace;
        const bool length = std::abs(determinant) < 1e-6 * trace * trace;
        if (!(std::abs(trace) > 0) || !(square || length)) {
            return {};
        }
        const double factor = (square ? 2 : 1) / trace;
        std::array<double, 2> place{};
        for (std::size_t k = 0; k < 2; ++k) {
            const auto column = model_.places[slopes[k].symbol].index;
            const bool is_x = mechanism_.points[point][0] == column;
            place[is_x ? 0 : 1] = model_.coordinates[column].start - factor * value[k];
        }
        return std::isfinite(place[0]) && std::isfinite(place[1]) ? std::optional(place) : std::nullopt;
    }

    model::Model model_;  // its graph grows
    std::vector<std::optional<std::size_t>> point_of_;
    Mechanism mechanism_;
};

}  // namespace

std::optional<Mechanism> mechanism_of(const model::Model& model) {
    if (model.coordinates.empty() || model.coordinates.size() > most_coordinates) {
        return {};
    }
    return MechanismFinder(model).find();
}

}  // namespace lento::app
