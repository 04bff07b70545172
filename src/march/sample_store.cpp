#include "march/sample_store.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"

namespace lento {
namespace {

constexpr std::size_t most_in_memory = 1 << 19;  // numbers: 4 MB
constexpr std::size_t block = 1 << 16;           // numbers that are read at once

std::filesystem::path folder() {
    std::error_code error;
    const auto found = std::filesystem::temp_directory_path(error);
    return error ? "." : found;
}

[[noreturn]] void no_room(const char* why) {
    throw Misuse(
        fmt::format("the samples do not fit into {}: {}; take fewer with --samples, or set TMPDIR to a folder with "
                    "more room",
                    folder().string(), why));
}

/// A file that nobody else sees.
std::FILE* nameless_file() {
    std::string name = (folder() / "lento-samples-XXXXXX").string();
    const int descriptor = mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) {
        no_room(std::strerror(errno));
    }
    unlink(name.c_str());
    std::FILE* file = fdopen(descriptor, "w+b");
    if (file == nullptr) {
        no_room(std::strerror(errno));
    }
    return file;
}

}  // namespace

void SampleStore::append(double t, std::span<const double> y) {
    if (size_ == 0) {
        length_ = y.size();
    } else if (length_ != y.size()) {
        throw std::logic_error(fmt::format("a sample of {} numbers after others of {}", y.size(), length_));
    }
    if (!recent_.empty() && recent_.size() + row_length() > most_in_memory) {
        move_to_file();
    }
    recent_.push_back(t);
    recent_.insert(recent_.end(), y.begin(), y.end());
    ++size_;
}

void SampleStore::move_to_file() {
    if (!file_) {
        file_.reset(nameless_file());
        std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // readers look at what is on the disk
    }
    if (std::fwrite(recent_.data(), sizeof(double), recent_.size(), file_.get()) != recent_.size()) {
        no_room(std::strerror(errno));
    }
    in_file_ = size_;
    recent_.clear();
}

std::span<const double> SampleStore::Reader::row(std::size_t k) {
    const std::size_t length = store_->row_length();
    if (k >= store_->in_file_) {
        return std::span(store_->recent_).subspan((k - store_->in_file_) * length, length);
    }
    if (k < first_ || k - first_ >= block_.size() / length) {
        first_ = k;
        const std::size_t rows = std::min(std::max<std::size_t>(1, block / length), store_->in_file_ - k);
        block_.resize(rows * length);
        const auto bytes = static_cast<ssize_t>(block_.size() * sizeof(double));
        const auto place = static_cast<off_t>(k * length * sizeof(double));
        if (pread(fileno(store_->file_.get()), block_.data(), static_cast<std::size_t>(bytes), place) != bytes) {
            throw std::runtime_error("samples that were kept in a file could not be read again");
        }
    }
    return std::span<const double>(block_).subspan((k - first_) * length, length);
}

}  // namespace lento
