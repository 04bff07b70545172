#include "method/harmonic_response.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lento {

Snapshot HarmonicResponse::operator()(const Snapshot& slow) const {
    const std::size_t n = field->dimension();
    const std::size_t unknowns = field->second_order() ? 2 * n : n;
    std::vector<double> response(unknowns);
    average->sweep(sweeps, slow.t, slow.position, slow.velocity);
    average->at_phase(average->response(), field->phase(slow.t), std::span(response).first(n),
                      std::span(response).subspan(n));
    std::vector<double> y = slow.position;
    if (field->second_order()) {
        y.insert(y.end(), slow.velocity.begin(), slow.velocity.end());
    }
    for (std::size_t i = 0; i < unknowns; ++i) {
        y[i] += response[i];
    }
    field->leave(slow.t, y);
    y.resize(unknowns + field->constraints());
    const std::span<double> all(y);
    field->multipliers(slow.t, all.first(unknowns), all.subspan(unknowns));
    Snapshot fast = slow;
    const auto velocity = y.begin() + static_cast<std::ptrdiff_t>(n);
    const auto multipliers = y.begin() + static_cast<std::ptrdiff_t>(unknowns);
    std::copy(y.begin(), velocity, fast.position.begin());
    std::copy(velocity, multipliers, fast.velocity.begin());
    fast.multipliers.assign(multipliers, y.end());
    fast.total_multipliers = fast.multipliers;
    return fast;
}

Settling mean_multipliers(const HarmonicResponse& response) {
    if (response.field->constraints() == 0 || !response.average) {
        return {};
    }
    return [response](double t, std::vector<double>& y) {
        const auto& [field, average, sweeps] = response;
        const std::size_t n = field->dimension();
        y.resize(2 * n);
        average->sweep(sweeps, t, std::span(y).first(n), std::span(y).last(n));
        for (int k = 0; k < 2; ++k) {
            y.insert(y.end(), field->mean_multipliers().begin(), field->mean_multipliers().end());
        }
    };
}

}  // namespace lento
