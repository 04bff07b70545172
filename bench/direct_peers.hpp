/// The solvers that `direct` is measured against, each set up as its documents advise, on problems of
/// `bench/direct_problems.hpp`. All of them take one tolerance, absolute and relative alike: components are of order
/// one.
#pragma once

#include <array>
#include <boost/numeric/odeint.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "step/dop853_tableau.hpp"

namespace bench {

namespace odeint = boost::numeric::odeint;

/// The state at the end, in the units of the model, and what it took.
template <std::size_t N>
struct End {
    std::array<double, N> y{};
    std::int64_t evaluations = 0;
    double seconds = 0;
};

template <class P, class State>
End<P::size> end_of(const State& y, std::int64_t evaluations) {
    End<P::size> end{.evaluations = evaluations};
    for (std::size_t i = 0; i < P::size; ++i) {
        end.y[i] = static_cast<double>(y[i] * typename State::value_type(P::units[i]));
    }
    return end;
}

/// The rate as Boost.odeint calls it, with a count.
template <class P, class Real>
struct Rate {
    using State = std::array<Real, P::size>;
    std::int64_t* count;
    void operator()(const State& y, State& dy, Real t) const {
        ++*count;
        P::template rate<Real>(y.data(), dy.data(), t);
    }
};

template <class P, class Real, class Stepper>
End<P::size> by_odeint(Stepper stepper) {
    std::int64_t count = 0;
    typename Rate<P, Real>::State y;
    std::copy(P::start.begin(), P::start.end(), y.begin());
    odeint::integrate_adaptive(stepper, Rate<P, Real>{&count}, y, Real(0), Real(P::t_end), Real(1e-6 * P::t_end));
    return end_of<P>(y, count);
}
template <class P>
End<P::size> by_dopri5(double tolerance) {
    using State = std::array<double, P::size>;
    return by_odeint<P, double>(odeint::make_controlled(tolerance, tolerance, odeint::runge_kutta_dopri5<State>()));
}
template <class P, class Real = double>
End<P::size> by_bulirsch_stoer(double tolerance) {
    using State = std::array<Real, P::size>;
    return by_odeint<P, Real>(odeint::bulirsch_stoer<State, Real>(Real(tolerance), Real(tolerance)));
}
/// For references alone.
template <class P>
End<P::size> by_long_fehlberg(double tolerance) {
    using State = std::array<long double, P::size>;
    return by_odeint<P, long double>(odeint::make_controlled(static_cast<long double>(tolerance),
                                                             static_cast<long double>(tolerance),
                                                             odeint::runge_kutta_fehlberg78<State, long double>()));
}

/// DOP853 as the authors' program and SciPy have it, written for this many components with nothing to spare: the
/// root-mean-square norm of both estimates, tolerances by the larger of both ends, no dense output.
template <class P>
End<P::size> by_hand_dop853(double tolerance) {
    using State = std::array<double, P::size>;
    constexpr auto& tableau = lento::dop853_tableau;
    constexpr std::size_t stages = lento::Dop853Tableau::last;
    State y = P::start;
    std::array<State, stages + 1> k;
    std::int64_t count = 1;
    P::template rate<double>(y.data(), k[0].data(), 0.0);
    double t = 0;
    double h = 1e-6 * P::t_end;
    bool rejected = false;
    while (t < P::t_end) {
        h = std::min(h, P::t_end - t);
        State point;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            const auto stage = [&]<std::size_t S>() {
                for (std::size_t i = 0; i < P::size; ++i) {
                    double sum = 0;
                    for (std::size_t j = 0; j < S; ++j) {
                        sum += tableau.a[S][j] * k[j][i];
                    }
                    point[i] = y[i] + h * sum;
                }
                if constexpr (S < stages) {
                    P::template rate<double>(point.data(), k[S].data(), t + tableau.c[S] * h);
                    ++count;
                }
            };
            (stage.template operator()<I + 1>(), ...);
        }
        (std::make_index_sequence<stages>());
        double five = 0;
        double three = 0;
        for (std::size_t i = 0; i < P::size; ++i) {
            double e5 = 0;
            double e3 = 0;
            for (std::size_t j = 0; j < stages; ++j) {
                e5 += tableau.error5[j] * k[j][i];
                e3 += tableau.error3[j] * k[j][i];
            }
            const double scale = tolerance + tolerance * std::max(std::abs(y[i]), std::abs(point[i]));
            five += e5 * e5 / (scale * scale);
            three += e3 * e3 / (scale * scale);
        }
        const double both = five + 0.01 * three;
        const double error = both > 0 ? h * five / std::sqrt(both * static_cast<double>(P::size)) : 0.0;
        const double factor = error > 0 ? 0.9 * std::pow(error, -1.0 / 8) : 10.0;
        if (error < 1) {
            t = h >= P::t_end - t ? P::t_end : t + h;
            y = point;
            P::template rate<double>(y.data(), k[0].data(), t);
            ++count;
            h *= std::min(rejected ? 1.0 : 10.0, factor);
            rejected = false;
        } else {
            h *= std::max(0.2, factor);
            rejected = true;
        }
    }
    return end_of<P>(y, count);
}

