#include <cmath>

#include "model/library.hpp"
#include "model/mapped.hpp"
#include "model/vector_calls.hpp"

namespace lento::model {
namespace {

void* address_of(double (*function)(double)) {
    return reinterpret_cast<void*>(function);
}
void* address_of(double (*function)(double, double)) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

const Library& scalar_library() {
    static const Library library{{
        {Op::sin, "lento_sin", address_of(std::sin)},       {Op::cos, "lento_cos", address_of(std::cos)},
        {Op::tan, "lento_tan", address_of(std::tan)},       {Op::asin, "lento_asin", address_of(std::asin)},
        {Op::acos, "lento_acos", address_of(std::acos)},    {Op::atan, "lento_atan", address_of(std::atan)},
        {Op::sinh, "lento_sinh", address_of(std::sinh)},    {Op::cosh, "lento_cosh", address_of(std::cosh)},
        {Op::tanh, "lento_tanh", address_of(std::tanh)},    {Op::exp, "lento_exp", address_of(std::exp)},
        {Op::log, "lento_log", address_of(std::log)},       {Op::log10, "lento_log10", address_of(std::log10)},
        {Op::cbrt, "lento_cbrt", address_of(std::cbrt)},    {Op::floor, "lento_floor", address_of(std::floor)},
        {Op::power, "lento_pow", address_of(std::pow)},     {Op::atan2, "lento_atan2", address_of(std::atan2)},
        {Op::hypot, "lento_hypot", address_of(std::hypot)}, {Op::expm1, "lento_expm1", address_of(std::expm1)},
        {Op::log1p, "lento_log1p", address_of(std::log1p)},
    }};
    return library;
}

#if defined(__x86_64__)
// NOTE: SLEEF's own header declares its functions only to a compiler that is told to use the vectors, and this file
// must run on machines without: compiled code and the functions at the end know their types.
extern "C" {
using VectorFunction = void();
VectorFunction Sleef_finz_sind4_u10avx2, Sleef_finz_cosd4_u10avx2, Sleef_finz_tand4_u10avx2, Sleef_finz_asind4_u10avx2,
    Sleef_finz_acosd4_u10avx2, Sleef_finz_atand4_u10avx2, Sleef_finz_sinhd4_u10avx2, Sleef_finz_coshd4_u10avx2,
    Sleef_finz_tanhd4_u10avx2, Sleef_finz_expd4_u10avx2, Sleef_finz_expm1d4_u10avx2, Sleef_finz_logd4_u10avx2,
    Sleef_finz_log1pd4_u10avx2, Sleef_finz_log10d4_u10avx2, Sleef_finz_cbrtd4_u10avx2, Sleef_finz_powd4_u10avx2,
    Sleef_finz_atan2d4_u10avx2, Sleef_finz_hypotd4_u05avx2, Sleef_finz_sincosd4_u10avx2;
VectorFunction Sleef_finz_sind8_u10avx512f, Sleef_finz_cosd8_u10avx512f, Sleef_finz_tand8_u10avx512f,
    Sleef_finz_asind8_u10avx512f, Sleef_finz_acosd8_u10avx512f, Sleef_finz_atand8_u10avx512f,
    Sleef_finz_sinhd8_u10avx512f, Sleef_finz_coshd8_u10avx512f, Sleef_finz_tanhd8_u10avx512f,
    Sleef_finz_expd8_u10avx512f, Sleef_finz_expm1d8_u10avx512f, Sleef_finz_logd8_u10avx512f,
    Sleef_finz_log1pd8_u10avx512f, Sleef_finz_log10d8_u10avx512f, Sleef_finz_cbrtd8_u10avx512f,
    Sleef_finz_powd8_u10avx512f, Sleef_finz_atan2d8_u10avx512f, Sleef_finz_hypotd8_u05avx512f,
    Sleef_finz_sincosd8_u10avx512f;
}
namespace {

/// One function, for vectors of four and of eight numbers; compiled code calls either by the same name.
struct Pair {
    Op op;
    const char* name;
    VectorFunction *four, *eight;
};
constexpr Pair functions[]{
    {Op::sin, "lento_vector_sin", Sleef_finz_sind4_u10avx2, Sleef_finz_sind8_u10avx512f},
    {Op::cos, "lento_vector_cos", Sleef_finz_cosd4_u10avx2, Sleef_finz_cosd8_u10avx512f},
    {Op::tan, "lento_vector_tan", Sleef_finz_tand4_u10avx2, Sleef_finz_tand8_u10avx512f},
    {Op::asin, "lento_vector_asin", Sleef_finz_asind4_u10avx2, Sleef_finz_asind8_u10avx512f},
    {Op::acos, "lento_vector_acos", Sleef_finz_acosd4_u10avx2, Sleef_finz_acosd8_u10avx512f},
    {Op::atan, "lento_vector_atan", Sleef_finz_atand4_u10avx2, Sleef_finz_atand8_u10avx512f},
    {Op::sinh, "lento_vector_sinh", Sleef_finz_sinhd4_u10avx2, Sleef_finz_sinhd8_u10avx512f},
    {Op::cosh, "lento_vector_cosh", Sleef_finz_coshd4_u10avx2, Sleef_finz_coshd8_u10avx512f},
    {Op::tanh, "lento_vector_tanh", Sleef_finz_tanhd4_u10avx2, Sleef_finz_tanhd8_u10avx512f},
    {Op::exp, "lento_vector_exp", Sleef_finz_expd4_u10avx2, Sleef_finz_expd8_u10avx512f},
    {Op::expm1, "lento_vector_expm1", Sleef_finz_expm1d4_u10avx2, Sleef_finz_expm1d8_u10avx512f},
    {Op::log, "lento_vector_log", Sleef_finz_logd4_u10avx2, Sleef_finz_logd8_u10avx512f},
    {Op::log1p, "lento_vector_log1p", Sleef_finz_log1pd4_u10avx2, Sleef_finz_log1pd8_u10avx512f},
    {Op::log10, "lento_vector_log10", Sleef_finz_log10d4_u10avx2, Sleef_finz_log10d8_u10avx512f},
    {Op::cbrt, "lento_vector_cbrt", Sleef_finz_cbrtd4_u10avx2, Sleef_finz_cbrtd8_u10avx512f},
    {Op::power, "lento_vector_pow", Sleef_finz_powd4_u10avx2, Sleef_finz_powd8_u10avx512f},
    {Op::atan2, "lento_vector_atan2", Sleef_finz_atan2d4_u10avx2, Sleef_finz_atan2d8_u10avx512f},
    {Op::hypot, "lento_vector_hypot", Sleef_finz_hypotd4_u05avx2, Sleef_finz_hypotd8_u05avx512f}};
constexpr Pair both{Op::sin, "lento_vector_sincos", Sleef_finz_sincosd4_u10avx2, Sleef_finz_sincosd8_u10avx512f};

Library library_of(VectorFunction* Pair::*lanes) {
    const auto entry = [&](const Pair& pair) {
        return LibraryFunction{pair.op, pair.name, reinterpret_cast<void*>(pair.*lanes)};
    };
    return {mapped(functions, entry), entry(both)};
}

}  // namespace

bool has_fused_products() {
    return __builtin_cpu_supports("fma");
}

const Library& vector_library(std::size_t lanes) {
    static const Library none, four = library_of(&Pair::four), eight = library_of(&Pair::eight);
    const bool has_four = __builtin_cpu_supports("avx2") && has_fused_products();
    return lanes == 8 && __builtin_cpu_supports("avx512f") ? eight : lanes == 4 && has_four ? four : none;
}

void call_on(std::size_t lanes, void* function, const Octet& a, Octet& y) {
    if (lanes == a.size()) {
        return call_eight(function, a.data(), y.data());
    }
    call_four(function, a.data(), y.data());
    call_four(function, a.data() + 4, y.data() + 4);
}

void call_on(std::size_t lanes, void* function, const Octet& a, const Octet& b, Octet& y) {
    if (lanes == a.size()) {
        return call_eight(function, a.data(), b.data(), y.data());
    }
    call_four(function, a.data(), b.data(), y.data());
    call_four(function, a.data() + 4, b.data() + 4, y.data() + 4);
}

void call_sine_and_cosine(std::size_t lanes, void* function, const Octet& a, Octet& sine, Octet& cosine) {
    const Octet argument = a;  // may stand where a result is to
    if (lanes == a.size()) {
        return call_eight_for_both(function, argument.data(), sine.data(), cosine.data());
    }
    call_four_for_both(function, argument.data(), sine.data(), cosine.data());
    call_four_for_both(function, argument.data() + 4, sine.data() + 4, cosine.data() + 4);
}

#else
bool has_fused_products() {
    return false;
}
const Library& vector_library(std::size_t) {
    static const Library none;
    return none;
}
// There are none to call.
void call_on(std::size_t, void*, const Octet&, Octet&) {}
void call_on(std::size_t, void*, const Octet&, const Octet&, Octet&) {}
void call_sine_and_cosine(std::size_t, void*, const Octet&, Octet&, Octet&) {}
#endif

std::size_t widest_vectors() {
    for (const std::size_t lanes : {8, 4}) {
        if (!vector_library(lanes).functions.empty()) {
            return lanes;
        }
    }
    return 1;
}

}  // namespace lento::model
