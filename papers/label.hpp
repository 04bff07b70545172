/// Labels in pictures, written in plain ASCII as in the text of a table and set with letters and indices:
///
///     omega = 10^4     eps=2^-12     x_1'     O(omega^{-2})
///
/// A Greek letter is spelled out, as a word of its own; `_` and `^` lower and raise the sign and the letters and digits
/// that follow, or what stands in braces; an apostrophe after a letter or digit is a prime, unless a letter follows.
#pragma once

#include <string>

namespace lento::papers {

/// The content of an SVG element <text> of the font size given.
std::string set_label(const std::string& label, double size);

/// About so wide, in the widest of the usual fonts without serifs.
double label_width(const std::string& label, double size);

}  // namespace lento::papers
