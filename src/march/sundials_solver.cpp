#include "march/sundials_solver.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <arkode/arkode_butcher.h>
#include <cvode/cvode_ls.h>
#include <fmt/format.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "lento/base/misuse.hpp"
#include "step/tableaus.hpp"

namespace lento {
namespace {

Out view(N_Vector v) {
    return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))};
}

SundialsCalls& calls_of(void* data) {
    return *static_cast<SundialsCalls*>(data);
}

int call_rate(double t, N_Vector y, N_Vector derivative, void* data) {
    return calls_of(data).rate(t, view(y), view(derivative));
}

int call_roots(double t, N_Vector y, double* values, void* data) {
    return calls_of(data).roots(t, view(y), {values, calls_of(data).root_count()});
}

void call_error(int code, const char*, const char*, char* message, void* data) {
    if (code != CV_WARNING) {
        calls_of(data).last_words = message;
    }
}

template <class Handle>
Handle made(Handle handle) {
    if (handle == nullptr) {
        throw std::bad_alloc();  // the only way the constructors of SUNDIALS fail
    }
    return handle;
}

}  // namespace

int SundialsCalls::rate(double t, In y, Out derivative) noexcept try {
    for (const auto& known : remembered_) {
        if (known.t == t && std::ranges::equal(y, known.y)) {
            std::ranges::copy(known.derivative, derivative.begin());
            return 0;
        }
    }
    if (!are_finite(y)) {
        return 1;
    }
    rate_(t, y, derivative);
    if (!are_finite(derivative)) {
        return 1;
    }
    if (remembers_) {
        remembered_.push_back({t, {y.begin(), y.end()}, {derivative.begin(), derivative.end()}});
    }
    return 0;
} catch (...) {
    thrown_ = std::current_exception();
    return -1;
}

bool SundialsCalls::are_finite(In values) {
    const auto wrong = first_not_finite(values);
    culprit_ = culprit_ ? culprit_ : wrong;
    return !wrong;
}

int SundialsCalls::roots(double t, In y, Out values) noexcept try {
    roots_.functions(t, y, values);
    return 0;
} catch (...) {
    thrown_ = std::current_exception();
    return -1;
}

struct SundialsPackage {
    decltype(&CVodeFree) free;
    decltype(&CVodeSetErrHandlerFn) set_error_handler;
    decltype(&CVodeSetUserData) set_user_data;
    decltype(&CVodeSStolerances) set_tolerances;
    decltype(&CVodeSVtolerances) set_tolerances_each;
    decltype(&CVodeSetStopTime) set_stop_time;
    decltype(&CVodeSetMaxNumSteps) set_most_steps;
    decltype(&CVodeRootInit) find_roots;
    decltype(&CVode) evolve;
    decltype(&CVodeGetDky) derivative;
    decltype(&CVodeGetCurrentTime) current_time;
    decltype(&CVodeGetLastStep) last_step;
    decltype(&CVodeGetRootInfo) root_directions;
    decltype(&CVodeGetReturnFlagName) flag_name;
};

namespace {

constexpr SundialsPackage cvode{.free = CVodeFree,
                                .set_error_handler = CVodeSetErrHandlerFn,
                                .set_user_data = CVodeSetUserData,
                                .set_tolerances = CVodeSStolerances,
                                .set_tolerances_each = CVodeSVtolerances,
                                .set_stop_time = CVodeSetStopTime,
                                .set_most_steps = CVodeSetMaxNumSteps,
                                .find_roots = CVodeRootInit,
                                .evolve = CVode,
                                .derivative = CVodeGetDky,
                                .current_time = CVodeGetCurrentTime,
                                .last_step = CVodeGetLastStep,
                                .root_directions = CVodeGetRootInfo,
                                .flag_name = CVodeGetReturnFlagName};
constexpr SundialsPackage erkstep{.free = ERKStepFree,
                                  .set_error_handler = ERKStepSetErrHandlerFn,
                                  .set_user_data = ERKStepSetUserData,
                                  .set_tolerances = ERKStepSStolerances,
                                  .set_tolerances_each = ERKStepSVtolerances,
                                  .set_stop_time = ERKStepSetStopTime,
                                  .set_most_steps = ERKStepSetMaxNumSteps,
                                  .find_roots = ERKStepRootInit,
                                  .evolve = ERKStepEvolve,
                                  .derivative = ERKStepGetDky,
                                  .current_time = ERKStepGetCurrentTime,
                                  .last_step = ERKStepGetLastStep,
                                  .root_directions = ERKStepGetRootInfo,
                                  .flag_name = ERKStepGetReturnFlagName};
// One set of flags serves both.
static_assert(int{CV_ONE_STEP} == ARK_ONE_STEP && CV_ROOT_RETURN == ARK_ROOT_RETURN && CV_WARNING == ARK_WARNING);
static_assert(CV_TOO_MUCH_ACC == ARK_TOO_MUCH_ACC && CV_ERR_FAILURE == ARK_ERR_FAILURE &&
              CV_CONV_FAILURE == ARK_CONV_FAILURE);

}  // namespace