template <class P>
int sundials_rate(sunrealtype t, N_Vector y, N_Vector dy, void* count) {
    ++*static_cast<std::int64_t*>(count);
    P::template rate<double>(N_VGetArrayPointer(y), N_VGetArrayPointer(dy), t);
    return 0;
}
/// A solver that does not come to the end at a tolerance.
struct GivesUp : std::runtime_error {
    using std::runtime_error::runtime_error;
};
inline void require(int flag) {
    if (flag < 0) {
        throw GivesUp("SUNDIALS says " + std::to_string(flag));
    }
}

template <class P>
class Sundials {
public:
    Sundials() : y_(N_VNew_Serial(P::size, context_)) {
        std::copy(P::start.begin(), P::start.end(), N_VGetArrayPointer(y_));
    }
    ~Sundials() { N_VDestroy(y_); }
    Sundials(const Sundials&) = delete;
    Sundials& operator=(const Sundials&) = delete;

    /// Adams formulas of orders 1 to 12 with functional iteration.
    End<P::size> adams(double tolerance) {
        const Handle memory(CVodeCreate(CV_ADAMS, context_), CVodeFree);
        const std::unique_ptr<_generic_SUNNonlinearSolver, int (*)(SUNNonlinearSolver)> solver(
            SUNNonlinSol_FixedPoint(y_, 0, context_), [](SUNNonlinearSolver s) { return SUNNonlinSolFree(s); });
        require(CVodeInit(memory.get(), &sundials_rate<P>, 0.0, y_));
        require(CVodeSetErrFile(memory.get(), nullptr));
        require(CVodeSStolerances(memory.get(), tolerance, tolerance));
        require(CVodeSetNonlinearSolver(memory.get(), solver.get()));
        require(CVodeSetUserData(memory.get(), &count_));
        require(CVodeSetMaxNumSteps(memory.get(), most_));
        require(CVodeSetStopTime(memory.get(), P::t_end));
        double t = 0;
        require(CVode(memory.get(), P::t_end, y_, &t, CV_NORMAL));
        return end();
    }
    /// An explicit Runge-Kutta pair of ARKODE.
    End<P::size> runge_kutta(ARKODE_ERKTableID table, double tolerance) {
        const Handle memory(ERKStepCreate(&sundials_rate<P>, 0.0, y_, context_), ERKStepFree);
        require(ERKStepSetErrFile(memory.get(), nullptr));
        require(ERKStepSetTableNum(memory.get(), table));
        require(ERKStepSStolerances(memory.get(), tolerance, tolerance));
        require(ERKStepSetUserData(memory.get(), &count_));
        require(ERKStepSetMaxNumSteps(memory.get(), most_));
        require(ERKStepSetStopTime(memory.get(), P::t_end));
        double t = 0;
        require(ERKStepEvolve(memory.get(), P::t_end, y_, &t, ARK_NORMAL));
        return end();
    }

private:
    /// What CVodeCreate and ERKStepCreate make.
    class Handle {
    public:
        Handle(void* memory, void (*free)(void**)) : memory_(memory), free_(free) {}
        ~Handle() { free_(&memory_); }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;
        void* get() const { return memory_; }

    private:
        void* memory_;
        void (*free_)(void**);
    };
    static constexpr long most_ = 1'000'000;
    End<P::size> end() const {
        std::array<double, P::size> y;
        std::copy_n(N_VGetArrayPointer(y_), P::size, y.begin());
        return end_of<P>(y, count_);
    }

    sundials::Context context_;
    N_Vector y_;
    std::int64_t count_ = 0;
};

}  // namespace bench
