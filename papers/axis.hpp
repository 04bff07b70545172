/// One axis of a picture: what it shows, where a value lies on it, and its ticks.
#pragma once

#include <string>
#include <vector>

namespace lento::papers {

enum class Scale { linear, logarithmic };

struct Tick {
    double value = 0;
    std::string label;  ///< empty for a minor one
};

class Axis {
public:
    explicit Axis(Scale scale) : scale_(scale) {}

    /// Makes room for a value, if the axis can show it: zero has no place on a logarithmic one.
    void include(double value);
    /// Some air on both sides of all that was included.
    void widen();
    /// More air, until the axis is so long (in its own measure: powers of ten if it is logarithmic).
    void stretch(double length);
    double length() const { return to_ - from_; }

    /// From 0 at the beginning of the axis to 1 at its end; not finite for what it cannot show.
    double share(double value) const { return (place(value) - from_) / length(); }

    std::vector<Tick> ticks() const;

private:
    double place(double value) const;
    std::vector<Tick> logarithmic_ticks() const;

    Scale scale_;
    double from_ = 1, to_ = -1;  // nothing
};

}  // namespace lento::papers
