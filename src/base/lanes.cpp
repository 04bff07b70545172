#include "lento/base/lanes.hpp"

#include <atomic>
#include <utility>

#include "base/sine_code.hpp"

namespace lento {
namespace {

using lanes_detail::Remembered;

// NOTE: of the model of executables, since looking it up would take as long as a sine. It is one pointer a thread.
[[gnu::tls_model("initial-exec")]] thread_local lanes_detail::Call* current = nullptr;

/// More calls are computed, not remembered.
constexpr std::size_t longest_memory = 1000;

using SineCode = bool (*)(const void* x, void* sine, void* cosine);

/// Finds out what this processor has when it is called first.
bool choose_sine_code(const void* x, void* sine, void* cosine);
constinit std::atomic<SineCode> sine_code = choose_sine_code;

bool choose_sine_code(const void* x, void* sine, void* cosine) {
    SineCode chosen = sine_and_cosine_plain;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        chosen = sine_and_cosine_avx2;
    }
#endif
    sine_code.store(chosen, std::memory_order_relaxed);
    return chosen(x, sine, cosine);
}

/// Lanes that the code does not reach are libm's.
[[gnu::noinline, gnu::cold]] void take_far_lanes(const Lanes& a, Lanes& sine, Lanes& cosine) {
    const auto far = [&](double (*function)(double), const Lanes& near) {
        return each_lane([&](double x, double found) { return std::abs(x) <= sine_code_reaches ? found : function(x); },
                         a, near);
    };
    sine = far(sin, sine);
    cosine = far(cos, cosine);
}

inline void compute_sine_and_cosine(const Lanes& a, Lanes& sine, Lanes& cosine) {
    const SineCode code = sine_code.load(std::memory_order_relaxed);
    if (!code(&a, &sine, &cosine)) [[unlikely]] {
        take_far_lanes(a, sine, cosine);
    }
}

/// Room for one more.
[[gnu::noinline, gnu::cold]] void extend(lanes_detail::Call& call) {
    auto& memory = *call.memory;
    const auto sine = call.sine == nullptr ? memory.size() : static_cast<std::size_t>(call.sine - memory.data());
    memory.emplace_back();
    call.sine = call.sine == nullptr ? nullptr : &memory[sine];
    call.next = &memory.back();
    call.end = call.next + 1;
}

/// The place of the next function in the memory of the call under way; none where there is no call.
[[gnu::always_inline]] inline Remembered* next_place() {
    if (current == nullptr) {
        return nullptr;
    }
    if (current->next == current->end) {
        if (current->memory->size() == longest_memory) {
            return nullptr;
        }
        extend(*current);
    }
    return current->next++;
}

/// compute() unless the same was computed last time.
template <class Compute>
Lanes value_of(double (*one)(double), double (*two)(double, double), const Lanes& a, const Lanes& b, Compute compute) {
    Remembered* const here = next_place();
    if (here == nullptr) {
        return compute();
    }
    if (here->one != one || here->two != two || !same_bits(here->a, a) || !same_bits(here->b, b)) {
        *here = {a, b, compute(), {}, one, two};
    }
    return here->first;
}

constexpr double (*the_sine)(double) = sin;

/// A sine as `first` and its cosine as `second`, as they are remembered; null where there is no call.
[[gnu::always_inline]] inline const Remembered* sine_and_cosine(const Lanes& a) {
    Remembered* const here = next_place();
    if (here == nullptr) {
        return nullptr;
    }
    const Remembered* const last = std::exchange(current->sine, here);
    if (here->one == the_sine && same_bits(here->a, a)) {
        return here;
    }
    here->one = the_sine;
    here->two = nullptr;
    here->a = a;
    if (last != nullptr && same_bits(last->a, a)) {
        here->first = last->first;
        here->second = last->second;
    } else {
        compute_sine_and_cosine(a, here->first, here->second);
    }
    return here;
}

}  // namespace

namespace lanes_detail {

Lanes value(double (*function)(double), const Lanes& a) {
    return value_of(function, nullptr, a, a, [&] { return each_lane(function, a); });
}
Lanes value(double (*function)(double, double), const Lanes& a, const Lanes& b) {
    return value_of(nullptr, function, a, b, [&] { return each_lane(function, a, b); });
}

void disagree() {
    if (current != nullptr) {
        current->agreed = false;
    }
}

}  // namespace lanes_detail

Lanes sin(const Lanes& a) {
    if (const auto* const remembered = sine_and_cosine(a)) {
        return remembered->first;
    }
    Lanes sine, cosine;
    compute_sine_and_cosine(a, sine, cosine);
    return sine;
}
Lanes cos(const Lanes& a) {
    if (const auto* const remembered = sine_and_cosine(a)) {
        return remembered->second;
    }
    Lanes sine, cosine;
    compute_sine_and_cosine(a, sine, cosine);
    return cosine;
}
Lanes sqrt(const Lanes& a) {
    return each_lane([](double x) { return std::sqrt(x); }, a);
}

LanesCall::LanesCall(LanesMemory& memory)
    : call_{&memory, memory.data(), memory.data() + memory.size()}, before_(std::exchange(current, &call_)) {}
LanesCall::~LanesCall() {
    current = before_;
}

}  // namespace lento
