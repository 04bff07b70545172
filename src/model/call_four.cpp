#include "model/vector_calls.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace lento::model {

void call_four(void* function, const double* a, double* y) {
    using Function = __m256d (*)(__m256d);
    _mm256_storeu_pd(y, reinterpret_cast<Function>(function)(_mm256_loadu_pd(a)));
}

void call_four(void* function, const double* a, const double* b, double* y) {
    using Function = __m256d (*)(__m256d, __m256d);
    _mm256_storeu_pd(y, reinterpret_cast<Function>(function)(_mm256_loadu_pd(a), _mm256_loadu_pd(b)));
}

// NOTE: of a structure of two vectors, which is returned in memory, the address is the first argument.
void call_four_for_both(void* function, const double* a, double* sine, double* cosine) {
    using Function = void (*)(__m256d*, __m256d);
    __m256d both[2];
    reinterpret_cast<Function>(function)(both, _mm256_loadu_pd(a));
    _mm256_storeu_pd(sine, both[0]);
    _mm256_storeu_pd(cosine, both[1]);
}

}  // namespace lento::model
#endif
