#include "model/vector_calls.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace lento::model {

void call_eight(void* function, const double* a, double* y) {
    using Function = __m512d (*)(__m512d);
    _mm512_storeu_pd(y, reinterpret_cast<Function>(function)(_mm512_loadu_pd(a)));
}

void call_eight(void* function, const double* a, const double* b, double* y) {
    using Function = __m512d (*)(__m512d, __m512d);
    _mm512_storeu_pd(y, reinterpret_cast<Function>(function)(_mm512_loadu_pd(a), _mm512_loadu_pd(b)));
}

// NOTE: of a structure of two vectors, which is returned in memory, the address is the first argument.
void call_eight_for_both(void* function, const double* a, double* sine, double* cosine) {
    using Function = void (*)(__m512d*, __m512d);
    __m512d both[2];
    reinterpret_cast<Function>(function)(both, _mm512_loadu_pd(a));
    _mm512_storeu_pd(sine, both[0]);
    _mm512_storeu_pd(cosine, both[1]);
}

}  // namespace lento::model
#endif
