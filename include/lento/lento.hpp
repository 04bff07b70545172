/// Lento: the slow motion of mechanical systems that vibrate fast. One include for users.
#pragma once

#include <math.h>  // NOTE: forces written with plain sin and cos then work for every scalar type

#include "lento/base/derivative.hpp"
#include "lento/base/jet.hpp"
#include "lento/method/solve.hpp"
#include "lento/problem/constrained_system.hpp"
#include "lento/problem/slow_variables.hpp"
#include "lento/problem/stiff_system.hpp"
#include "lento/problem/vibrated_system.hpp"
