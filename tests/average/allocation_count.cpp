/// Counts heap allocations of this test program.
#include "allocation_count.hpp"

#include <cstdlib>
#include <new>

namespace lento {

std::size_t allocations = 0;

}  // namespace lento

void* operator new(std::size_t size) {
    ++lento::allocations;
    if (void* memory = std::malloc(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
