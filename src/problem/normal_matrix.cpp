#include "problem/normal_matrix.hpp"

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <Eigen/Sparse>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace lento {
namespace {

using Index = Eigen::Index;
using SparseMatrix = Eigen::SparseMatrix<double>;
using SparseCholesky = Eigen::SimplicialLDLT<SparseMatrix, Eigen::Upper, Eigen::NaturalOrdering<int>>;
using Order = Eigen::PermutationMatrix<Eigen::Dynamic>;

/// NOTE: measured on chains: below this a dense factorisation is the faster one.
constexpr std::size_t most_dense = 24;

Index index(std::size_t i) {
    return static_cast<Index>(i);
}

/// One term of an entry of G M^-1 G^T: value += G[first] * G[second] * weight.
struct Product {
    std::size_t value, first, second;
    double weight;
};

/// Constraint order[j] becomes row j.
Order order_of(const SparsePattern& pattern) {
    std::vector<Eigen::Triplet<double>> triplets;
    Index columns = 0;
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        for (const std::size_t column : pattern.row(j)) {
            triplets.emplace_back(index(j), index(column), 1.0);
            columns = std::max(columns, index(column) + 1);
        }
    }
    SparseMatrix incidence(index(pattern.rows()), columns);
    incidence.setFromTriplets(triplets.begin(), triplets.end());
    const SparseMatrix neighbours = incidence * SparseMatrix(incidence.transpose());
    Order order;
    Eigen::AMDOrdering<int>()(neighbours, order);
    return order;
}

}  // namespace

std::vector<std::size_t> elimination_order(const SparsePattern& pattern) {
    const auto order = order_of(pattern);
    return {order.indices().begin(), order.indices().end()};
}

class NormalMatrix::Dense {
public:
    Dense(const SparsePattern& pattern, const Mass& mass)
        : matrix_(index(pattern.rows()), index(pattern.rows())), inverse_(matrix_.rows(), matrix_.cols()) {
        for (std::size_t i = 0; i < pattern.rows(); ++i) {
            for (std::size_t j = 0; j < pattern.rows(); ++j) {
                for (std::size_t a = pattern.start(i); mass.varies() && a < pattern.start(i + 1); ++a) {
                    const std::size_t divided = pattern.entries() + j * mass.dimension() + pattern.column(a);
                    products_.push_back({j * pattern.rows() + i, a, divided, 1.0});
                }
                if (mass.varies()) {
                    continue;
                }
                for (std::size_t a = pattern.start(i); a < pattern.start(i + 1); ++a) {
                    for (std::size_t b = pattern.start(j); b < pattern.start(j + 1); ++b) {
                        const double weight = mass.inverse_entry(pattern.column(a), pattern.column(b));
                        if (weight != 0) {
                            products_.push_back({j * pattern.rows() + i, a, b, weight});
                        }
                    }
                }
            }
        }
    }

    bool factorise(std::span<const double> gradient, std::span<double> inverse) {
        assemble(gradient, gradient);
        if (!matrix_.allFinite()) {
            return false;
        }
        // NOTE: with unit diagonal the pivots are squares of sines of angles, whatever the units of the constraints.
        scale_ = matrix_.diagonal();
        if (!(scale_.minCoeff() > 0)) {
            return false;
        }
        scale_ = scale_.array().rsqrt();
        matrix_ = scale_.asDiagonal() * matrix_ * scale_.asDiagonal();
        cholesky_.compute(matrix_);
        if (!(cholesky_.vectorD().minCoeff() > least_pivot)) {
            return false;
        }
        inverse_.setIdentity();
        Eigen::Map<Eigen::MatrixXd> result(inverse.data(), matrix_.rows(), matrix_.cols());
        result = cholesky_.solve(inverse_);
        result = scale_.asDiagonal() * result * scale_.asDiagonal();
        return true;
    }

    bool factorise(std::span<const double> there, std::span<const double> here, std::span<double> inverse) {
        assemble(there, here);
        if (!matrix_.allFinite()) {
            return false;
        }
        lu_.compute(matrix_);
        Eigen::Map<Eigen::MatrixXd>(inverse.data(), matrix_.rows(), matrix_.cols()) = lu_.inverse().transpose();
        return lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
    }

private:
    void assemble(std::span<const double> rows, std::span<const double> columns) {
        matrix_.setZero();
        for (const auto& product : products_) {
            matrix_.data()[product.value] += rows[product.first] * columns[product.second] * product.weight;
        }
    }

