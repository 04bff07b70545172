/// What `lento reproduce` writes: a page a table or figure, an index of them, pictures as files of their own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reproduction.hpp"

namespace lento::app {

/// One line of an index.
struct Entry {
    const papers::Reproduction* reproduction;
    std::string judged_by;  ///< Result::judged_by
    std::size_t judged = 0, agreeing = 0;
    std::size_t refuted = 0;  ///< printed figures and sentences that do not hold, each with an erratum
    double seconds = 0;
    bool agrees = false;
};
/// What it agrees or disagrees with: "print", "print but for 2 errata", ...
std::string compared_with(const Entry& entry);
/// "2 of 2 agree with print but for 1 erratum", or how many of them with print.
std::string summary(const std::vector<Entry>& entries);

/// "agrees", "disagrees", "not judged", or nothing where there is nothing to compare with.
std::string verdict_of(const papers::Row& row);

/// Counts as whole numbers, everything else with four digits.
std::string figure_text(double value);

/// FOLDER/paper-figure-1.html, .svg (with -2, -3, ... for more pictures) and .json: the line of the index, returned.
Entry write_page(const std::filesystem::path& folder, const papers::Reproduction& reproduction,
                 const papers::Result& result, double seconds);
/// FOLDER/index.html, of all pages that are in the folder.
void write_index(const std::filesystem::path& folder);

}  // namespace lento::app
