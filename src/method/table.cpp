/// The table of methods: a line each.
#include "lento/run/method.hpp"

namespace lento {

std::span<const Method* const> methods() {
    using namespace method;
    static constexpr std::array all{&hmm_sync,   &hmm_async,          &shake_shake, &rattle_shake, &hmm_stiff,
                                    &ipa,        &bounded_derivative, &sam,         &lips,         &multirevolution,
                                    &reversible, &harmonic,           &direct};
    return all;
}

}  // namespace lento