    std::vector<Product> products_;
    Eigen::MatrixXd matrix_, inverse_;
    Eigen::VectorXd scale_;
    Eigen::LDLT<Eigen::MatrixXd> cholesky_;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
};

class NormalMatrix::Sparse {
public:
    Sparse(const SparsePattern& pattern, const Mass& mass)
        : order_(order_of(pattern).inverse()), right_(index(pattern.rows())) {
        std::vector<std::vector<std::pair<std::size_t, std::size_t>>> by_column(mass.dimension());
        for (std::size_t j = 0; j < pattern.rows(); ++j) {
            for (std::size_t e = pattern.start(j); e < pattern.start(j + 1); ++e) {
                by_column[pattern.column(e)].emplace_back(static_cast<std::size_t>(order_.indices()[index(j)]), e);
            }
        }
        std::vector<Eigen::Triplet<double>> triplets;
        for (const auto& column : by_column) {
            for (const auto& [i, a] : column) {
                for (const auto& [j, b] : column) {
                    triplets.emplace_back(index(i), index(j), 1.0);
                }
            }
        }
        full_.resize(index(pattern.rows()), index(pattern.rows()));
        full_.setFromTriplets(triplets.begin(), triplets.end());
        upper_ = full_.triangularView<Eigen::Upper>();
        for (std::size_t c = 0; c < by_column.size(); ++c) {
            for (const auto& [i, a] : by_column[c]) {
                for (const auto& [j, b] : by_column[c]) {
                    const double weight = mass.inverse_entry(c, c);
                    full_products_.push_back({place(full_, i, j), a, b, weight});
                    if (i <= j) {
                        upper_products_.push_back({place(upper_, i, j), a, b, weight});
                    }
                }
            }
        }
        cholesky_.analyzePattern(upper_);
    }

    bool factorise(std::span<const double> gradient) {
        symmetric_ = true;
        assemble(upper_, upper_products_, gradient, gradient);
        cholesky_.factorize(upper_);
        if (cholesky_.info() != Eigen::Success) {
            return false;
        }
        pivots_ = cholesky_.vectorD();
        for (Index j = 0; j < upper_.cols(); ++j) {
            // The diagonal entry is the last of its column.
            const double diagonal = upper_.valuePtr()[upper_.outerIndexPtr()[j + 1] - 1];
            if (!(pivots_[j] > least_pivot * diagonal)) {
                return false;
            }
        }
        return true;
    }

    bool factorise(std::span<const double> there, std::span<const double> here) {
        symmetric_ = false;
        assemble(full_, full_products_, there, here);
        if (!lu_) {
            lu_ = std::make_unique<Eigen::SparseLU<SparseMatrix>>();
            lu_->analyzePattern(full_);
        }
        lu_->factorize(full_);
        return lu_->info() == Eigen::Success;
    }

    void solve(std::span<double> r) {
        Eigen::Map<Eigen::VectorXd> result(r.data(), index(r.size()));
        right_ = order_ * result;
        if (symmetric_) {
            cholesky_.matrixL().solveInPlace(right_);
            right_.array() /= pivots_.array();
            cholesky_.matrixU().solveInPlace(right_);
            result = order_.transpose() * right_;
        } else {
            result = order_.transpose() * lu_->solve(right_).eval();
        }
    }

private:
    static std::size_t place(const SparseMatrix& matrix, std::size_t row, std::size_t column) {
        const int* begin = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column];
        const int* end = matrix.innerIndexPtr() + matrix.outerIndexPtr()[column + 1];
        return static_cast<std::size_t>(std::lower_bound(begin, end, static_cast<int>(row)) - matrix.innerIndexPtr());
    }

    static void assemble(SparseMatrix& matrix, const std::vector<Product>& products, std::span<const double> rows,
                         std::span<const double> columns) {
        std::fill_n(matrix.valuePtr(), matrix.nonZeros(), 0.0);
        for (const auto& product : products) {
            matrix.valuePtr()[product.value] += rows[product.first] * columns[product.second] * product.weight;
        }
    }

    Order order_;  // constraint j becomes row order_[j]
    SparseMatrix upper_, full_;
    std::vector<Product> upper_products_, full_products_;
    Eigen::VectorXd right_, pivots_;
    SparseCholesky cholesky_;
    std::unique_ptr<Eigen::SparseLU<SparseMatrix>> lu_;  // made when it is first needed
    bool symmetric_ = true;
};

