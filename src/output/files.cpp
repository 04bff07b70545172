#include "lento/output/files.hpp"

#include <hdf5.h>

#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

std::filesystem::path beside(const std::filesystem::path& path) {
    auto part = path;
    part += ".part";
    return part;
}

void put_in_place(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::rename(beside(path), path, error);
    if (error) {
        std::filesystem::remove(beside(path), error);
        throw Misuse(fmt::format("cannot write {}: {}", path.string(), error.message()));
    }
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

void write_column(hid_t group, const std::string& name, const std::vector<double>& values) {
    const hsize_t length = values.size();
    const Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose);
    const Handle data(H5Dcreate2(group, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                      H5Dclose);
    if (H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
        throw std::runtime_error("HDF5 could not write " + name);
    }
}

void write_attribute(hid_t object, const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, text.size() + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    if (H5Awrite(attribute, type, text.c_str()) < 0) {
        throw std::runtime_error("HDF5 could not write the attribute " + name);
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
}

void write_whole(const std::filesystem::path& path, const std::string& text) {
    std::ofstream file(beside(path), std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        std::error_code ignored;
        std::filesystem::remove(beside(path), ignored);
        throw Misuse(
            fmt::format("cannot write {}: the folder may be read-only or the disk full; choose another with -o DIR",
                        path.string()));
    }
    put_in_place(path);
}

void write_hdf5(const std::filesystem::path& path, const RunOutput& output) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    try {
        const Handle file(H5Fcreate(beside(path).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
        const auto summary = summary_json(output);
        write_attribute(file, "title", output.title);
        write_attribute(file, "method", output.record.method);
        write_attribute(file, "outcome", std::string(name_of(output.record.outcome)));
        write_attribute(file, "options", summary["options"].dump());
        write_attribute(file, "parameters", nlohmann::ordered_json(output.parameters).dump());
        const Handle slow(H5Gcreate2(file, "slow", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
        write_attribute(slow, "slow_is", output.record.slow_is);
        write_column(slow, "t", output.slow.t);
        for (std::size_t i = 0; i < output.slow.names.size(); ++i) {
            std::vector<double> column;
            for (const auto& row : output.slow.rows) {
                column.push_back(row[i]);
            }
            write_column(slow, output.slow.names[i], column);
        }
    } catch (const std::runtime_error& failure) {
        std::error_code ignored;
        std::filesystem::remove(beside(path), ignored);
        throw Misuse(fmt::format("cannot write {}: {}", path.string(), failure.what()));
    }
    put_in_place(path);
}

void write_run(const std::filesystem::path& folder, const RunOutput& output) {
    make_folder(folder);
    write_whole(folder / "solution.csv", csv_text(output.slow));
    write_hdf5(folder / "solution.h5", output);
    write_whole(folder / "summary.json", summary_json(output).dump(2) + "\n");
    write_whole(folder / "report.html", report_html(output));
}

}  // namespace lento
