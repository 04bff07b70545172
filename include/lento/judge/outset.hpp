/// A run as judges see it: where it starts, how long it lasts, how exact it is to be.
#pragma once

#include "lento/problem/forces.hpp"

namespace [[gnu::visibility("default")]] lento {

struct Outset {
    In start, velocity;
    double t_start = 0, t_end = 0;
    double rtol = 0, atol = 0;

    double length() const { return t_end - t_start; }
};

}  // namespace lento
