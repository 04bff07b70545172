/// What `lento reproduce` writes: a page a table or figure, an index of them, pictures as files of their own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reproduction.hpp"

namespace lento::app {

struct Reproduced {
    const papers::Reproduction* reproduction;
    papers::Result result;
    double seconds = 0;

    /// Judged figures and claims, and how many of them agree.
    std::size_t judged() const;
    std::size_t agreeing() const;
    const char* verdict() const { return result.agrees() ? "agrees" : "DISAGREES"; }
};

/// Counts as whole numbers, everything else with four digits.
std::string figure_text(double value);

/// FOLDER/paper-figure-1.html and paper-figure-1.svg, with -2, -3, ... for more pictures.
void write_page(const std::filesystem::path& folder, const Reproduced& reproduced);
/// FOLDER/index.html
void write_index(const std::filesystem::path& folder, const std::vector<Reproduced>& all);

}  // namespace lento::app
