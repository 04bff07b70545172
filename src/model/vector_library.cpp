#include "model/jit.hpp"

namespace lento::model::jit {
#if defined(__x86_64__)
// NOTE: the functions are called from compiled code alone, which knows their types. SLEEF's own header declares them
// only to a compiler that is told to use the vectors, and this file must run on machines without.
extern "C" {
using VectorFunction = void();
VectorFunction Sleef_sind4_u10avx2, Sleef_cosd4_u10avx2, Sleef_tand4_u10avx2, Sleef_asind4_u10avx2,
    Sleef_acosd4_u10avx2, Sleef_atand4_u10avx2, Sleef_sinhd4_u10avx2, Sleef_coshd4_u10avx2, Sleef_tanhd4_u10avx2,
    Sleef_expd4_u10avx2, Sleef_expm1d4_u10avx2, Sleef_logd4_u10avx2, Sleef_log1pd4_u10avx2, Sleef_log10d4_u10avx2,
    Sleef_cbrtd4_u10avx2, Sleef_powd4_u10avx2, Sleef_atan2d4_u10avx2, Sleef_hypotd4_u05avx2, Sleef_sincosd4_u10avx2;
VectorFunction Sleef_sind8_u10avx512f, Sleef_cosd8_u10avx512f, Sleef_tand8_u10avx512f, Sleef_asind8_u10avx512f,
    Sleef_acosd8_u10avx512f, Sleef_atand8_u10avx512f, Sleef_sinhd8_u10avx512f, Sleef_coshd8_u10avx512f,
    Sleef_tanhd8_u10avx512f, Sleef_expd8_u10avx512f, Sleef_expm1d8_u10avx512f, Sleef_logd8_u10avx512f,
    Sleef_log1pd8_u10avx512f, Sleef_log10d8_u10avx512f, Sleef_cbrtd8_u10avx512f, Sleef_powd8_u10avx512f,
    Sleef_atan2d8_u10avx512f, Sleef_hypotd8_u05avx512f, Sleef_sincosd8_u10avx512f;
}
namespace {

/// One function, for vectors of four and of eight numbers; compiled code calls either by the same name.
struct Pair {
    Op op;
    const char* name;
    VectorFunction *four, *eight;
};
constexpr Pair functions[]{{Op::sin, "lento_vector_sin", Sleef_sind4_u10avx2, Sleef_sind8_u10avx512f},
                           {Op::cos, "lento_vector_cos", Sleef_cosd4_u10avx2, Sleef_cosd8_u10avx512f},
                           {Op::tan, "lento_vector_tan", Sleef_tand4_u10avx2, Sleef_tand8_u10avx512f},
                           {Op::asin, "lento_vector_asin", Sleef_asind4_u10avx2, Sleef_asind8_u10avx512f},
                           {Op::acos, "lento_vector_acos", Sleef_acosd4_u10avx2, Sleef_acosd8_u10avx512f},
                           {Op::atan, "lento_vector_atan", Sleef_atand4_u10avx2, Sleef_atand8_u10avx512f},
                           {Op::sinh, "lento_vector_sinh", Sleef_sinhd4_u10avx2, Sleef_sinhd8_u10avx512f},
                           {Op::cosh, "lento_vector_cosh", Sleef_coshd4_u10avx2, Sleef_coshd8_u10avx512f},
                           {Op::tanh, "lento_vector_tanh", Sleef_tanhd4_u10avx2, Sleef_tanhd8_u10avx512f},
                           {Op::exp, "lento_vector_exp", Sleef_expd4_u10avx2, Sleef_expd8_u10avx512f},
                           {Op::expm1, "lento_vector_expm1", Sleef_expm1d4_u10avx2, Sleef_expm1d8_u10avx512f},
                           {Op::log, "lento_vector_log", Sleef_logd4_u10avx2, Sleef_logd8_u10avx512f},
                           {Op::log1p, "lento_vector_log1p", Sleef_log1pd4_u10avx2, Sleef_log1pd8_u10avx512f},
                           {Op::log10, "lento_vector_log10", Sleef_log10d4_u10avx2, Sleef_log10d8_u10avx512f},
                           {Op::cbrt, "lento_vector_cbrt", Sleef_cbrtd4_u10avx2, Sleef_cbrtd8_u10avx512f},
                           {Op::power, "lento_vector_pow", Sleef_powd4_u10avx2, Sleef_powd8_u10avx512f},
                           {Op::atan2, "lento_vector_atan2", Sleef_atan2d4_u10avx2, Sleef_atan2d8_u10avx512f},
                           {Op::hypot, "lento_vector_hypot", Sleef_hypotd4_u05avx2, Sleef_hypotd8_u05avx512f}};
constexpr Pair both{Op::sin, "lento_vector_sincos", Sleef_sincosd4_u10avx2, Sleef_sincosd8_u10avx512f};

Library library_of(VectorFunction* Pair::*lanes) {
    const auto entry = [&](const Pair& pair) {
        return LibraryFunction{pair.op, pair.name, reinterpret_cast<void*>(pair.*lanes)};
    };
    return {mapped(functions, entry), entry(both)};
}

}  // namespace

const Library& vector_library(std::size_t lanes) {
    static const Library none, four = library_of(&Pair::four), eight = library_of(&Pair::eight);
    return lanes == 8 && host_has("avx512f") ? eight : lanes == 4 && host_has("avx2") && host_has("fma") ? four : none;
}

#else
const Library& vector_library(std::size_t) {
    static const Library none;
    return none;
}
#endif

}  // namespace lento::model::jit
