/// Room for the intermediate numbers of one call: on the stack where few are needed. Parts of a problem are immutable
/// and may be called from any thread, so that they have no work space of their own; what is too much for the stack each
/// thread keeps for its next call, so that evaluations in a loop allocate nothing.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

/// The blocks of one thread, of which the last one taken is given back first. They are there until the thread ends.
class ScratchBlocks {
public:
    static ScratchBlocks& of_this_thread() {
        thread_local ScratchBlocks blocks;
        return blocks;
    }

    std::byte* take(std::size_t bytes) {
        if (taken_ == blocks_.size()) {
            blocks_.emplace_back();
        }
        auto& block = blocks_[taken_];
        if (block.size() < bytes) {
            block = std::vector<std::byte>(bytes);
        }
        ++taken_;
        return block.data();
    }
    void give_back() { --taken_; }

private:
    std::vector<std::vector<std::byte>> blocks_;
    std::size_t taken_ = 0;
};

/// A local variable, never anything that lives on: blocks come back in the order of scopes.
template <class T, std::size_t Few = 32>
class Scratch {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);

public:
    explicit Scratch(std::size_t size) : size_(size) {
        auto* bytes = size > Few ? ScratchBlocks::of_this_thread().take(size * sizeof(T)) : few_.data();
        data_ = reinterpret_cast<T*>(bytes);
        std::uninitialized_value_construct_n(data_, size);
    }
    ~Scratch() {
        if (size_ > Few) {
            ScratchBlocks::of_this_thread().give_back();
        }
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::span<T> span() { return {data_, size_}; }
    operator std::span<T>() { return span(); }  // NOLINT(google-explicit-constructor): it stands for its numbers
    T& operator[](std::size_t i) { return data_[i]; }
    T* data() { return data_; }

private:
    std::size_t size_;
    T* data_;
    alignas(T) std::array<std::byte, Few * sizeof(T)> few_;  // NOTE: left as it is; only what is used is written
};

}  // namespace lento
