#include "average/constrained_field.hpp"

namespace lento {

MultiplierSeries::MultiplierSeries(const Mass& mass, std::shared_ptr<const Constraints> constraints)
    : normals_(mass, std::move(constraints)),
      matrix_(normals_.pattern(), mass),
      pull_(mass.dimension()),
      scratch_(mass.dimension()) {}

bool MultiplierSeries::eliminate(int degree, In normals, In curvature, Out f) {
    const auto& pattern = normals_.pattern();
    const std::size_t n = normals_.mass().dimension();
    const std::size_t count = pattern.rows();
    const std::size_t size = normals_.size();
    lambda_.resize(static_cast<std::size_t>(degree + 1) * count);
    if (!matrix_.factorise(normals.first(size))) {
        return false;
    }
    // a -= (M^-1 G^T)_j lambda_i, and result += G_j a_i
    // NOTE: what constraints do to a coordinate is summed first: tensions may be far larger than their sum.
    const auto pull = [&](std::size_t j, std::size_t i, Out a) {
        std::ranges::fill(pull_, 0.0);
        normals_.pull(normals.subspan(j * size, size), In(lambda_).subspan(i * count, count), 1, pull_);
        add_to(a, 1, pull_);
    };
    const auto along = [&](std::size_t j, std::size_t i, Out result) {
        for (std::size_t row = 0; row < count; ++row) {
            for (std::size_t e = pattern.start(row); e < pattern.start(row + 1); ++e) {
                result[row] += normals[j * size + e] * f[i * n + pattern.column(e)];
            }
        }
    };
    for (std::size_t k = 0; k <= static_cast<std::size_t>(degree); ++k) {
        const auto a = f.subspan(k * n, n);
        normals_.mass().to_acceleration(a, Out(scratch_));
        for (std::size_t j = 1; j <= k; ++j) {
            pull(j, k - j, a);
        }
        const auto lambda = std::span(lambda_).subspan(k * count, count);
        std::ranges::copy(curvature.subspan(k * count, count), lambda.begin());
        for (std::size_t j = 0; j <= k; ++j) {
            along(j, k - j, lambda);
        }
        matrix_.solve(lambda);
        pull(0, k, a);
    }
    return true;
}

ConstrainedField::ConstrainedField(const Problem& problem)
    : PhaseField(problem),
      problem_(problem),
      forces_(problem.forces.blocks()),
      elimination_(problem_.mass, problem_.constraints),
      ground_(problem),
      mean_(problem.constraints->count()) {}

void ConstrainedField::leave(double t, Out y) {
    before_.assign(y.begin(), y.end());
    if (!ground_.settle(t, y).converged) {
        std::ranges::copy(before_, y.begin());
    }
}

void ConstrainedField::multipliers(double t, In y, Out lambda) {
    const auto x = y.first(dimension());
    const auto v = y.last(dimension());
    force_.resize(dimension());
    problem_.forces.at(x.data(), v.data(), t, problem_.phases_at(t).data(), problem_.parameters.data(), force_.data());
    eliminate(x, v, t);
    std::ranges::copy(elimination_.multipliers(), lambda.begin());
}

void ConstrainedField::blocks(int degree, double t, In x, In v, Out a) {
    const std::size_t n = dimension();
    const std::size_t terms = static_cast<std::size_t>(degree) + 1;
    const BlockLayout layout{n, points()};
    std::ranges::fill(mean_, 0.0);
    numbers_.resize(2 * n);
    series_.resize(2 * n);
    (*forces_)(block(degree, t, x, v, problem_.parameters), a);
    for (std::size_t k = 0; k < points(); ++k) {
        force_.resize(terms * n);
        for (std::size_t j = 0; j < terms; ++j) {
            layout.gather(a.subspan(j * n * points()), k, Out(force_).subspan(j * n, n));
        }
        if (degree == 0) {
            const Out all(numbers_);
            layout.gather(x, k, all.first(n));
            layout.gather(v, k, all.last(n));
            eliminate(all.first(n), all.last(n), t);
        } else {
            const std::span<Taylor> all(series_);
            layout.gather(degree, x, k, all.first(n));
            layout.gather(degree, v, k, all.last(n));
            eliminate(degree, all.first(n), all.last(n), Taylor::variable(t, degree));
        }
        for (std::size_t j = 0; j < terms; ++j) {
            layout.scatter(In(force_).subspan(j * n, n), k, a.subspan(j * n * points()));
        }
        for (std::size_t j = 0; j < mean_.size(); ++j) {
            mean_[j] += elimination_.multipliers()[j] / static_cast<double>(points());
        }
    }
}

void ConstrainedField::eliminate(In x, In v, double t) {
    normals_.resize(elimination_.normals().size());
    curvature_.resize(problem_.constraints->count());
    elimination_.normals().at(x, t, normals_);
    problem_.constraints->curvature(x, v, t, Clock::running, curvature_);
    eliminate(0);
}

void ConstrainedField::eliminate(int degree, std::span<const Taylor> x, std::span<const Taylor> v, const Taylor& t) {
    std::vector<Taylor> normals(elimination_.normals().size()), curvature(problem_.constraints->count());
    elimination_.normals().at(x, t, normals);
    problem_.constraints->curvature(x, v, t, curvature);
    const auto take = [&](std::span<const Taylor> series, std::vector<double>& numbers) {
        numbers.resize(static_cast<std::size_t>(degree + 1) * series.size());
        BlockLayout{series.size(), 1}.scatter(degree, series, 0, numbers);
    };
    take(normals, normals_);
    take(curvature, curvature_);
    eliminate(degree);
}

void ConstrainedField::eliminate(int degree) {
    if (!elimination_.eliminate(degree, normals_, curvature_, force_)) {
        std::ranges::fill(force_, NAN);
    }
}

}  // namespace lento
