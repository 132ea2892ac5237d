// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of StructuredMatrix, StructuredFactor and StructuredPcg: products, pivots by their recurrence, solves by the
// residual of (D + L) D^-1 (D + U), and what the iteration claims.
#pragma once

#include <optional>
#include <terrace/krylov_solver.hpp>
#include <terrace/structured_conversion.hpp>
#include <terrace/structured_pcg.hpp>

#include "fuzz/device.hpp"
#include "fuzz/grid_matrix.hpp"
#include "fuzz/krylov.hpp"

namespace terrace::fuzz {

template <class T>
class StructuredDraw {
 public:
  static constexpr const char* name = "StructuredFactor";
  using Scalar = typename T::Scalar;
  using Space = typename T::Space;
  using Matrix = StructuredMatrix<Scalar, Space>;
  using Factor = StructuredFactor<Scalar, Space>;

  static void run(Draw& draw) { StructuredDraw(draw).all(); }

 private:
  explicit StructuredDraw(Draw& draw) : draw_(draw), host_(draw_grid_matrix(draw, traits_of<Scalar>())) {}

  void all() {
    const auto space = draw_instance<Space>(draw_);
    const Matrix A = make(space);
    judge_products(A);
    if (draw_.chance(0.3)) judge_conversions(space, A);
    options_ = draw_structured_options(draw_);
    judge_factor(space, A);
    if (host_.is_symmetric && draw_.chance(0.6)) judge_iteration(space, A);
  }

  Matrix make(const Space& space) {
    for (int d = 0; d < 7; ++d) diagonals_[d] = upload_numbers<T>(host_.diagonals[d]);
    const auto& a = diagonals_;
    if (host_.is_symmetric) return Matrix(space, host_.grid, SymmetricDiagonals<Scalar, Space>{a[0], a[1], a[2], a[3]});
    return Matrix(space, host_.grid, GeneralDiagonals<Scalar, Space>{a[0], a[1], a[2], a[3], a[4], a[5], a[6]});
  }

  Rows rows_of(Op op) const { return op == Op::None ? host_.rows() : transposed(host_.rows(), host_.size()); }

  void judge_products(const Matrix& A) {
    const Op op = draw_op(draw_);
    const auto columns = draw_columns(draw_, host_.size(), traits_, true);
    const auto n = static_cast<std::size_t>(host_.size());
    StridedColumns<T> X(draw_, n, columns.size()), Y(draw_, n, columns.size());
    X.fill(columns);
    Y.fill(std::vector<Numbers>(columns.size(), Numbers(n)));
    const auto space = draw_instance<Space>(draw_);
    A.multiply(space, X.view(), Y.view(), op);
    space.fence();
    const auto y = Y.read();
    for (std::size_t k = 0; k < columns.size(); ++k) judge_product(rows_of(op), columns[k], y[k], traits_);
  }

  void judge_conversions(const Space& space, const Matrix& A) {
    if (!all_finite(host_.rows())) return;
    const auto crs = to_crs<typename T::Offset>(space, A);
    const auto again =
        to_structured(space, crs, host_.grid, host_.is_symmetric ? Symmetry::Symmetric : Symmetry::General);
    expect(download_numbers(again.diagonals().center) == host_.diagonals[0], "to_crs and to_structured lose numbers");
    const auto found = recognize_grid(space, crs);
    expect(!found.grid || found.grid->cells() == host_.grid.cells(), "a grid of other cells was recognized");
  }

  void judge_factor(const Space& space, const Matrix& A) {
    const auto factorize = [&] { return Factor(space, A, options_); };
    if (!is_valid(options_, offers_of<Space>())) return expect_error(ErrorCode::InvalidOption, factorize);
    if (host_.lacks_positive_center()) return expect_error(ErrorCode::NotPositive, factorize);
    std::optional<Factor> factor;
    try {
      factor.emplace(factorize());
    } catch (const Error& error) {
      const bool may_be_refused = options_.algorithm == SweepAlgorithm::Pipelined;
      expect(may_be_refused && error.code() == ErrorCode::InvalidOption, error.what());
      return;
    }
    judge(*factor);
    if (draw_.chance(0.5)) {
      move_at_times(draw_, *factor);
      host_.draw_values(draw_, traits_);
      for (int d = 0; d < 7; ++d) Kokkos::deep_copy(diagonals_[d], upload_numbers<T>(host_.diagonals[d]));
      if (host_.lacks_positive_center())
        return expect_error(ErrorCode::NotPositive, [&] { factor->refactorize(space); });
      factor->refactorize(space);
      judge(*factor);
    }
  }

  void judge(const Factor& factor) {
    const auto& info = factor.info();
    if (!all_finite(host_.rows())) expect(info.breakdown.has_value(), "a matrix with a NaN has no breakdown");
    const Op op = draw_op(draw_);
    const auto columns = draw_columns(draw_, host_.size(), traits_, true);
    const auto x = solve_columns<T>(draw_, columns, static_cast<std::size_t>(host_.size()),
                                    [&](const auto& on, const auto& B, const auto& X) { factor.solve(on, B, X, op); });
    if (info.breakdown) return;
    const auto merged =
        host_.merged(download_numbers(factor.inverse_pivots()), options_.relaxation, info.shift, traits_);
    for (std::size_t k = 0; k < columns.size(); ++k) judge_merged_solve(merged, op, columns[k], x[k], traits_);
  }

  void judge_iteration(const Space& space, const Matrix& A) {
    if (!is_valid(options_, offers_of<Space>()) || host_.lacks_positive_center()) return;
    options_.algorithm = SweepAlgorithm::Automatic;
    const auto make_pcg = [&] {
      if (draw_.chance(0.2)) return StructuredPcg<Scalar, Space>(space, A, NoPreconditioner());
      return StructuredPcg<Scalar, Space>(space, A, options_);
    };
    auto pcg = make_pcg();
    StructuredPcgOptions options;
    options.tolerance = draw_.pick({1e-2, 1e-6, 1e-12});
    options.max_iterations = draw_.between(0, 200);
    options.check_every = draw_.pick({1, 10, 256});
    options.stagnation_window = draw_.pick({0, 5, 100});
    draw_.note("pcg tolerance=", options.tolerance, " most=", options.max_iterations, " every=", options.check_every);
    for (int step = draw_.between(1, 2); step > 0; --step) {
      move_at_times(draw_, pcg);
      const Numbers b = draw_vector(draw_, host_.size(), traits_, true);
      const auto from = upload_numbers<T>(b), x = upload_numbers<T>(Numbers(b.size()));
      const auto result = pcg.solve(draw_instance<Space>(draw_), from, x, options);
      expect(result.iterations <= options.max_iterations, "it took ", result.iterations, " iterations");
      const Numbers found = download_numbers(x);
      expect(!result.converged() || !any_nonfinite(found), "converged to an x that is not finite");
      expect(!result.converged() || !any_nonfinite(b), "converged with a b that is not finite");
      if (std::all_of(b.begin(), b.end(), [](const Number& value) { return value == Number(0.0); })) continue;
      if (all_finite(host_.rows()))
        judge_claims(result.reason, result.true_residual, options.tolerance,
                     residual_of(host_.rows(), b, found, traits_));
    }
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<Scalar>();
  HostGridMatrix host_;
  StructuredFactorOptions options_;
  typename T::Vector diagonals_[7];
};

}  // namespace terrace::fuzz
