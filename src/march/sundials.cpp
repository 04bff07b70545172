#include "march/sundials.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lento/base/misuse.hpp"
#include "march/ending.hpp"
#include "march/sundials_solver.hpp"

namespace lento {
namespace {

/// One march: what goes on between the steps.
class SundialsMarch {
public:
    SundialsMarch(std::string_view name, const FirstOrderRate& rate, Interval interval, const Tolerance& tolerance,
                  std::vector<double>& y, const StepListener& listener, const RootSearch& roots)
        : name_(name),
          interval_(interval),
          tolerance_(tolerance),
          y_(y),
          listener_(listener),
          roots_(roots),
          calls_(rate, roots),
          result_{.reached = interval.from} {}

    MarchResult run(const std::stop_token& stop, std::int64_t budget) {
        if (!starts() || !(interval_.from < interval_.to)) {
            return result_;
        }
        if (y_.empty()) {  // SUNDIALS norms would be 0/0
            result_.reached = interval_.to;
            return result_;
        }
        const auto solver = make_sundials_solver(name_, calls_, interval_, tolerance_, y_);
        while (result_.reached < interval_.to &&
               goes_on(result_, stop, result_.steps + result_.rejected + told_, budget, interval_.to) &&
               advances(*solver)) {
            solver->count(result_);
        }
        solver->count(result_);
        return result_;
    }

private:
    bool starts() {
        std::vector<double> derivative(y_.size());
        const int flag = calls_.rate(interval_.from, y_, derivative);
        calls_.rethrow();
        if (flag != 0) {
            result_ = not_finite_at_start(interval_.from, calls_.culprit());
        }
        return flag == 0;
    }

    /// A step, or the part of it up to the next root.
    bool advances(SundialsSolver& solver) {
        calls_.forget();
        const auto advance = solver.advance();
        calls_.rethrow();
        if (advance.end == SundialsSolver::End::failure) {
            return fails(solver, advance.flag);
        }
        if (const auto culprit = first_not_finite(solver.y())) {
            return diverges(culprit);
        }
        const bool moved = advance.t > result_.reached;
        if (moved && listener_.wants && listener_.wants(advance.t)) {
            auto dense = solver.dense(result_.reached, advance.t);
            calls_.rethrow();
            if (!dense) {
                return fails(solver, 0);
            }
            listener_.take(std::move(*dense));
        }
        std::ranges::copy(solver.y(), y_.begin());
        result_.reached = advance.t;
        if (advance.end == SundialsSolver::End::root) {
            return tell(solver.roots());
        }
        return moved || stalls(solver.last_step());
    }

    /// NOTE: all the roots of one time are told, also after one that ends the march.
    bool tell(const std::vector<int>& directions) {
        bool goes_on = true;
        for (std::size_t which = 0; which < directions.size(); ++which) {
            if (directions[which] != 0) {
                ++told_;
                goes_on &= !roots_.found || roots_.found(result_.reached, which, directions[which], y_);
            }
        }
        return goes_on;
    }

    /// SUNDIALS itself goes on with steps that no longer move the time.
    bool stalls(double step) {
        return stops(
            fmt::format("the step size of {} fell to {:.2g} at t = {:.6g}; loosen rtol and atol, or look for "
                        "a singularity of the force there",
                        name_, step, result_.reached));
    }

    bool diverges(std::optional<std::size_t> culprit) {
        diverge(result_, culprit);
        return false;
    }

    bool fails(const SundialsSolver& solver, int flag) {
        return stops(fmt::format("{} could not go on from t = {:.6g}: {}; {}", name_, result_.reached,
                                 solver.last_words(flag), advice(flag)));
    }

    std::string_view advice(int flag) const {
        switch (flag) {
            case CV_ERR_FAILURE:
            case CV_CONV_FAILURE:
                return "loosen rtol and atol, or look for a singularity of the force there";
            case CV_TOO_MUCH_ACC:
                return "loosen rtol and atol";
            default:
                return tolerance_.absolute > 0 ? "try another solver" : "give atol a value above 0";
        }
    }

    bool stops(std::string explanation) {
        if (calls_.culprit()) {
            return diverges(calls_.culprit());
        }
        result_.outcome = Outcome::not_converged;
        result_.explanation = std::move(explanation);
        return false;
    }

    std::string_view name_;
    Interval interval_;
    Tolerance tolerance_;
    std::vector<double>& y_;
    const StepListener& listener_;
    const RootSearch& roots_;
    SundialsCalls calls_;
    MarchResult result_;
    std::int64_t told_ = 0;  // roots
};

}  // namespace

const std::vector<std::string>& sundials_names() {
    static const std::vector<std::string> names{"cvode-adams", "cvode-bdf", "arkode-4", "arkode-5", "arkode-8"};
    return names;
}

MarchResult march_sundials(std::string_view name, const FirstOrderRate& rate, Interval interval,
                           const Tolerance& tolerance, std::vector<double>& y, const StepListener& listener,
                           const std::stop_token& stop, std::int64_t budget, const RootSearch& roots) {
    const auto& names = sundials_names();
    if (std::ranges::find(names, name) == names.end()) {
        throw Misuse(fmt::format("'{}' is not a solver of SUNDIALS{}; there are {}", name, suggestion(name, names),
                                 listed(names)));
    }
    return SundialsMarch(name, rate, interval, tolerance, y, listener, roots).run(stop, budget);
}

}  // namespace lento