SundialsSolver::SundialsSolver(const SundialsPackage& package, SundialsCalls& calls, double end, In y0)
    : package_(package),
      calls_(calls),
      end_(end),
      y_(made(N_VNew_Serial(static_cast<sunindextype>(y0.size()), context_))),
      work_(made(N_VClone(y_.get()))),
      memory_(nullptr, {package.free}) {
    std::ranges::copy(y0, view(y_.get()).begin());
}

void SundialsSolver::own(void* memory) {
    memory_.reset(made(memory));
    require(package_.set_error_handler(memory, call_error, &calls_));
    require(package_.set_user_data(memory, &calls_));
}

void SundialsSolver::set_up(const Tolerance& tolerance) {
    if (tolerance.scales.empty()) {
        require(package_.set_tolerances(memory_.get(), tolerance.relative, tolerance.absolute));
    } else {
        const auto absolute = view(work_.get());
        for (std::size_t i = 0; i < absolute.size(); ++i) {
            absolute[i] = tolerance.absolute_of(i);
        }
        require(package_.set_tolerances_each(memory_.get(), tolerance.relative, work_.get()));  // SUNDIALS copies them
    }
    require(package_.set_stop_time(memory_.get(), end_));
    require(package_.set_most_steps(memory_.get(), -1));
    if (calls_.root_count() > 0) {
        require(package_.find_roots(memory_.get(), static_cast<int>(calls_.root_count()), call_roots));
    }
}

void SundialsSolver::require(int flag) const {
    if (flag < 0) {
        throw Misuse(fmt::format("SUNDIALS refuses a setting: {}", last_words(flag)));
    }
}

SundialsSolver::Advance SundialsSolver::advance() {
    double t = 0;
    const int flag = package_.evolve(memory_.get(), end_, y_.get(), &t, CV_ONE_STEP);
    return {flag < 0 ? End::failure : flag == CV_ROOT_RETURN ? End::root : End::step, t, flag};
}

In SundialsSolver::y() const {
    return view(y_.get());
}

double SundialsSolver::last_step() const {
    double h = 0;
    package_.last_step(memory_.get(), &h);
    return h;
}

std::optional<DenseStep> SundialsSolver::dense(double from, double to) {
    return calls_.remembering([&]() -> std::optional<DenseStep> {
        const int highest = degree();
        DenseStep dense(from, to, y().size(), static_cast<std::size_t>(highest));
        // After a root in the last digits of a step, `from` may lie in them too: SUNDIALS begins the next step later.
        double now = 0;
        package_.current_time(memory_.get(), &now);
        const double start = std::max(from, now - last_step());
        double scale = 1;  // (to - from)^k / k!
        for (int k = 0; k <= highest; ++k) {
            if (package_.derivative(memory_.get(), start, k, work_.get()) < 0) {
                return std::nullopt;
            }
            std::ranges::transform(view(work_.get()), dense.coefficient(static_cast<std::size_t>(k)).begin(),
                                   [&](double derivative) { return scale * derivative; });
            scale *= (to - from) / (k + 1);
        }
        return dense;
    });
}

std::vector<int> SundialsSolver::roots() const {
    std::vector<int> directions(calls_.root_count());
    package_.root_directions(memory_.get(), directions.data());
    return directions;
}

std::string SundialsSolver::last_words(int flag) const {
    std::string words = calls_.last_words;
    if (words.empty()) {
        const std::unique_ptr<char, decltype(&std::free)> name(package_.flag_name(flag), &std::free);
        words = name.get();
    }
    words.erase(words.find_last_not_of(". \n") + 1);
    return words;
}

namespace {

class Multistep : public SundialsSolver {
public:
    Multistep(int method, SundialsCalls& calls, Interval interval, const Tolerance& tolerance, In y0)
        : SundialsSolver(cvode, calls, interval.to, y0), method_(method) {
        own(CVodeCreate(method, context_));
        require(CVodeInit(memory_.get(), call_rate, interval.from, y_.get()));
        set_up(tolerance);
        if (method == CV_ADAMS) {
            nonlinear_.reset(made(SUNNonlinSol_FixedPoint(y_.get(), 0, context_)));
            require(CVodeSetNonlinearSolver(memory_.get(), nonlinear_.get()));
        } else {
            set_linear_solver();
        }
    }

