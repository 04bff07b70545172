/// The table of methods. A method is one file that fills one of these; everything that is said of it elsewhere is read
/// from here.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "lento/problem/problem.hpp"
#include "lento/run/request.hpp"
#include "lento/solution/solution.hpp"

namespace [[gnu::visibility("default")]] lento {

/// What the slow solution of a method means.
enum class SlowMeaning {
    averaged,        ///< the mean of the motion over its vibration
    stroboscopic,    ///< coincides with the true motion once a period
    slow_manifold,   ///< the motion without its fast oscillation
    slow_variables,  ///< a state with the right slow variables
    true_motion      ///< the motion itself
};
std::string_view name_of(SlowMeaning meaning);

/// Whether a method is for a problem, and at what price.
struct Verdict {
    bool applies = false;
    std::string why;                ///< or why not
    double evaluations = HUGE_VAL;  ///< of the force that it would take, roughly; infinite: `auto` does not take it
    double expected_error = 0;      ///< of the result, in tolerances, as far as the start tells
};

class Run;

struct Method {
    /// An option that it takes, and what it is if nobody gives it.
    struct Option {
        std::string_view name, default_value;
    };

    std::string_view name;
    std::string_view problems;  ///< that it is for, in a few words
    std::string_view paper;     ///< the key of the paper it is from; empty if it is Lento's own
    SlowMeaning slow_is;
    /// By which its error is known: itself, or beside the solution of another.
    enum class Estimate { beside_another, own } estimate = Estimate::beside_another;
    std::string_view summary;
    std::span<const Option> options;
    Verdict (*judge)(const Problem& problem, const Request& request);  ///< may it: the one place that says so
    Solution (*solve)(Run& run);                                       ///< `run/run.hpp`

    /// Every method takes `estimate`.
    bool takes(std::string_view option) const;
};

/// All of them, in the order in which they are listed.
std::span<const Method* const> methods();
/// The one of that name. Throws Misuse, with a suggestion, if there is none.
const Method& method_named(std::string_view name);

namespace method {

// One file each in src/method.
extern const Method hmm_sync, hmm_async, shake_shake, rattle_shake, hmm_stiff, ipa, bounded_derivative, sam, lips,
    multirevolution, reversible, harmonic, direct;

/// The word that stands for the cheapest method that applies.
inline constexpr std::string_view automatic = "auto";

}  // namespace method

}  // namespace lento
