/// Harmonic averages of systems with a periodic flow, those of the paper stroboscopic, beside the figures of the first
/// prototype.
#pragma once

#include <vector>

#include "reproduction.hpp"

namespace lento::papers {

std::vector<Reproduction> harmonic_flows();

}  // namespace lento::papers
