#include "model/vector_library.hpp"

#if defined(__x86_64__)
// NOTE: the functions are called from compiled code alone, which knows their types. SLEEF's own header declares them only to a compiler
// that is told to use the vectors, and this file must run on machines without.
namespace lento::model::jit {
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

void* address(VectorFunction& function) {
    return reinterpret_cast<void*>(&function);
}

Library four_lanes() {
    static const LibraryFunction functions[]{{Op::sin, "Sleef_sind4_u10avx2", address(Sleef_sind4_u10avx2)},
                                             {Op::cos, "Sleef_cosd4_u10avx2", address(Sleef_cosd4_u10avx2)},
                                             {Op::tan, "Sleef_tand4_u10avx2", address(Sleef_tand4_u10avx2)},
                                             {Op::asin, "Sleef_asind4_u10avx2", address(Sleef_asind4_u10avx2)},
                                             {Op::acos, "Sleef_acosd4_u10avx2", address(Sleef_acosd4_u10avx2)},
                                             {Op::atan, "Sleef_atand4_u10avx2", address(Sleef_atand4_u10avx2)},
                                             {Op::sinh, "Sleef_sinhd4_u10avx2", address(Sleef_sinhd4_u10avx2)},
                                             {Op::cosh, "Sleef_coshd4_u10avx2", address(Sleef_coshd4_u10avx2)},
                                             {Op::tanh, "Sleef_tanhd4_u10avx2", address(Sleef_tanhd4_u10avx2)},
                                             {Op::exp, "Sleef_expd4_u10avx2", address(Sleef_expd4_u10avx2)},
                                             {Op::expm1, "Sleef_expm1d4_u10avx2", address(Sleef_expm1d4_u10avx2)},
                                             {Op::log, "Sleef_logd4_u10avx2", address(Sleef_logd4_u10avx2)},
                                             {Op::log1p, "Sleef_log1pd4_u10avx2", address(Sleef_log1pd4_u10avx2)},
                                             {Op::log10, "Sleef_log10d4_u10avx2", address(Sleef_log10d4_u10avx2)},
                                             {Op::cbrt, "Sleef_cbrtd4_u10avx2", address(Sleef_cbrtd4_u10avx2)},
                                             {Op::power, "Sleef_powd4_u10avx2", address(Sleef_powd4_u10avx2)},
                                             {Op::atan2, "Sleef_atan2d4_u10avx2", address(Sleef_atan2d4_u10avx2)},
                                             {Op::hypot, "Sleef_hypotd4_u05avx2", address(Sleef_hypotd4_u05avx2)}};
    static const LibraryFunction both{Op::sin, "Sleef_sincosd4_u10avx2", address(Sleef_sincosd4_u10avx2)};
    return {functions, &both};
}

Library eight_lanes() {
    static const LibraryFunction functions[]{
        {Op::sin, "Sleef_sind8_u10avx512f", address(Sleef_sind8_u10avx512f)},
        {Op::cos, "Sleef_cosd8_u10avx512f", address(Sleef_cosd8_u10avx512f)},
        {Op::tan, "Sleef_tand8_u10avx512f", address(Sleef_tand8_u10avx512f)},
        {Op::asin, "Sleef_asind8_u10avx512f", address(Sleef_asind8_u10avx512f)},
        {Op::acos, "Sleef_acosd8_u10avx512f", address(Sleef_acosd8_u10avx512f)},
        {Op::atan, "Sleef_atand8_u10avx512f", address(Sleef_atand8_u10avx512f)},
        {Op::sinh, "Sleef_sinhd8_u10avx512f", address(Sleef_sinhd8_u10avx512f)},
        {Op::cosh, "Sleef_coshd8_u10avx512f", address(Sleef_coshd8_u10avx512f)},
        {Op::tanh, "Sleef_tanhd8_u10avx512f", address(Sleef_tanhd8_u10avx512f)},
        {Op::exp, "Sleef_expd8_u10avx512f", address(Sleef_expd8_u10avx512f)},
        {Op::expm1, "Sleef_expm1d8_u10avx512f", address(Sleef_expm1d8_u10avx512f)},
        {Op::log, "Sleef_logd8_u10avx512f", address(Sleef_logd8_u10avx512f)},
        {Op::log1p, "Sleef_log1pd8_u10avx512f", address(Sleef_log1pd8_u10avx512f)},
        {Op::log10, "Sleef_log10d8_u10avx512f", address(Sleef_log10d8_u10avx512f)},
        {Op::cbrt, "Sleef_cbrtd8_u10avx512f", address(Sleef_cbrtd8_u10avx512f)},
        {Op::power, "Sleef_powd8_u10avx512f", address(Sleef_powd8_u10avx512f)},
        {Op::atan2, "Sleef_atan2d8_u10avx512f", address(Sleef_atan2d8_u10avx512f)},
        {Op::hypot, "Sleef_hypotd8_u05avx512f", address(Sleef_hypotd8_u05avx512f)}};
    static const LibraryFunction both{Op::sin, "Sleef_sincosd8_u10avx512f", address(Sleef_sincosd8_u10avx512f)};
    return {functions, &both};
}

}  // namespace

Library vector_library(std::size_t lanes) {
    if (lanes == 8 && host_has("avx512f")) {
        return eight_lanes();
    }
    if (lanes == 4 && host_has("avx2") && host_has("fma")) {
        return four_lanes();
    }
    return {};
}

}  // namespace lento::model::jit
#else
namespace lento::model::jit {

Library vector_library(std::size_t) {
    return {};
}

}  // namespace lento::model::jit
#endif
