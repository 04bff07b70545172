// The counter of tests/average, for this program too.
#include "tests/average/allocation_count.cpp"

// NOTE: LLVM allocates in this way and frees in the usual one; the address sanitizer wants both from one hand.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++lento::allocations;
    return std::malloc(size);
}
