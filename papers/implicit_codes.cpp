#include "implicit_codes.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

namespace lento::papers {
namespace {

std::span<double> view(N_Vector v) {
    return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

int call(double t, N_Vector y, N_Vector derivative, void* rate) {
    (*static_cast<const FirstOrderRate*>(rate))(t, view(y), view(derivative));
    return 0;
}

void keep_quiet(int, const char*, const char*, char*, void*) {}

/// Two steps of h/2, stages at 0, h/2, h; and one of h. The embedded solution is what Richardson makes of both.
struct TwoTrapezoids {
    static constexpr int stages = 4;
    std::array<double, 4> c{0, 1. / 2, 1, 1};
    std::array<std::array<double, 4>, 4> a{
        {{0, 0, 0, 0}, {1. / 4, 1. / 4, 0, 0}, {1. / 4, 1. / 2, 1. / 4, 0}, {1. / 2, 0, 0, 1. / 2}}};
    std::array<double, 4> b{1. / 4, 1. / 2, 1. / 4, 0};
    std::array<double, 4> embedded{1. / 6, 2. / 3, 1. / 3, -1. / 6};
};

using Table = std::unique_ptr<ARKodeButcherTableMem, decltype(&ARKodeButcherTable_Free)>;

Table table_of(std::string_view code) {
    if (code == "tr-bdf2") {
        return {ARKodeButcherTable_LoadDIRK(ARKODE_TRBDF2_3_3_2), &ARKodeButcherTable_Free};
    }
    const TwoTrapezoids source;
    Table table(ARKodeButcherTable_Alloc(TwoTrapezoids::stages, SUNTRUE), &ARKodeButcherTable_Free);
    table->q = 2;
    table->p = 3;
    for (std::size_t i = 0; i < source.c.size(); ++i) {
        std::ranges::copy(source.a[i], table->A[i]);
        table->c[i] = source.c[i];
        table->b[i] = source.b[i];
        table->d[i] = source.embedded[i];
    }
    return table;
}

template <class Handle, auto release>
struct Release {
    void operator()(Handle handle) const { release(handle); }
};
template <class Handle, auto release>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release<Handle, release>>;

}  // namespace

bool march_implicit(std::string_view code, const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance,
                    std::vector<double>& y) {
    const ::sundials::Context context;
    SUNContext raw = context;
    const auto n = static_cast<sunindextype>(y.size());
    const Owned<N_Vector, N_VDestroy> state(N_VNew_Serial(n, raw));
    std::ranges::copy(y, view(state.get()).begin());
    const Owned<SUNMatrix, SUNMatDestroy> matrix(SUNDenseMatrix(n, n, raw));
    const Owned<SUNLinearSolver, SUNLinSolFree> linear(SUNLinSol_Dense(state.get(), matrix.get(), raw));
    const auto table = table_of(code);
    auto* memory = ARKStepCreate(nullptr, call, interval.from, state.get(), raw);
    const auto release = [](void* owned) { ARKStepFree(&owned); };
    const std::unique_ptr<void, decltype(release)> owner(memory, release);
    const std::array flags{
        ARKStepSetErrHandlerFn(memory, keep_quiet, nullptr),
        ARKStepSetUserData(memory, const_cast<FirstOrderRate*>(&rate)),
        ARKStepSStolerances(memory, tolerance.relative, tolerance.absolute),
        ARKStepSetTables(memory, table->q, table->p, table.get(), nullptr),
        ARKStepSetLinearSolver(memory, linear.get(), matrix.get()),
        ARKStepSetMaxNumSteps(memory, -1),
        ARKStepSetStopTime(memory, interval.to),
    };
    double t = interval.from;
    const bool ready = std::ranges::all_of(flags, [](int flag) { return flag >= 0; });
    const bool done = ready && ARKStepEvolve(memory, interval.to, state.get(), &t, ARK_NORMAL) >= 0;
    std::ranges::copy(view(state.get()), y.begin());
    return done && t == interval.to;
}

}  // namespace lento::papers
