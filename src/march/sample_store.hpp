/// Samples y(t) in order, kept to be read again: as many as there are, in constant memory. What is more than a few
/// megabytes lies in a file without a name, in the folder for such files (TMPDIR), which goes with the store.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <vector>

namespace lento {

class SampleStore {
public:
    /// All of them are equally long. Throws Misuse where there is no room for the file.
    void append(double t, std::span<const double> y);
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    class Reader;

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };

    void move_to_file();
    std::size_t row_length() const { return length_ + 1; }

    std::size_t size_ = 0, length_ = 0;  // of y
    std::size_t in_file_ = 0;            // samples
    std::vector<double> recent_{};       // t and y, one sample after the other
    std::unique_ptr<std::FILE, Close> file_{};
};

/// Reads samples of a store; those that follow each other quickest.
class SampleStore::Reader {
public:
    explicit Reader(const SampleStore& store) : store_(&store) {}

    std::size_t size() const { return store_->size(); }
    double t(std::size_t k) { return row(k)[0]; }
    /// y of sample k; it stays there until another one is read.
    std::span<const double> operator[](std::size_t k) { return row(k).subspan(1); }

private:
    std::span<const double> row(std::size_t k);

    const SampleStore* store_;
    std::size_t first_ = 0;  // of the samples in the block
    std::vector<double> block_{};
};

}  // namespace lento
