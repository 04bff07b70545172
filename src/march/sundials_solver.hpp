/// The solvers of SUNDIALS behind one face: a step at a time, its polynomial, its roots, its counters. The only file
/// that shows SUNDIALS' types.
#pragma once

#include <exception>
#include <type_traits>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>

#include "march/sundials.hpp"

namespace lento {

/// The user's functions as C code calls them: nothing is thrown through it, and it does not see rates that are not
/// finite.
class SundialsCalls {
public:
    SundialsCalls(const FirstOrderRate& rate, const RootSearch& roots) : rate_(rate), roots_(roots) {}

    /// 0, or as SUNDIALS wants it: 1 if the step has to be tried again, -1 if all is lost.
    int rate(double t, In y, Out derivative) noexcept;
    int roots(double t, In y, Out values) noexcept;
    std::size_t root_count() const { return roots_.count; }

    /// The component of the first rate since `forget` that was not finite.
    std::optional<std::size_t> culprit() const { return culprit_; }
    void forget() {
        culprit_.reset();
        last_words.clear();
    }
    void rethrow() const {
        if (thrown_) {
            std::rethrow_exception(thrown_);
        }
    }
    /// Rates asked for twice while `work` runs are made once.
    template <class Work>
    auto remembering(Work&& work) {
        remembers_ = true;
        auto result = work();
        remembers_ = false;
        remembered_.clear();
        return result;
    }

    std::string last_words;  ///< SUNDIALS' last error message

private:
    struct Evaluation {
        double t;
        std::vector<double> y, derivative;
    };

    bool are_finite(In values);

    const FirstOrderRate& rate_;
    const RootSearch& roots_;
    std::optional<std::size_t> culprit_;
    std::exception_ptr thrown_;
    bool remembers_ = false;
    std::vector<Evaluation> remembered_;
};

/// The functions that CVODE and ERKStep have in common.
struct SundialsPackage;

class SundialsSolver {
public:
    enum class End { step, root, failure };
    struct Advance {
        End end;
        double t;
        int flag;
    };

    virtual ~SundialsSolver() = default;
    SundialsSolver(const SundialsSolver&) = delete;
    SundialsSolver& operator=(const SundialsSolver&) = delete;

    /// One step, or the part of it up to the next root.
    virtual Advance advance();
    /// Where the last advance ended.
    In y() const;
    /// The length of the last step, roots within it or not.
    double last_step() const;
    /// Of a part of the last step; nothing if it could not be made.
    std::optional<DenseStep> dense(double from, double to);
    /// For each function +1 if it rises through zero where the last advance ended, -1 if it falls, 0 otherwise.
    std::vector<int> roots() const;
    /// SUNDIALS' own counters.
    virtual void count(MarchResult& result) const = 0;
    /// What SUNDIALS says of a failure, or the name of the flag.
    std::string last_words(int flag) const;

protected:
    struct Release {
        void operator()(N_Vector vector) const { N_VDestroy(vector); }
        void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
        void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
        void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
    };
    template <class Handle>
    using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Release>;
    struct ReleaseMemory {
        void (*free)(void**);
        void operator()(void* memory) const { free(&memory); }
    };

    SundialsSolver(const SundialsPackage& package, SundialsCalls& calls, double end, In y0);
    /// Takes over what CVodeCreate or ERKStepCreate made; from here on SUNDIALS prints nothing.
    void own(void* memory);
    /// What every solver is told.
    void set_up(const Tolerance& tolerance);
    /// Throws if SUNDIALS refuses a setting.
    void require(int flag) const;
    /// Of the polynomial that the last step left behind.
    virtual int degree() const = 0;

    const SundialsPackage& package_;
    SundialsCalls& calls_;
    double end_;
    ::sundials::Context context_;
    // NOTE: released from the last to the first, the solver's memory before the parts it uses.
    Owned<N_Vector> y_, work_;
    Owned<SUNMatrix> matrix_;
    Owned<SUNLinearSolver> linear_;
    Owned<SUNNonlinearSolver> nonlinear_;
    std::unique_ptr<void, ReleaseMemory> memory_;
};

/// One of `sundials_names`.
std::unique_ptr<SundialsSolver> make_sundials_solver(std::string_view name, SundialsCalls& calls, Interval interval,
                                                     const Tolerance& tolerance, In y0);

}  // namespace lento
