// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MKL's inspector-executor triangular solve: the analysis is mkl_sparse_optimize with a hint of many solves.
#include <mkl.h>

#include <stdexcept>
#include <type_traits>

#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

constexpr int expected_solves = 1000;

/// The function of the program's precision.
template <class ForDouble, class ForFloat>
constexpr auto of_precision(ForDouble for_double, ForFloat for_float) {
  if constexpr (std::is_same_v<Real, double>) return for_double;
  else return for_float;
}
constexpr auto create_csr = of_precision(mkl_sparse_d_create_csr, mkl_sparse_s_create_csr);
constexpr auto trsv = of_precision(mkl_sparse_d_trsv, mkl_sparse_s_trsv);
constexpr auto trsm = of_precision(mkl_sparse_d_trsm, mkl_sparse_s_trsm);

void check(sparse_status_t status, const char* call) {
  if (status != SPARSE_STATUS_SUCCESS)
    throw std::runtime_error(std::string(call) + " returned " + std::to_string(status));
}

class Mkl final : public TriangularMethod {
 public:
  explicit Mkl(int threads) {
    mkl_set_threading_layer(MKL_THREADING_GNU);  // counts in the first call only
    mkl_set_num_threads(threads);
    description_.type = SPARSE_MATRIX_TYPE_TRIANGULAR;
    description_.diag = SPARSE_DIAG_NON_UNIT;
  }
  Mkl(const Mkl&) = delete;
  Mkl& operator=(const Mkl&) = delete;
  ~Mkl() override { mkl_sparse_destroy(L_); }

  void analyze(const MatrixView& L) override {
    n_ = L.n;
    columns_ = L.columns;
    int* row_map = const_cast<int*>(L.row_map);  // MKL takes its input as not const and leaves it alone
    check(create_csr(&L_, SPARSE_INDEX_BASE_ZERO, L.n, L.n, row_map, row_map + 1, const_cast<int*>(L.entries),
                     const_cast<Real*>(L.values)),
          "mkl_sparse_create_csr");
    description_.mode = L.is_upper ? SPARSE_FILL_MODE_UPPER : SPARSE_FILL_MODE_LOWER;
    if (columns_ == 1)
      check(mkl_sparse_set_sv_hint(L_, SPARSE_OPERATION_NON_TRANSPOSE, description_, expected_solves),
            "mkl_sparse_set_sv_hint");
    else
      check(mkl_sparse_set_sm_hint(L_, SPARSE_OPERATION_NON_TRANSPOSE, description_, SPARSE_LAYOUT_COLUMN_MAJOR,
                                   columns_, expected_solves),
            "mkl_sparse_set_sm_hint");
    check(mkl_sparse_optimize(L_), "mkl_sparse_optimize");
  }

  void solve(const Real* b, Real* x) override {
    constexpr auto plain = SPARSE_OPERATION_NON_TRANSPOSE;
    if (columns_ == 1) check(trsv(plain, Real(1), L_, description_, b, x), "mkl_sparse_trsv");
    else
      check(trsm(plain, Real(1), L_, description_, SPARSE_LAYOUT_COLUMN_MAJOR, b, columns_, n_, x, n_),
            "mkl_sparse_trsm");
  }

  MethodFacts facts() const override { return {std::to_string(mkl_get_max_threads()) + " threads", {}}; }

 private:
  sparse_matrix_t L_ = nullptr;
  matrix_descr description_{};
  int n_ = 0, columns_ = 1;
};

}  // namespace

std::unique_ptr<TriangularMethod> make_mkl(int threads) { return std::make_unique<Mkl>(threads); }

}  // namespace terrace::perf
