// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of KrylovSolver: whatever the operator, the preconditioner and the numbers are, the result says what is true.
#pragma once

#include <memory>
#include <terrace/crs_operator.hpp>
#include <terrace/hec_matrix.hpp>
#include <terrace/ilu.hpp>
#include <terrace/krylov_solver.hpp>

#include "fuzz/device.hpp"
#include "fuzz/judge.hpp"

namespace terrace::fuzz {

/// What a result claims against what can be computed from A, b, and x.
inline void judge_claims(StopReason reason, double true_residual, double tolerance, const Residual& computed) {
  const double slack = 0.05 * computed.relative + 20 * computed.rounding;
  expect(reason != StopReason::Converged || computed.relative <= 1.05 * tolerance + 20 * computed.rounding,
         "converged to ", tolerance, ", but b - A x is ", computed.relative);
  if (std::isfinite(computed.relative) && std::isfinite(true_residual))
    expect(std::abs(true_residual - computed.relative) <= slack, "true_residual is ", true_residual, ", but ",
           computed.relative, " when computed anew");
}

template <class T>
class KrylovDraw {
 public:
  static constexpr const char* name = "KrylovSolver";
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Solver = KrylovSolver<Scalar, Space>;
  using Operator = LinearOperator<Scalar, Space>;
  using Crs = CrsOperator<Scalar, int, typename T::Offset, Space>;

  static void run(Draw& draw) { KrylovDraw(draw).all(); }

 private:
  explicit KrylovDraw(Draw& draw) : draw_(draw), options_(draw_krylov_options(draw)) {}

  void all() {
    request_.is_hermitian = draw_.chance(0.5);
    request_.largest = 1200;
    request_.max_entries = 30000;
    matrix_ = draw_matrix(draw_, request_, traits_);
    const Arrays arrays = compress(matrix_.rows);
    const DeviceMatrix<T> device(arrays);
    const Operator A = make_operator(device), M = make_preconditioner(device);
    Solver solver(draw_instance<Space>(draw_), matrix_.rows.size(), options_);
    for (int step = draw_.between(1, 3); step > 0; --step) {
      move_at_times(draw_, solver);
      draw_.chance(0.6) ? solve_one(solver, A, M) : solve_several(solver, A, M);
    }
  }

  Operator make_operator(const DeviceMatrix<T>& device) {
    const int n = matrix_.size();
    const Crs crs(typename Crs::matrix_type("terrace::fuzz", n, n,
                                            static_cast<typename T::Offset>(device.entries.extent(0)), device.values,
                                            device.row_map, device.entries));
    if (draw_.chance(0.7)) return Operator(std::make_shared<Crs>(crs));
    draw_.note("in-hec");
    using Hec = HecMatrix<Scalar, int, typename T::Offset, Space>;
    return Operator(std::make_shared<Hec>(Space(), device.row_map, device.entries, device.values, n));
  }

  Operator make_preconditioner(const DeviceMatrix<T>& device) {
    if (draw_.chance(0.4)) return {};
    IluSymbolicOptions options;
    options.insert_missing_diagonal = true;
    const bool is_cholesky = request_.is_hermitian && draw_.chance(0.7);
    if (is_cholesky) options.factorization = Factorization::HermitianCholesky;
    draw_.note("with ", to_string(options.factorization));
    using Factor = IluFactor<Scalar, int, typename T::Offset, Space>;
    const typename Factor::Symbolic symbolic(Space(), device.row_map, device.entries, options);
    return Operator(std::make_shared<Factor>(Space(), symbolic, device.values));
  }

  void judge(const KrylovResult& result, const Numbers& b, const Numbers& x) {
    expect(result.iterations >= 0 && result.iterations <= options_.max_iterations, "it took ", result.iterations,
           " iterations");
    expect(result.residuals.size() == static_cast<std::size_t>(result.iterations) + 1, "there are ",
           result.residuals.size(), " residuals of ", result.iterations, " iterations");
    if (result.converged()) {
      expect(!any_nonfinite(b), "converged with a b that is not finite");
      expect(!any_nonfinite(x), "converged to an x that is not finite");
      const bool is_zero = residual_of({}, b, x, traits_).rounding == 0 && std::none_of(b.begin(), b.end(), nonzero);
      expect(is_zero || all_finite(matrix_.rows), "converged with a matrix that is not finite");
      if (is_zero) return expect(std::none_of(x.begin(), x.end(), nonzero), "b = 0 does not give x = 0");
    }
    if (result.reason == StopReason::IterationLimit)
      expect(result.iterations == options_.max_iterations, "a limit that was not reached");
    if (std::none_of(b.begin(), b.end(), nonzero)) return;
    if (matrix_.numerics != Numerics::Scaled)
      judge_claims(result.reason, result.true_residual, options_.tolerance, residual_of(matrix_.rows, b, x, traits_));
  }
  static bool nonzero(const Number& value) { return value != Number(0.0); }

  void solve_one(Solver& solver, const Operator& A, const Operator& M) {
    const Numbers b = draw_vector(draw_, matrix_.size(), traits_, true);
    const auto from = upload_numbers<T>(b);
    const auto x = upload_numbers<T>(draw_.chance(0.5) ? Numbers(b.size()) : draw_guess());
    const auto result = solver.solve(draw_instance<Space>(draw_), A, from, x, M);
    judge(result, b, download_numbers(x));
  }

  Numbers draw_guess() {
    draw_.note("guess");
    return draw_vector(draw_, matrix_.size(), traits_, true);
  }

  void solve_several(Solver& solver, const Operator& A, const Operator& M) {
    const int count = draw_.between(1, 5);
    std::vector<Numbers> b;
    for (int k = 0; k < count; ++k) b.push_back(draw_vector(draw_, matrix_.size(), traits_, true));
    StridedColumns<T> B(draw_, b.front().size(), b.size()), X(draw_, b.front().size(), b.size());
    B.fill(b);
    X.fill(std::vector<Numbers>(b.size(), Numbers(b.front().size())));
    std::vector<KrylovResult> results;
    const auto solve = [&] { results = solver.solve(Space(), A, B.view(), X.view(), M); };
    const bool is_gmres = options_.method == KrylovMethod::Gmres || options_.method == KrylovMethod::FlexibleGmres;
    if (is_gmres && count > 1) return expect_error(ErrorCode::InvalidOption, solve);
    solve();
    expect(results.size() == b.size(), "there are ", results.size(), " results");
    const auto x = X.read();
    for (std::size_t k = 0; k < b.size(); ++k) judge(results[k], b[k], x[k]);
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<Scalar>();
  const KrylovOptions options_;
  MatrixRequest request_;
  HostMatrix matrix_;
};

}  // namespace terrace::fuzz
