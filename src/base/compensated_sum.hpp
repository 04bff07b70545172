/// Sums that keep their digits: forces of size omega that cancel to size one leave a mean accurate to rounding.
///
/// Each addition carries its rounding error along, found exactly by the branch-free two-sum of Knuth:
///     s = a + b,  b' = s - a,  error = (a - (s - b')) + (b - b').
#pragma once

#include "base/vector.hpp"

namespace lento {

template <class S>
struct CompensatedSum {
    S sum{};
    S carry{};

    constexpr void add(S term) {
        const S total = sum + term;
        const S taken = total - sum;
        carry += (sum - (total - taken)) + (term - taken);
        sum = total;
    }
    constexpr S value() const { return sum + carry; }
};

/// One compensated sum per component of a vector, stored by columns so that the loop is a vector loop.
template <class S, std::size_t Extent = std::dynamic_extent>
class CompensatedVectorSum {
public:
    explicit CompensatedVectorSum(std::size_t dimension)
        : sum_(make_vector<S, Extent>(dimension)), carry_(make_vector<S, Extent>(dimension)) {}

    void clear() {
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            sum_[i] = carry_[i] = S{};
        }
    }
    /// Adds weight * term.
    void add(S weight, std::span<const S, Extent> term) {
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            CompensatedSum<S> one{sum_[i], carry_[i]};
            one.add(weight * term[i]);
            sum_[i] = one.sum;
            carry_[i] = one.carry;
        }
    }
    void value(std::span<S, Extent> result) const {
        for (std::size_t i = 0; i < sum_.size(); ++i) {
            result[i] = sum_[i] + carry_[i];
        }
    }

private:
    Vector<S, Extent> sum_, carry_;
};

}  // namespace lento
