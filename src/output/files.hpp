/// Files are written whole or not at all: beside their place first, then renamed into it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "output/run_output.hpp"

namespace lento {

/// A file that is written beside its place, and moved there when it is whole. If it never is, nothing stays.
class NewFile {
public:
    explicit NewFile(const std::filesystem::path& place);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    /// Where it is written.
    const std::filesystem::path& part() const { return part_; }
    void write(const std::function<void(std::ostream&)>& content) const;
    void take_place() const;
    /// Throws Misuse.
    [[noreturn]] void fail(const std::string& why) const;

private:
    std::filesystem::path place_, part_;
};

/// Throws Misuse, with the reason, where the folder cannot be made or the file cannot be written.
void write_whole(const std::filesystem::path& path, std::string_view text);
void write_whole(const std::filesystem::path& path, const std::function<void(std::ostream&)>& content);
void write_hdf5(const std::filesystem::path& path, const RunOutput& output);
/// Also tries whether files can be made in it.
void make_folder(const std::filesystem::path& folder);

/// Throws Misuse unless the name ends with .svg or .png.
void require_plot_format(const std::filesystem::path& path);
/// A picture of some columns of the slow solution over time, one below the other, with the band of the vibration.
void write_plot(const std::filesystem::path& path, const RunOutput& output, const std::vector<std::size_t>& columns);

/// solution.csv, solution.h5, summary.json and report.html in `folder`.
void write_run(const std::filesystem::path& folder, const RunOutput& output);

}  // namespace lento
