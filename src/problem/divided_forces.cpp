#include "problem/divided_forces.hpp"

#include <algorithm>
#include <limits>

#include "lento/base/scratch.hpp"
#include "problem/symmetric_factor.hpp"

namespace lento {
namespace {

template <class S>
void divide(const MassFunction& mass, std::span<const S> x, const S& t, std::span<S> f) {
    // NOTE: series are too long for the stack.
    constexpr std::size_t few = std::is_same_v<S, double> ? 32 : 0;
    Scratch<S, few> entries(SymmetricEntries<S>::count(f.size()));
    mass.at(x, t, entries.span());
    if (factorise(entries.span(), f.size())) {
        solve(std::span<const S>(entries.span()), f);
    } else {
        std::fill(f.begin(), f.end(), S(std::numeric_limits<double>::quiet_NaN()));
    }
}

struct Divided {
    std::size_t dimension;
    std::shared_ptr<const MassFunction> mass;
    Forces forces;

    static void at(const void* self, const double* x, const double* v, double t, const double* theta,
                   const double* parameters, double* f) {
        const auto& divided = *static_cast<const Divided*>(self);
        const std::size_t n = divided.dimension;
        divided.forces.at(x, v, t, theta, parameters, f);
        divide(*divided.mass, In(x, n), t, Out(f, n));
    }
    static double one(const void* self, double x, double v, double t, double theta, const double* parameters) {
        const auto& divided = *static_cast<const Divided*>(self);
        double mass = 0;
        divided.mass->at(In(&x, 1), t, Out(&mass, 1));
        const double f = divided.forces.one(x, v, t, theta, parameters);
        return mass > 0 ? f / mass : std::numeric_limits<double>::quiet_NaN();
    }
};

/// Lane by lane.
class DividedBlocks final : public BlockForces {
public:
    explicit DividedBlocks(std::shared_ptr<const Divided> divided)
        : divided_(std::move(divided)), forces_(divided_->forces.blocks()) {}

    void operator()(const Block& block, Out f) override {
        (*forces_)(block, f);
        if (block.degree == 0) {
            lanes<double>(block, f, numbers_);
        } else {
            lanes<Taylor>(block, f, series_);
        }
    }

private:
    template <class S>
    void lanes(const Block& block, Out f, std::vector<S>& space) {
        const std::size_t n = divided_->dimension;
        const BlockLayout layout{n, block.lanes};
        space.resize(2 * n);
        const auto x = std::span(space).first(n);
        const auto force = std::span(space).last(n);
        for (std::size_t k = 0; k < block.lanes; ++k) {
            S t = block.t[k];
            if constexpr (!std::is_arithmetic_v<S>) {
                t = S::variable(block.t[k], block.degree);
            }
            layout.gather(block.degree, block.x, k, x);
            layout.gather(block.degree, In(f), k, force);
            divide<S>(*divided_->mass, x, t, force);
            layout.scatter(block.degree, std::span<const S>(force), k, f);
        }
    }

    std::shared_ptr<const Divided> divided_;
    std::unique_ptr<BlockForces> forces_;
    std::vector<double> numbers_;
    std::vector<Taylor> series_;
};

}  // namespace

void divide_by(const Mass& mass, In x, double t, Out f) {
    divide(mass.function(), x, t, f);
}

Forces divided_by(const Mass& mass, Forces forces) {
    const bool series = forces.takes_series() && mass.function().takes_series();
    const bool one = forces.has_one();
    const auto divided =
        std::make_shared<const Divided>(Divided{mass.dimension(), mass.shared_function(), std::move(forces)});
    Forces::MakeBlocks blocks;
    if (series) {
        blocks = [divided] { return std::make_unique<DividedBlocks>(divided); };
    }
    return {divided, &Divided::at, one ? &Divided::one : nullptr, std::move(blocks)};
}

}  // namespace lento
