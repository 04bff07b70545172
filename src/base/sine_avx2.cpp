#include "base/sine_code.hpp"

namespace lento {

bool sine_and_cosine_avx2(const void* x, void* sine, void* cosine) {
    return sine_and_cosine_of_four(x, sine, cosine);
}

}  // namespace lento
