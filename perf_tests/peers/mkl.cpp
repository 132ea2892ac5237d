// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MKL's inspector-executor triangular solve: the analysis is mkl_sparse_optimize with a hint of many solves.
#include <mkl.h>

#include <stdexcept>
#include <type_traits>

#include "peers/peers.hpp"
#include "triangular/triangular_problem.hpp"

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

class Mkl final : public Method {
 public:
  Mkl(TriangularProblem& problem, int threads)
      : problem_(problem), system_(problem.view(Place::Host, Input::CompressedRows)) {
    mkl_set_threading_layer(MKL_THREADING_GNU);  // counts in the first call only
    mkl_set_num_threads(threads);
    description_.type = SPARSE_MATRIX_TYPE_TRIANGULAR;
    description_.diag = SPARSE_DIAG_NON_UNIT;
  }
  Mkl(const Mkl&) = delete;
  Mkl& operator=(const Mkl&) = delete;
  ~Mkl() override { mkl_sparse_destroy(L_); }

  void prepare(Phase phase) override {
    if (phase == Phase::Solve) return problem_.forget_solution(Place::Host);
    mkl_sparse_destroy(L_);
    L_ = nullptr;
  }

  void run(Phase phase, int) override { phase == Phase::Analysis ? analyze() : solve(); }

  std::vector<double> result(Phase phase) override {
    return phase == Phase::Solve ? problem_.solution(Place::Host) : std::vector<double>();
  }

  Facts facts() const override { return {std::to_string(mkl_get_max_threads()) + " threads", {}}; }

 private:
  void analyze() {
    const SystemView& L = system_;
    int* row_map = const_cast<int*>(L.row_map);  // MKL takes its input as not const and leaves it alone
    check(create_csr(&L_, SPARSE_INDEX_BASE_ZERO, L.n, L.n, row_map, row_map + 1, const_cast<int*>(L.entries),
                     const_cast<Real*>(L.values)),
          "mkl_sparse_create_csr");
    description_.mode = L.is_upper ? SPARSE_FILL_MODE_UPPER : SPARSE_FILL_MODE_LOWER;
    if (L.columns == 1)
      check(mkl_sparse_set_sv_hint(L_, plain, description_, expected_solves), "mkl_sparse_set_sv_hint");
    else
      check(mkl_sparse_set_sm_hint(L_, plain, description_, layout(), L.columns, expected_solves),
            "mkl_sparse_set_sm_hint");
    check(mkl_sparse_optimize(L_), "mkl_sparse_optimize");
  }

  void solve() {
    const SystemView& s = system_;
    const int distance = s.layout == Layout::Left ? s.n : s.columns;
    if (s.columns == 1) check(trsv(plain, Real(1), L_, description_, s.b, s.x), "mkl_sparse_trsv");
    else
      check(trsm(plain, Real(1), L_, description_, layout(), s.b, s.columns, distance, s.x, distance),
            "mkl_sparse_trsm");
  }

  sparse_layout_t layout() const {
    return system_.layout == Layout::Left ? SPARSE_LAYOUT_COLUMN_MAJOR : SPARSE_LAYOUT_ROW_MAJOR;
  }

  static constexpr auto plain = SPARSE_OPERATION_NON_TRANSPOSE;

  TriangularProblem& problem_;
  SystemView system_;
  sparse_matrix_t L_ = nullptr;
  matrix_descr description_{};
};

}  // namespace

Entry mkl(int threads) {
  return {"mkl", "", {Phase::Analysis, Phase::Solve}, make_on<TriangularProblem, Mkl>(threads)};
}

}  // namespace terrace::perf
