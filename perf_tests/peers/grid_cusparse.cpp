// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The iteration as one writes it with cuSPARSE and cuBLAS: two SpSV solves with the Cholesky factor, SpMV, dot, axpy,
// scal; csric02 factorizes. On the default stream, scalars on the host.
#include <cmath>

#include "peers/cusparse_factorization.hpp"
#include "peers/cusparse_iteration.hpp"
#include "peers/grid_method.hpp"

namespace terrace::perf {
namespace {

class GridCusparse final : public GridMethod {
 public:
  void set_up(const GridSystem& system) override { state_ = std::make_unique<State>(system); }

  void run(GridOperation operation, int iterations) override {
    State& s = *state_;
    switch (operation) {
      case GridOperation::Factorize: return s.cholesky.factorize();
      case GridOperation::Apply: return apply(s.b);
      case GridOperation::ApplyEight: return;
      case GridOperation::Multiply: return s.tools.multiply(s.b, s.q);
      case GridOperation::Iterate: return iterate(iterations);
    }
  }

  void wait() override { check(cudaDeviceSynchronize()); }

  std::vector<double> result(GridOperation operation) override {
    const State& s = *state_;
    const DeviceVector& from = operation == GridOperation::Apply      ? s.z
                               : operation == GridOperation::Multiply ? s.q
                                                                      : s.x;
    return from.download(s.tools.rows());
  }

  std::string label() const override { return "SpSV, SpMV, csric02, cuBLAS"; }

 private:
  struct State {
    explicit State(const GridSystem& system)
        : tools(handles, system.A),
          b(system.b),
          x(system.b),
          r(system.b),
          y(system.b),
          z(system.b),
          p(system.b),
          q(system.b),
          lower(handles.sparse, by_columns(system.lower, system.inverse), CUSPARSE_FILL_MODE_LOWER,
                CUSPARSE_DIAG_TYPE_NON_UNIT, r, y),
          upper(handles.sparse, by_rows(system.upper, system.inverse), CUSPARSE_FILL_MODE_UPPER,
                CUSPARSE_DIAG_TYPE_NON_UNIT, y, z),
          cholesky(handles.sparse, tools.A()) {
      cholesky.analyze();
    }

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

    CusparseHandles handles;
    IterationTools tools;
    DeviceVector b, x, r, y, z, p, q;
    Triangle lower, upper;
    CusparseFactorization<Ic02> cholesky;
  };

  void apply(const DeviceVector& r) {
    State& s = *state_;
    s.lower.solve(r, s.y);
    s.upper.solve(s.y, s.z);
  }

  void iterate(int iterations) {
    State& s = *state_;
    const IterationTools& tools = s.tools;
    tools.clear(s.x);
    tools.copy(s.b, s.r);
    double rho = 1.0;
    for (int k = 0; k < iterations; ++k) {
      apply(s.r);
      const double before = rho;
      rho = tools.dot(s.r, s.z);
      tools.scale(k == 0 ? 0.0 : rho / before, s.p);
      tools.add(1.0, s.z, s.p);
      tools.multiply(s.p, s.q);
      const double alpha = rho / tools.dot(s.p, s.q);
      tools.add(alpha, s.p, s.x);
      tools.add(-alpha, s.q, s.r);
      norm_ = tools.dot(s.r, s.r);
    }
  }

  std::unique_ptr<State> state_;
  double norm_ = 0.0;
};

}  // namespace

std::unique_ptr<GridMethod> make_grid_cusparse() { return std::make_unique<GridCusparse>(); }

}  // namespace terrace::perf
