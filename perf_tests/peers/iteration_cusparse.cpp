// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients and BiCGStab with ILU(0) as one writes them with cuSPARSE and cuBLAS: SpSV for both triangles,
// SpMV, dot, axpy, scal; scalars on the host. Both take the factors of csrilu02: of a symmetric matrix its L U is the
// L L^T of csric02 with other scaling, and the loop costs the same.
#include <cmath>

#include "incomplete/factor_method.hpp"
#include "peers/cusparse_iteration.hpp"

namespace terrace::perf {
namespace {

/// A with its factors.
class Toolbox : public CusparseHandles, public IterationTools {
 public:
  explicit Toolbox(const FullMatrix& A)
      : IterationTools(static_cast<const CusparseHandles&>(*this), A),
        half_(vector(0)),
        solves_(sparse, half_, factors(A)) {}

  DeviceVector vector(double value) const { return DeviceVector(std::vector<double>(rows(), value)); }
  void fill(const DeviceVector& to, double value) const {
    check(cublasDcopy(dense, static_cast<int>(rows()), DeviceArray<double>(std::vector<double>(1, value)).get(), 0,
                      to.get(), 1));
  }
  void precondition(const DeviceVector& in, const DeviceVector& out) {
    solves_.lower.solve(in, half_);
    solves_.upper.solve(half_, out);
  }

 private:
  static FullMatrix factors(const FullMatrix& A) {
    const auto method = make_cusparse_ilu0(A);
    method->symbolic();
    method->numeric();
    return {A.n, A.row_map, A.entries, method->merged()};
  }

  struct Solves {
    Solves(cusparseHandle_t handle, const DeviceVector& any, const FullMatrix& LU)
        : lower(handle, LU, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_UNIT, any, any),
          upper(handle, LU, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT, any, any) {}
    Triangle lower, upper;
  };

  DeviceVector half_;
  Solves solves_;
};

class CusparsePcg final : public IterationMethod {
 public:
  explicit CusparsePcg(const FullMatrix& A)
      : tools_(A),
        x_(tools_.vector(0)),
        r_(tools_.vector(0)),
        z_(tools_.vector(0)),
        p_(tools_.vector(0)),
        q_(tools_.vector(0)) {}

  double iterate(int iterations) override {
    tools_.fill(x_, 0.0);
    tools_.fill(r_, 1.0);
    tools_.precondition(r_, z_);
    tools_.copy(z_, p_);
    double rho = tools_.dot(r_, z_), residual = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      tools_.multiply(p_, q_);
      const double alpha = rho / tools_.dot(p_, q_);
      tools_.add(alpha, p_, x_);
      tools_.add(-alpha, q_, r_);
      residual = std::sqrt(tools_.dot(r_, r_));
      tools_.precondition(r_, z_);
      const double next = tools_.dot(r_, z_);
      tools_.scale(next / rho, p_);
      tools_.add(1.0, z_, p_);
      rho = next;
    }
    check(cudaDeviceSynchronize());
    return residual;
  }

 private:
  Toolbox tools_;
  DeviceVector x_, r_, z_, p_, q_;
};

class CusparseBiCGStab final : public IterationMethod {
 public:
  explicit CusparseBiCGStab(const FullMatrix& A)
      : tools_(A),
        x_(tools_.vector(0)),
        r_(tools_.vector(0)),
        shadow_(tools_.vector(1)),
        p_(tools_.vector(0)),
        v_(tools_.vector(0)),
        t_(tools_.vector(0)),
        y_(tools_.vector(0)) {}

  double iterate(int iterations) override {
    tools_.fill(x_, 0.0);
    tools_.fill(r_, 1.0);
    tools_.copy(r_, p_);
    double rho = tools_.dot(shadow_, r_), residual = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      tools_.precondition(p_, y_);
      tools_.multiply(y_, v_);
      const double alpha = rho / tools_.dot(shadow_, v_);
      tools_.add(-alpha, v_, r_);
      tools_.add(alpha, y_, x_);
      tools_.precondition(r_, y_);
      tools_.multiply(y_, t_);
      const double omega = tools_.dot(t_, r_) / tools_.dot(t_, t_);
      tools_.add(omega, y_, x_);
      tools_.add(-omega, t_, r_);
      residual = std::sqrt(tools_.dot(r_, r_));
      const double next = tools_.dot(shadow_, r_);
      tools_.add(-omega, v_, p_);
      tools_.scale(next / rho * alpha / omega, p_);
      tools_.add(1.0, r_, p_);
      rho = next;
    }
    check(cudaDeviceSynchronize());
    return residual;
  }

 private:
  Toolbox tools_;
  DeviceVector x_, r_, shadow_, p_, v_, t_, y_;
};

}  // namespace

std::unique_ptr<IterationMethod> make_cusparse_pcg(const FullMatrix& A) { return std::make_unique<CusparsePcg>(A); }
std::unique_ptr<IterationMethod> make_cusparse_bicgstab(const FullMatrix& A) {
  return std::make_unique<CusparseBiCGStab>(A);
}

}  // namespace terrace::perf