    void count(MarchResult& result) const override {
        long steps = 0, failed_tests = 0, failed_solves = 0, iterations = 0;
        CVodeGetNumSteps(memory_.get(), &steps);
        CVodeGetNumErrTestFails(memory_.get(), &failed_tests);
        CVodeGetNumStepSolveFails(memory_.get(), &failed_solves);
        CVodeGetNumNonlinSolvIters(memory_.get(), &iterations);
        result.steps = steps;
        result.rejected = failed_tests + failed_solves;
        result.newton_iterations = method_ == CV_BDF ? iterations : 0;
    }

private:
    /// A Jacobian by differences costs a rate per unknown; beyond some hundred, GMRES, which needs a few products.
    void set_linear_solver() {
        constexpr sunindextype most_dense = 200;
        // NOTE: without a preconditioner SUNDIALS' 5 is too few: heat on a rod of 1000 cells took 14065 steps, with 50
        // only 323.
        constexpr int krylov_dimension = 50;
        const sunindextype n = N_VGetLength(y_.get());
        if (n <= most_dense) {
            matrix_.reset(made(SUNDenseMatrix(n, n, context_)));
            linear_.reset(made(SUNLinSol_Dense(y_.get(), matrix_.get(), context_)));
        } else {
            linear_.reset(made(SUNLinSol_SPGMR(y_.get(), SUN_PREC_NONE, krylov_dimension, context_)));
        }
        require(CVodeSetLinearSolver(memory_.get(), linear_.get(), matrix_.get()));
    }

    int degree() const override {
        int order = 0;
        CVodeGetLastOrder(memory_.get(), &order);
        return order;
    }

    int method_;
};

using Table = std::unique_ptr<ARKodeButcherTableMem, decltype(&ARKodeButcherTable_Free)>;

/// NOTE: with a last stage that is the rate at the new point, which SUNDIALS 6.4 takes for granted where c = 1.
Table prince_dormand() {
    constexpr auto source = prince_dormand_tableau.in<double>();
    constexpr std::size_t last = source.stages;
    Table table(made(ARKodeButcherTable_Alloc(static_cast<int>(last) + 1, SUNTRUE)), &ARKodeButcherTable_Free);
    table->q = source.order;
    table->p = source.order - 1;
    for (std::size_t i = 0; i < last; ++i) {
        std::copy_n(source.a[i].begin(), i, table->A[i]);
        table->c[i] = source.c[i];
        table->b[i] = table->A[last][i] = source.b[i];
        table->d[i] = source.b[i] - source.error[i];
    }
    table->c[last] = 1;
    return table;
}

class ExplicitRungeKutta : public SundialsSolver {
public:
    ExplicitRungeKutta(int order, SundialsCalls& calls, Interval interval, const Tolerance& tolerance, In y0)
        : SundialsSolver(erkstep, calls, interval.to, y0),
          order_(order),
          t_(interval.from),
          before_(made(N_VClone(y_.get()))) {
        own(ERKStepCreate(call_rate, interval.from, y_.get(), context_));
        require(order == 8 ? ERKStepSetTable(memory_.get(), prince_dormand().get())
                           : ERKStepSetOrder(memory_.get(), order));
        set_up(tolerance);
    }

    /// NOTE: ERKStep gives up where CVODE would try again, at a rate that is not finite. So it is begun anew from the
    /// last point, as often and with as much smaller steps as CVODE's.
    Advance advance() override {
        constexpr int most_trials = 10;
        N_VScale(1, y_.get(), before_.get());
        Advance advance = SundialsSolver::advance();
        double h = 0;
        ERKStepGetCurrentStep(memory_.get(), &h);
        for (int n = 0; n < most_trials && advance.flag == ARK_UNREC_RHSFUNC_ERR; ++n) {
            h /= 4;
            require(ERKStepReset(memory_.get(), t_, before_.get()));  // forgets the stop time too
            require(ERKStepSetStopTime(memory_.get(), end_));
            require(ERKStepSetInitStep(memory_.get(), h));
            advance = SundialsSolver::advance();
        }
        t_ = advance.t;
        return advance;
    }

    void count(MarchResult& result) const override {
        long steps = 0, attempts = 0;
        ERKStepGetNumSteps(memory_.get(), &steps);
        ERKStepGetNumStepAttempts(memory_.get(), &attempts);
        result.steps = steps;
        result.rejected = attempts - steps;
    }

private:
    int degree() const override { return std::min(order_ - 1, ARK_INTERP_MAX_DEGREE); }

    int order_;
    double t_;  // where the last advance ended
    Owned<N_Vector> before_;
};

}  // namespace

std::unique_ptr<SundialsSolver> make_sundials_solver(std::string_view name, SundialsCalls& calls, Interval interval,
                                                     const Tolerance& tolerance, In y0) {
    if (name == "cvode-adams" || name == "cvode-bdf") {
        const int method = name == "cvode-bdf" ? CV_BDF : CV_ADAMS;
        return std::make_unique<Multistep>(method, calls, interval, tolerance, y0);
    }
    const int order = name == "arkode-8" ? 8 : name == "arkode-5" ? 5 : 4;
    return std::make_unique<ExplicitRungeKutta>(order, calls, interval, tolerance, y0);
}

}  // namespace lento
