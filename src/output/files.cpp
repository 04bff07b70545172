#include "output/files.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unordered_set>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

/// Where a file is written before it takes its place; two runs into one folder do not meet there.
std::filesystem::path beside(const std::filesystem::path& path) {
    auto part = path;
    part += fmt::format(".{}.part", getpid());
    return part;
}

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

[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(beside(path), ignored)) {
        std::filesystem::remove(beside(path), ignored);
    }
    throw Misuse(fmt::format("cannot write {}: {}; choose another folder with -o DIR", path.string(), why));
}

/// Closes an HDF5 handle when it goes out of scope; a handle below zero means the call failed.
class Handle {
public:
    using Close = herr_t (*)(hid_t);

    Handle(hid_t id, Close close) : id_(id), close_(close) {
        if (id_ < 0) {
            throw std::runtime_error("HDF5 refused a call");
        }
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { close_(id_); }
    operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): HDF5 takes plain ids

private:
    hid_t id_;
    Close close_;
};

/// Its members keep the order in which they are made.
Handle group_in(hid_t parent, const char* name) {
    const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
    H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    return {H5Gcreate2(parent, name, H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose};
}

void require(bool written, const std::string& what) {
    if (!written) {
        throw std::runtime_error("HDF5 could not write " + what);
    }
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t memory, const void* value) {
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    require(H5Awrite(attribute, memory, value) >= 0, "the attribute " + name);
}

/// Text of any length.
void write_attribute(hid_t object, const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const char* pointer = text.c_str();
    write_attribute(object, name, type, type, &pointer);
}

void write_attribute(hid_t object, const std::string& name, double value) {
    write_attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

/// The unit of a column in terms of the model's own units; empty where nothing is known of it.
std::string unit_of(const std::string& name, const std::unordered_set<std::string>& names) {
    constexpr std::string_view suffix = "_dot";
    const std::string position = name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : "";
    return names.contains(position) ? fmt::format("unit of {} / model time", position) : std::string();
}

void write_data(hid_t group, const std::string& name, hid_t space, const double* values, const std::string& unit = "") {
    const Handle data(H5Dcreate2(group, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
    require(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, name);
    if (!unit.empty()) {
        write_attribute(data, "units", unit);
    }
}

void write_series(hid_t group, const Series& series) {
    const std::unordered_set<std::string> names(series.names.begin(), series.names.end());
    const hsize_t length = series.t.size();
    const Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
    write_data(group, "t", space, series.t.data(), "model time");
    std::vector<double> column(series.t.size());
    for (std::size_t i = 0; i < series.names.size(); ++i) {
        std::transform(series.rows.begin(), series.rows.end(), column.begin(), [i](const auto& row) { return row[i]; });
        write_data(group, series.names[i], space, column.data(), unit_of(series.names[i], names));
    }
}

/// NOTE: datasets, not attributes: an object with thousands of attributes takes minutes to write.
void write_numbers(hid_t parent, const char* name, const Json& numbers) {
    const Handle group = group_in(parent, name);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    for (const auto& [key, number] : numbers.items()) {
        const auto value = number.get<double>();
        write_data(group, key, space, &value);
    }
}

void write_everything(hid_t file, const RunOutput& output) {
    const auto summary = summary_json(output);
    for (const auto* key : {"title", "version", "method", "requested_method", "slow_is", "outcome"}) {
        write_attribute(file, key, summary[key].get<std::string>());
    }
    write_attribute(file, "t_end", output.record.t_end);
    write_attribute(file, "model", output.model_text);
    const Handle options = group_in(file, "options");
    for (const auto& [name, value] : summary["options"].items()) {
        value.is_number() ? write_attribute(options, name, value.get<double>())
                          : write_attribute(options, name, value.get<std::string>());
    }
    write_numbers(file, "parameters", by_name(output.parameters));
    const Handle phases = group_in(file, "phases");
    for (const auto& phase : output.phases) {
        const Handle group = group_in(phases, phase.name.c_str());
        write_attribute(group, "frequency", phase.frequency);
        write_attribute(group, "frequency_units", "rad / model time");
        write_attribute(group, "start", phase.start);
        write_attribute(group, "start_units", "rad");
    }
    const Handle statistics = group_in(file, "statistics");
    for (const auto& [name, value] : summary["statistics"].items()) {
        write_attribute(statistics, name, value.get<double>());
    }
    write_attribute(statistics, "wall_seconds_units", "s");

    const Handle slow = group_in(file, "slow");
    write_attribute(slow, "slow_is", output.record.slow_is);
    write_series(slow, output.slow);
    write_numbers(file, "final", summary["final"]);
    if (output.final_fast) {
        write_numbers(file, "final_fast", summary["final_fast"]);
    }
    if (output.fast) {
        write_series(group_in(file, "fast"), *output.fast);
    }
}

}  // namespace

void make_folder(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error || !std::filesystem::is_directory(folder)) {
        throw Misuse(fmt::format("cannot make the folder {}: {}", folder.string(),
                                 error ? error.message() : "a file is in its place"));
    }
    const auto trial = folder / "summary.json";
    if (!std::ofstream(beside(trial))) {
        cannot_write(trial, std::strerror(errno));
    }
    std::filesystem::remove(beside(trial), error);
    remove_parts_of_dead_runs(folder);
}

void write_whole(const std::filesystem::path& path, std::string_view text) {
    errno = 0;
    std::ofstream file(beside(path), std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file) {
        cannot_write(path, errno != 0 ? std::strerror(errno) : "the disk may be full");
    }
    std::error_code error;
    std::filesystem::rename(beside(path), path, error);
    if (error) {
        cannot_write(path, error.message());
    }
}

void write_hdf5(const std::filesystem::path& path, const RunOutput& output) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    std::string image;
    try {
        // NOTE: in memory first. HDF5 cannot close a file on a full disk, and crashes when the program ends.
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        constexpr std::size_t growth = 1 << 20;
        require(H5Pset_fapl_core(access, growth, 0) >= 0, "in memory");
        const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        const Handle file(H5Fcreate("memory", H5F_ACC_TRUNC, creation, access), H5Fclose);
        write_everything(file, output);
        require(H5Fflush(file, H5F_SCOPE_LOCAL) >= 0, "in memory");
        const auto size = H5Fget_file_image(file, nullptr, 0);
        require(size > 0, "in memory");
        image.resize(static_cast<std::size_t>(size));
        require(H5Fget_file_image(file, image.data(), image.size()) == size, "in memory");
    } catch (const std::runtime_error& failure) {
        cannot_write(path, failure.what());
    }
    write_whole(path, image);
}

void write_run(const std::filesystem::path& folder, const RunOutput& output) {
    make_folder(folder);
    // What an earlier run left and this one does not write would be taken for part of it.
    for (const auto& [name, series] : {std::pair("fast.csv", &output.fast), std::pair("error.csv", &output.errors)}) {
        std::error_code ignored;
        std::filesystem::remove(folder / name, ignored);
        if (*series) {
            write_whole(folder / name, csv_text(**series));
        }
    }
    write_whole(folder / "solution.csv", csv_text(output.slow));
    write_hdf5(folder / "solution.h5", output);
    write_whole(folder / "summary.json", json_text(summary_json(output)) + "\n");
    write_whole(folder / "report.html", report_html(output));
}

}  // namespace lento
