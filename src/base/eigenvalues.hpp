/// Eigenvalues of matrices: Eigen's templates for them are compiled here alone, since they take longer than most files.
#pragma once

#include <Eigen/Core>

namespace lento {

struct Eigenpairs {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;  ///< one a column
};
Eigenpairs eigenpairs(const Eigen::MatrixXd& matrix);
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& matrix);
/// With values in ascending order.
struct SymmetricEigenpairs {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;  ///< orthonormal, one a column
};
SymmetricEigenpairs symmetric_eigenpairs(const Eigen::MatrixXd& matrix);
/// Ascending.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix);

}  // namespace lento
