#include "output/files.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Takes away what runs left that were killed while they wrote: NAME.PID.part without such a process.
void remove_parts_of_dead_runs(const std::filesystem::path& folder) {
    constexpr std::string_view ending = ".part";
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.ends_with(ending)) {
            continue;
        }
        const auto dot = name.rfind('.', name.size() - ending.size() - 1);
        const char* digits = name.data() + (dot == std::string::npos ? 0 : dot + 1);
        const char* end = name.data() + name.size() - ending.size();
        pid_t process = 0;
        const auto [parsed, failure] = std::from_chars(digits, end, process);
        if (dot == std::string::npos || failure != std::errc() || parsed != end || process <= 0) {
            continue;
        }
        if (kill(process, 0) == -1 && errno == ESRCH) {
            std::error_code ignored;
            std::filesystem::remove(entry.path(), ignored);
        }
    }
}

}  // namespace

/// NOTE: two runs into one folder do not meet there.
NewFile::NewFile(const std::filesystem::path& place) : place_(place), part_(place) {
    part_ += fmt::format(".{}.part", getpid());
}

NewFile::~NewFile() {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(part_, ignored)) {
        std::filesystem::remove(part_, ignored);
    }
}

void NewFile::write(const std::function<void(std::ostream&)>& content) const {
    errno = 0;
    std::ofstream file(part_, std::ios::binary);
    content(file);
    file.close();
    if (!file) {
        fail(errno != 0 ? std::strerror(errno) : "the disk may be full");
    }
}

void NewFile::take_place() const {
    std::error_code error;
    std::filesystem::rename(part_, place_, error);
    if (error) {
        fail(error.message());
    }
}

void NewFile::fail(const std::string& why) const {
    throw Misuse(fmt::format("cannot write {}: {}; choose another folder with -o DIR", place_.string(), why));
}

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder)) {
        throw Misuse(fmt::format("cannot make the folder {}: {}", folder.string(),
                                 error ? error.message() : "a file is in its place"));
    }
    NewFile(folder / "summary.json").write([](std::ostream&) {});
    remove_parts_of_dead_runs(folder);
}

void write_whole(const std::filesystem::path& path, const std::function<void(std::ostream&)>& content) {
    const NewFile file(path);
    file.write(content);
    file.take_place();
}

void write_whole(const std::filesystem::path& path, std::string_view text) {
    write_whole(path, [=](std::ostream& file) { file.write(text.data(), static_cast<std::streamsize>(text.size())); });
}

void write_run(const std::filesystem::path& folder, const RunOutput& output) {
    make_folder(folder);
    // What an earlier run left and this one does not write would be taken for part of it.
    for (const auto& [name, series] : {std::pair("fast.csv", &output.fast), std::pair("error.csv", &output.errors)}) {
        std::error_code ignored;
        std::filesystem::remove(folder / name, ignored);
        if (*series) {
            write_whole(folder / name, [&found = **series](std::ostream& file) { write_csv(file, found); });
        }
    }
    write_whole(folder / "solution.csv", [&](std::ostream& file) { write_csv(file, output.slow); });
    write_hdf5(folder / "solution.h5", output);
    write_whole(folder / "summary.json", json_text(summary_json(output)) + "\n");
    write_whole(folder / "report.html", report_html(output));
}

}  // namespace lento