NormalMatrix::NormalMatrix(const SparsePattern& pattern, const Mass& mass) {
    if (pattern.rows() <= most_dense || !mass.is_diagonal()) {
        dense_ = std::make_unique<Dense>(pattern, mass);
        inverse_.resize(pattern.rows() * pattern.rows());
        right_.resize(pattern.rows());
    } else {
        sparse_ = std::make_unique<Sparse>(pattern, mass);
    }
}
NormalMatrix::~NormalMatrix() = default;
NormalMatrix::NormalMatrix(NormalMatrix&&) noexcept = default;
NormalMatrix& NormalMatrix::operator=(NormalMatrix&&) noexcept = default;

bool NormalMatrix::factorise(std::span<const double> gradient) {
    return dense_ ? dense_->factorise(gradient, inverse_) : sparse_->factorise(gradient);
}
bool NormalMatrix::factorise(std::span<const double> there, std::span<const double> here) {
    return dense_ ? dense_->factorise(there, here, inverse_) : sparse_->factorise(there, here);
}
void NormalMatrix::solve_sparse(std::span<double> r) {
    sparse_->solve(r);
}

double normal_entry(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient, std::size_t j) {
    double sum = 0;
    for (std::size_t a = pattern.start(j); a < pattern.start(j + 1); ++a) {
        for (std::size_t b = pattern.start(j); b < pattern.start(j + 1); ++b) {
            sum += gradient[a] * gradient[b] * mass.inverse_entry(pattern.column(a), pattern.column(b));
        }
    }
    return sum;
}

std::vector<Relation> relations(const SparsePattern& pattern, const Mass& mass, std::span<const double> gradient) {
    constexpr std::size_t most = 5;
    std::vector<Relation> found;
    std::vector<std::size_t> rows;
    for (std::size_t j = 0; j < pattern.rows(); ++j) {
        const auto row = gradient.subspan(pattern.start(j), pattern.row(j).size());
        if (std::ranges::all_of(row, [](double entry) { return entry == 0; })) {
            found.push_back({{j, 1.0}});
        } else {
            rows.push_back(j);
        }
    }
    while (found.size() < most) {
        // Rows of g' M^-1/2 at length one: pivots of their Gram matrix are squared distances from the rows before.
        std::vector<Eigen::Triplet<double>> triplets;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            for (std::size_t e = pattern.start(rows[k]); e < pattern.start(rows[k] + 1); ++e) {
                triplets.emplace_back(index(k), index(pattern.column(e)), gradient[e]);
            }
        }
        SparseMatrix G(index(rows.size()), index(mass.dimension()));
        G.setFromTriplets(triplets.begin(), triplets.end());
        SparseMatrix gram;
        if (mass.is_diagonal()) {
            const auto inverse_masses = Eigen::VectorXd::NullaryExpr(G.cols(), [&](Index c) {
                return mass.inverse_entry(static_cast<std::size_t>(c), static_cast<std::size_t>(c));
            });
            gram = SparseMatrix(G * inverse_masses.asDiagonal()) * SparseMatrix(G.transpose());
        } else {
            const auto matrix = Eigen::MatrixXd::NullaryExpr(G.cols(), G.cols(), [&](Index i, Index j) {
                return mass.entry(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            });
            gram = (G * matrix.eval().llt().solve(Eigen::MatrixXd(G.transpose()))).sparseView();
        }
        const Eigen::VectorXd length = Eigen::VectorXd(gram.diagonal()).cwiseSqrt();
        const Eigen::VectorXd inverse = length.cwiseInverse();
        gram = inverse.asDiagonal() * gram * inverse.asDiagonal();
        const Eigen::VectorXd pivots = SparseCholesky(gram).vectorD();
        // NOTE: an exact zero ends the factorisation; what stands behind it means nothing.
        const auto small = std::ranges::find_if(pivots, [](double pivot) { return !(pivot > 1e-12); });
        if (small == pivots.end()) {
            break;
        }
        const Index dependent = small - pivots.begin();
        const SparseMatrix before = gram.topLeftCorner(dependent, dependent);
        const Eigen::VectorXd row = Eigen::VectorXd(gram.col(dependent)).head(dependent);
        const Eigen::VectorXd weights = SparseCholesky(before).solve(row);
        auto& relation = found.emplace_back();
        for (Index k = 0; k < dependent; ++k) {
            if (std::abs(weights[k]) > 1e-6) {
                relation.emplace_back(rows[static_cast<std::size_t>(k)], -weights[k] / length[k]);
            }
        }
        const auto last = rows.begin() + dependent;
        relation.emplace_back(*last, 1 / length[dependent]);
        rows.erase(last);
    }
    return found;
}

}  // namespace lento
