// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What draws of incomplete factorizations share: the matrix with its mistakes, the pivots that are reported, the
// solves.
#pragma once

#include <optional>

#include "fuzz/device.hpp"
#include "fuzz/factor_matrix.hpp"
#include "fuzz/mistakes.hpp"

namespace terrace::fuzz {

template <class View>
std::vector<std::size_t> download_row_map(const View& row_map) {
  std::vector<std::size_t> result;
  for (const auto value : download(row_map)) result.push_back(static_cast<std::size_t>(value));
  if (result.empty()) result.push_back(0);
  return result;
}

/// What an info() of pivots must not hide.
template <class Info>
void judge_pivots(const Info& info, const PivotOptions& options, const MergedFactor& factor,
                  const FactorMatrix& matrix) {
  if (!all_finite(matrix.matrix.rows)) {
    expect(!info.succeeded(), "a matrix with a NaN or an Inf is said to be factorized");
    expect(info.first_nonfinite_row.has_value(), "no row is named that is not finite");
  }
  expect(!info.succeeded() || factor.has_finite_pivots(), "the factor is said to be good, and is not finite");
  expect(info.succeeded() || info.first_bad_row().has_value(), "the factor is said to be bad, and no row named");
  if (const auto row = info.first_bad_row()) expect(*row >= 0 && *row < matrix.size(), "the bad row is ", *row);
  expect(info.replaced_pivots == 0 || options.policy == PivotPolicy::Replace, "pivots were replaced unasked");
  expect(info.shift == 0 || options.policy == PivotPolicy::Shift, "the matrix was shifted unasked");
  expect(info.attempts <= std::max(1, options.policy == PivotPolicy::Shift ? options.max_attempts : 1), "it took ",
         info.attempts, " attempts");
}

template <class T>
class FactorDraw {
 protected:
  explicit FactorDraw(Draw& draw) : draw_(draw) {}

  /// A matrix, and `options` for a factorization of it: those that draw_options(its size) returns, but for what the
  /// matrix decides.
  template <class DrawOptions, class Options>
  void draw_problem(const MatrixRequest& request, const DrawOptions& draw_options, Options& options) {
    const auto kind =
        draw_.pick({Factorization::Lu, Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
    const bool is_checked = draw_.chance(0.8);
    const auto uplo = draw_.pick({Uplo::Lower, Uplo::Upper});
    matrix_ = draw_factor_matrix(draw_, kind, uplo, !is_checked, request, traits_);
    options = draw_options(matrix_.size());
    options.factorization = kind;
    options.uplo = uplo;
    options.check_structure = is_checked;
    draw_.note(to_string(kind));
  }

  /// Whether make() has to fail; then it does as it should.
  template <class Options, class Make>
  bool must_fail(const std::optional<ErrorCode>& mistake, const Options& options, const Make& make) const {
    const bool lacks_diagonal = matrix_.lacks_diagonal() && !options.insert_missing_diagonal;
    if (mistake) expect_error(*mistake, make);
    else if (lacks_diagonal) expect_error(ErrorCode::MissingDiagonal, make);
    return mistake || lacks_diagonal;
  }

  /// What is to be known of a factor, beside itself.
  struct Made {
    std::vector<int> order;
    Scaling scaling = Scaling::None;
    double relaxation = 0;
    bool has_all_products = true;  ///< nothing was dropped by its size
  };

  /// The reported pivots, the products L U, and solves with op(L U).
  template <class Factor, class Info>
  void judge_factor(const Factor& factor, const Info& info, const MergedFactor& merged, const PivotOptions& pivots,
                    const Made& made) {
    judge_pivots(info, pivots, merged, matrix_);
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const Op op = draw_op(draw_);
    const auto z =
        solve_columns<T>(draw_, columns, static_cast<std::size_t>(matrix_.size()),
                         [&](const auto& space, const auto& R, const auto& Z) { factor.apply(space, R, Z, op); });
    if (!info.succeeded()) return;
    if (made.has_all_products)
      judge_elimination({matrix_.eliminated(made.order, made.scaling, info.shift), made.relaxation,
                         matrix_.factorization == Factorization::HermitianCholesky, info.replaced_pivots == 0},
                        merged, traits_);
    const auto scales = diagonal_scales(matrix_.matrix.rows, made.scaling);
    const ScalarTraits traits = op == Op::None ? traits_ : of_atomic_sums<typename T::Space>(traits_);
    for (std::size_t k = 0; k < columns.size(); ++k)
      judge_factor_solve(merged, made.order, scales, op, columns[k], z[k], traits);
  }

  bool has_unit_lower() const { return matrix_.factorization == Factorization::Lu; }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  FactorMatrix matrix_;
};

}  // namespace terrace::fuzz
