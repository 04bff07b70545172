#include "lento/run/request.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {

Request checked(Request request, std::size_t dimension) {
    if (request.velocity.empty()) {
        request.velocity.assign(dimension, 0.0);
    }
    if (request.start.size() != dimension || request.velocity.size() != dimension) {
        throw Misuse(
            fmt::format("the system has {} coordinates; the request gives {} starting positions and {} velocities",
                        dimension, request.start.size(), request.velocity.size()));
    }
    if (first_not_finite(request.start) || first_not_finite(request.velocity)) {
        throw Misuse("a starting position or velocity is not a finite number");
    }
    if (!std::isfinite(request.t_start) || !std::isfinite(request.t_end) || !(request.t_end > request.t_start)) {
        throw Misuse(fmt::format("t_end is {} and t_start is {}; t_end must be later", request.t_end, request.t_start));
    }
    require_positive(request.rtol, "rtol");
    require_positive(request.atol, "atol");
    if (request.samples < 2) {
        throw Misuse(
            fmt::format("samples is {}; both ends of the run are samples, so at least 2 are needed", request.samples));
    }
    return request;
}

}  // namespace lento
