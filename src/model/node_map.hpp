/// A map from nodes of a graph, in one piece of memory: open addressing, linear probing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/graph.hpp"

namespace lento::model {

template <class T>
class NodeMap {
public:
    NodeMap() = default;
    explicit NodeMap(std::size_t expected) { reserve(expected); }

    void reserve(std::size_t expected) {
        if (2 * expected > slots_.size()) {
            grow(std::bit_ceil(2 * expected));
        }
    }

    /// What a node leads to; null where there is nothing.
    T* find(Node node) {
        if (slots_.empty()) {
            return nullptr;
        }
        Slot& slot = slots_[place(node)];
        return slot.node == node ? &slot.value : nullptr;
    }
    const T* find(Node node) const { return const_cast<NodeMap*>(this)->find(node); }
    bool contains(Node node) const { return find(node) != nullptr; }
    /// Of a node that leads somewhere.
    const T& at(Node node) const { return *find(node); }

    /// Gives what the node leads to, which is `value` if it was nothing, and whether it was.
    std::pair<T&, bool> try_emplace(Node node, T value) {
        reserve(size_ + 1);
        Slot& slot = slots_[place(node)];
        const bool added = slot.node != node;
        if (added) {
            slot = {node, std::move(value)};
            ++size_;
        }
        return {slot.value, added};
    }
    T& operator[](Node node) { return try_emplace(node, T{}).first; }

private:
    static constexpr Node none{~std::uint32_t{0}};
    struct Slot {
        Node node = none;
        T value{};
    };

    /// Where a node stands, or where there is room for it.
    std::size_t place(Node node) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = ((index(node) * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
        while (slots_[at].node != none && slots_[at].node != node) {
            at = (at + 1) & mask;
        }
        return at;
    }
    void grow(std::size_t size) {
        constexpr std::size_t least = 16;
        std::vector<Slot> before(std::max(size, least));
        std::swap(before, slots_);
        for (Slot& slot : before) {
            if (slot.node != none) {
                slots_[place(slot.node)] = std::move(slot);
            }
        }
    }

    std::vector<Slot> slots_;  // a power of two, at most half of them in use
    std::size_t size_ = 0;
};

}  // namespace lento::model
