// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration on a grid as one writes it with cuSPARSE and cuBLAS: two SpSV solves with the Cholesky factor, SpMV,
// dot, axpy, scal; csric02 factorizes.
#include "grids/textbook_method.hpp"
#include "peers/cusparse_factorization.hpp"
#include "peers/cusparse_tools.hpp"
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

class GridCusparseTools : public CusparseTools {
 public:
  explicit GridCusparseTools(const GridSystem& system)
      : CusparseTools(system.A, system.b),
        y_(vector()),
        lower_(handles_.sparse, by_columns(system.lower, system.inverse), CUSPARSE_FILL_MODE_LOWER,
               CUSPARSE_DIAG_TYPE_NON_UNIT, y_),
        upper_(handles_.sparse, by_rows(system.upper, system.inverse), CUSPARSE_FILL_MODE_UPPER,
               CUSPARSE_DIAG_TYPE_NON_UNIT, y_),
        cholesky_(handles_.sparse, A_) {
    cholesky_.analyze();
  }

  void factorize() { cholesky_.factorize(); }
  void precondition(const DeviceVector& in, const DeviceVector& out) {
    lower_.solve(in, y_);
    upper_.solve(y_, out);
  }
  static const char* label() { return "SpSV, SpMV, csric02, cuBLAS"; }

 private:
  /// M = C C^T with C = (D + L) D^-1/2, which needs no product with D between the solves.
  static Rows by_columns(Rows rows, const std::vector<double>& inverse) {
    for (std::size_t k = 0; k < rows.values.size(); ++k) rows.values[k] *= std::sqrt(inverse[rows.entries[k]]);
    return rows;
  }
  static Rows by_rows(Rows rows, const std::vector<double>& inverse) {
    for (std::size_t row = 0; row < inverse.size(); ++row)
      for (int k = rows.row_map[row]; k < rows.row_map[row + 1]; ++k) rows.values[k] *= std::sqrt(inverse[row]);
    return rows;
  }

  DeviceVector y_;
  Triangle lower_, upper_;
  CusparseFactorization<Ic02> cholesky_;
};

}  // namespace

Entry grid_cusparse() { return textbook_entry<GridCusparseTools>("cusparse"); }

}  // namespace terrace::perf
