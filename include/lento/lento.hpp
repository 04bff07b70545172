/// Lento: the slow motion of mechanical systems that vibrate fast. One include for users.
#pragma once

#include <math.h>  // NOTE: forces written with plain sin and cos then work for every scalar type

#include "lento/base/jet.hpp"
#include "lento/base/misuse.hpp"
#include "lento/problem/exact_flow.hpp"
#include "lento/problem/systems.hpp"
#include "lento/run/solve.hpp"
