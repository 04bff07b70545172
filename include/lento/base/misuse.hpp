/// Misuse: a bad model, a bad option, a bad argument. The message says what was given, what was expected and where.
/// Whatever can go wrong in a run that was set up properly is an Outcome, not an exception.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] lento {

class Misuse : public std::invalid_argument {
public:
    using std::invalid_argument::invalid_argument;
};

/// Throws unless `value` is a finite number above zero.
void require_positive(double value, std::string_view what);

/// Throws unless `value` is one of the values that `what` can have.
void require_one_of(std::string_view what, std::string_view value, const std::vector<std::string>& known);

/// The entry of `known` nearest to `name` by edit distance, as " (did you mean 'x'?)"; empty if none is near.
std::string suggestion(std::string_view name, std::span<const std::string> known);

/// "a, b, c"
std::string listed(std::span<const std::string> names);

}  // namespace lento
