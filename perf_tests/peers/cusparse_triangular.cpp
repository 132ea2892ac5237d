// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's generic triangular solves, SpSV for one right-hand side and SpSM for many: buffer, analysis, solve, on the
// default stream.
#include "peers/cusparse_objects.hpp"
#include "peers/peers.hpp"
#include "triangular/triangular_problem.hpp"

namespace terrace::perf {
namespace {

/// What both analyses begin with, handle included.
struct Description {
  explicit Description(const SystemView& s) : L(s.n, s.nnz, s.row_map, s.entries, s.values) {
    check(cusparseCreate(&handle));
    keep_freed_memory();
    L.make_triangle(s.is_upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  ~Description() { cusparseDestroy(handle); }

  MatrixDescription L;
  cusparseHandle_t handle = nullptr;
};

class SpSVPlan {
 public:
  explicit SpSVPlan(const SystemView& s)
      : common_(s), b_(static_cast<std::size_t>(s.n), const_cast<Real*>(s.b)), x_(static_cast<std::size_t>(s.n), s.x) {
    solver_.analyze(common_.handle, common_.L, b_, x_);
  }
  void solve() { solver_.solve(common_.handle, common_.L, b_, x_); }
  Facts facts() const { return {"SpSV", static_cast<double>(solver_.bytes())}; }

 private:
  Description common_;
  VectorDescription b_, x_;
  SpSV solver_;
};

class SpSMPlan {
 public:
  explicit SpSMPlan(const SystemView& s) : common_(s) {
    const auto describe = [&](cusparseDnMatDescr_t* matrix, Real* numbers) {
      const bool by_columns = s.layout == Layout::Left;
      check(cusparseCreateDnMat(matrix, s.n, s.columns, by_columns ? s.n : s.columns, numbers, real,
                                by_columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
    };
    check(cusparseSpSM_createDescr(&plan_));
    describe(&B_, const_cast<Real*>(s.b));
    describe(&X_, s.x);
    check(cusparseSpSM_bufferSize(common_.handle, plain, plain, &one, common_.L.get, B_, X_, real, algorithm, plan_,
                                  &bytes_));
    check(cudaMallocAsync(&buffer_, bytes_, nullptr));
    check(cusparseSpSM_analysis(common_.handle, plain, plain, &one, common_.L.get, B_, X_, real, algorithm, plan_,
                                buffer_));
  }
  SpSMPlan(const SpSMPlan&) = delete;
  SpSMPlan& operator=(const SpSMPlan&) = delete;
  ~SpSMPlan() {
    cusparseDestroyDnMat(B_);
    cusparseDestroyDnMat(X_);
    cusparseSpSM_destroyDescr(plan_);
    cudaFreeAsync(buffer_, nullptr);
  }
  void solve() {
    check(cusparseSpSM_solve(common_.handle, plain, plain, &one, common_.L.get, B_, X_, real, algorithm, plan_));
  }
  Facts facts() const { return {"SpSM", static_cast<double>(bytes_)}; }

 private:
  static constexpr cusparseSpSMAlg_t algorithm = CUSPARSE_SPSM_ALG_DEFAULT;
  Description common_;
  cusparseSpSMDescr_t plan_ = nullptr;
  cusparseDnMatDescr_t B_ = nullptr, X_ = nullptr;
  std::size_t bytes_ = 0;
  void* buffer_ = nullptr;
};

template <class Plan>
class CusparseTriangular final : public Method {
 public:
  explicit CusparseTriangular(TriangularProblem& problem)
      : problem_(problem), system_(problem.view(Place::Space, Input::CompressedRows)) {}

  void prepare(Phase phase) override {
    phase == Phase::Analysis ? plan_.reset() : problem_.forget_solution(Place::Space);
  }
  void run(Phase phase, int) override {
    if (phase == Phase::Analysis) plan_ = std::make_unique<Plan>(system_);
    else plan_->solve();
  }
  void wait() override { check(cudaDeviceSynchronize()); }
  std::vector<double> result(Phase phase) override {
    return phase == Phase::Solve ? problem_.solution(Place::Space) : std::vector<double>();
  }
  Facts facts() const override { return plan_->facts(); }

 private:
  TriangularProblem& problem_;
  SystemView system_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace

Entry cusparse_triangular() {
  const auto make = [](TriangularProblem& problem) -> std::unique_ptr<Method> {
    if (problem.view(Place::Space, Input::CompressedRows).columns == 1)
      return std::make_unique<CusparseTriangular<SpSVPlan>>(problem);
    return std::make_unique<CusparseTriangular<SpSMPlan>>(problem);
  };
  return {"cusparse", "", {Phase::Analysis, Phase::Solve}, on<TriangularProblem>(make)};
}

}  // namespace terrace::perf
