/// solution.h5: the samples as one dataset of rows, what belongs to the run beside them (docs/models.md).
#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <unordered_set>

#include <fmt/format.h>

#include "model/mapped.hpp"
#include "output/files.hpp"

namespace lento {
namespace {

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

/// Of no size at all: one number.
Handle dataset(hid_t group, const char* name, hid_t type, std::initializer_list<hsize_t> sizes) {
    const Handle space(H5Screate_simple(static_cast<int>(sizes.size()), sizes.begin(), nullptr), H5Sclose);
    return {H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose};
}

void write_numbers(hid_t group, const char* name, const std::vector<double>& values) {
    const Handle data = dataset(group, name, H5T_IEEE_F64LE, {values.size()});
    require(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0, name);
}

/// All equally long in the file, filled up with zeros: one dataset without a heap.
void write_texts(hid_t group, const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const auto& text : texts) {
        longest = std::max(longest, text.size());
    }
    std::vector<char> characters(texts.size() * longest);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        std::ranges::copy(texts[k], characters.begin() + static_cast<std::ptrdiff_t>(k * longest));
    }
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type, longest);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const Handle data = dataset(group, name, type, {texts.size()});
    require(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()) >= 0, name);
}

/// The names of all columns, and their units: those of `slow`, `fast`, `final` and `final_fast`.
void write_columns(hid_t file, const std::vector<std::string>& names) {
    const std::unordered_set<std::string> known(names.begin(), names.end());
    write_texts(file, "columns", names);
    write_texts(file, "units", model::mapped(names, [&](const auto& name) { return unit_of(name, known); }));
}

/// For t and one row a sample, which are filled in later.
void make_room(hid_t group, const Series& series) {
    const Handle times = dataset(group, "t", H5T_IEEE_F64LE, {series.rows.size()});
    write_attribute(times, "units", std::string("model time"));
    const Handle values = dataset(group, "values", H5T_IEEE_F64LE, {series.rows.size(), series.names.size()});
    write_attribute(values, "columns", std::string("/columns"));
}

hsize_t bytes_of(const Series& series) {
    return series.rows.size() * (series.names.size() + 1) * sizeof(double);
}

/// `count` rows of a dataset from row `first` on.
void write_rows(hid_t data, hsize_t first, hsize_t count, hsize_t width, const std::vector<double>& numbers) {
    const Handle space(H5Dget_space(data), H5Sclose);
    const hsize_t start[]{first, 0}, size[]{count, width};  // HDF5 looks at as many as the dataset has dimensions
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr);
    const hsize_t length = numbers.size();
    const Handle memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    require(H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, numbers.data()) >= 0, "the samples");
}

void fill_in(hid_t file, const char* name, const Series& series) {
    constexpr std::size_t numbers_at_once = 1 << 16;
    const Handle group(H5Gopen2(file, name, H5P_DEFAULT), H5Gclose);
    const Handle t(H5Dopen2(group, "t", H5P_DEFAULT), H5Dclose);
    const Handle values(H5Dopen2(group, "values", H5P_DEFAULT), H5Dclose);
    SampleStore::Reader rows(series.rows);
    const std::size_t width = series.names.size();
    const std::size_t at_once = std::max<std::size_t>(1, numbers_at_once / std::max<std::size_t>(1, width));
    std::vector<double> times, numbers;
    for (std::size_t first = 0; first < rows.size(); first += times.size()) {
        times.clear();
        numbers.clear();
        for (std::size_t k = first; k < std::min(rows.size(), first + at_once); ++k) {
            times.push_back(rows.t(k));
            numbers.insert(numbers.end(), rows[k].begin(), rows[k].end());
        }
        write_rows(t, first, times.size(), 1, times);
        write_rows(values, first, times.size(), width, numbers);
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
    const Handle parameters = group_in(file, "parameters");
    for (const auto& [name, value] : output.parameters) {
        const Handle data = dataset(parameters, name.c_str(), H5T_IEEE_F64LE, {});
        require(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) >= 0, name);
    }
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

    write_columns(file, output.slow.names);
    const Handle slow = group_in(file, "slow");
    write_attribute(slow, "slow_is", output.record.slow_is);
    make_room(slow, output.slow);
    write_numbers(file, "final", output.final_slow);
    if (output.final_fast) {
        write_numbers(file, "final_fast", *output.final_fast);
    }
    if (output.fast) {
        make_room(group_in(file, "fast"), *output.fast);
    }
}

/// A whole file, in memory, in which only the rows of series are missing.
std::string without_samples(const RunOutput& output) {
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
    std::string image(static_cast<std::size_t>(size), '\0');
    require(H5Fget_file_image(file, image.data(), image.size()) == size, "in memory");
    return image;
}

/// Makes a file longer by as many bytes, or fails: later writes into it find the disk full no more.
void reserve(const NewFile& file, hsize_t bytes) {
    const int descriptor = open(file.part().c_str(), O_WRONLY | O_CLOEXEC);
    const int error = descriptor < 0 ? errno : posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (error != 0) {
        file.fail(std::strerror(error));
    }
}

}  // namespace

void write_hdf5(const std::filesystem::path& path, const RunOutput& output) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const NewFile whole(path);
    try {
        // NOTE: HDF5 cannot close a file on a full disk, and crashes when the program ends. So it is given a file with
        // all the room that it needs; what is left over it gives back.
        constexpr hsize_t spare = 1 << 16;  // what HDF5 aligns and adds as it opens a file
        const auto image = without_samples(output);
        whole.write([&](std::ostream& file) { file.write(image.data(), static_cast<std::streamsize>(image.size())); });
        reserve(whole, image.size() + bytes_of(output.slow) + (output.fast ? bytes_of(*output.fast) : 0) + spare);
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_file_locking(access, false, true);  // which many a cluster's disks do not know, and nobody else is there
        const Handle file(H5Fopen(whole.part().c_str(), H5F_ACC_RDWR, access), H5Fclose);
        fill_in(file, "slow", output.slow);
        if (output.fast) {
            fill_in(file, "fast", *output.fast);
        }
    } catch (const std::runtime_error& failure) {
        whole.fail(failure.what());
    }
    whole.take_place();
}

}  // namespace lento
