/// A march over the revolutions of a map, without its steps: where it stands, how it ends, what it tells its listener.
#pragma once

#include "lento/step/dense.hpp"
#include "march/map_march.hpp"

namespace lento::map_march {

using State = std::vector<double>;  ///< z = (y, t), or a change of it

/// z as a polynomial in s = m/N, m revolutions after the beginning of a step of N.
struct StepPolynomial {
    std::vector<State> coefficients{};

    double value(std::size_t component, double s) const {
        double sum = 0;
        for (std::size_t k = coefficients.size(); k-- > 0;) {
            sum = sum * s + coefficients[k][component];
        }
        return sum;
    }
    double slope(std::size_t component, double s) const {
        double sum = 0;
        for (std::size_t k = coefficients.size(); k-- > 1;) {
            sum = sum * s + static_cast<double>(k) * coefficients[k][component];
        }
        return sum;
    }
};

/// Of z = (y, t).
enum class Part { all, state };

State plus(const State& z, const State& D);

class Journey {
public:
    Journey(const MapChange& change, const MapMarchSettings& settings, State& z, const StepListener& listener);

    const State& z() const { return z_; }
    const State& D() const { return D_; }
    double t() const { return z_[d_]; }
    double revolutions() const { return revolutions_; }
    double revolutions_left() const { return (settings_.t_end - t()) / D_[d_]; }
    /// N, but not farther than the end.
    double within_reach(double N) const;
    bool goes_on(const std::stop_token& stop);

    void evaluate(const State& z, State& D) {
        change_(z, D);
        ++evaluations_;
    }
    /// The largest of what `difference` is over the tolerance, in any component; NaN if it is not finite.
    double norm(const State& difference, const State& other, Part part) const;

    /// Accepts a step over N revolutions to z, with D there.
    void arrive(double N, State z, State D, const StepPolynomial& polynomial);
    void rejected() { ++march_.result.rejected; }
    void fail(Outcome outcome, std::string sentence, std::optional<std::size_t> culprit = {});
    /// A revolution after the time t could not be followed.
    void fail_after(double t, std::size_t culprit);
    /// D at two points of a step of N tells its slope there.
    void note_slope(double N, const State& a, const State& Da, const State& b, const State& Db);

    MapMarch finished() && { return std::move(march_); }

private:
    State output(const State& z, double revolutions) const;
    double place_of(const StepPolynomial& polynomial, double t) const;
    DenseStep in_time(double N, const StepPolynomial& polynomial, double to) const;
    void watch_gain();

    const MapChange& change_;
    const MapMarchSettings& settings_;
    const StepListener& listener_;
    State& z_;
    std::size_t d_;
    State D_;
    MapMarch march_;
    double revolutions_ = 0;
    double revolutions_watched_ = 0;
    double longest_move_ = 0;  // between two points whose D were compared
    std::int64_t evaluations_ = 0;
    std::int64_t watched_ = 0;
};

}  // namespace lento::map_march
