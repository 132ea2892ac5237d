// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of LdltSymbolic and LdltFactor: solutions where no pivoting is needed, and everywhere else what info() and
// refine() say of them.
#pragma once

#include <memory>
#include <terrace/ldlt.hpp>

#include "fuzz/device.hpp"
#include "fuzz/factor_matrix.hpp"
#include "fuzz/mistakes.hpp"

namespace terrace::fuzz {

template <class T>
class LdltDraw {
 public:
  static constexpr const char* name = "LdltFactor";
  using Symbolic = LdltSymbolic<int, typename T::Offset, typename T::Space>;
  using Factor = LdltFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { LdltDraw(draw).all(); }

 private:
  explicit LdltDraw(Draw& draw) : draw_(draw) {}

  void all() {
    const bool is_checked = draw_.chance(0.8);
    const auto uplo = draw_.pick({Uplo::Lower, Uplo::Upper});
    MatrixRequest request;
    request.largest = draw_.chance(0.1) ? 5000 : 800;  // fill makes some patterns dense
    request.max_entries = 8000;
    matrix_ = draw_factor_matrix(draw_, Factorization::Cholesky, uplo, !is_checked, request, traits_);
    auto options = draw_ldlt_symbolic_options(draw_, matrix_.size(), offers_of<typename T::Space>());
    options.uplo = uplo;
    options.check_structure = is_checked;
    Arrays arrays = matrix_.arrays;
    const auto mistake = make_mistake(draw_, is_checked, arrays);
    if (mistake == ErrorCode::SizeMismatch) return;
    const DeviceMatrix<T> device(arrays);
    const auto space = draw_instance<typename T::Space>(draw_);
    const auto analyze = [&] { return Symbolic(space, device.row_map, device.entries, options); };
    if (mistake) return expect_error(*mistake, analyze);
    auto symbolic = std::make_unique<Symbolic>(analyze());
    order_of(download(symbolic->permutation()), matrix_.size());
    if (draw_.chance(0.1))
      expect(Symbolic::predict(space, device.row_map, device.entries, options).factor_entries ==
                 symbolic->info().factor_entries,
             "predict counts other entries");
    for (int count = draw_.between(1, 2); count > 0 && symbolic; --count) factorize(symbolic, space);
  }

  void factorize(std::unique_ptr<Symbolic>& symbolic, const typename T::Space& space) {
    draw_factor_values(draw_, traits_, matrix_);
    values_ = upload_numbers<T>(matrix_.arrays.values);
    options_ = draw_ldlt_factor_options(draw_);
    const auto make = [&] { return Factor(space, *symbolic, values_, options_); };
    if (!is_valid(options_)) return expect_error(ErrorCode::InvalidOption, make);
    Factor factor = make();
    if (draw_.chance(0.2)) symbolic.reset();
    judge(factor);
    use_for_a_while(
        draw_, factor, [&] { refactorize(factor); }, [&] { judge(factor); });
  }

  void refactorize(Factor& factor) {
    draw_.note("refactorize");
    draw_factor_values(draw_, traits_, matrix_);
    const auto values = upload_numbers<T>(matrix_.arrays.values);
    const auto space = draw_instance<typename T::Space>(draw_);
    factor.refactorize(space, values);
    space.fence();
    values_ = values;
    expect_error(ErrorCode::SizeMismatch,
                 [&] { factor.refactorize(space, upload_numbers<T>(Numbers(matrix_.arrays.values.size() + 1))); });
  }

  void judge(const Factor& factor) {
    const LdltInfo info = factor.info();
    if (!all_finite(matrix_.matrix.rows)) {
      expect(!info.succeeded(), "a matrix with a NaN or an Inf is said to be factorized");
      expect(info.first_nonfinite_row.has_value(), "no row is named that is not finite");
    }
    expect(info.replaced_pivots == 0 || options_.pivots.policy == PivotPolicy::Replace, "pivots were replaced unasked");
    judge_solve(factor, info);
    if (draw_.chance(0.4)) judge_refinement(factor, info);
  }

  /// No pivot is small where the diagonal outweighs its row, in any order and scaling.
  bool needs_no_pivoting(const LdltInfo& info) const {
    return matrix_.matrix.numerics == Numerics::Dominant && all_finite(matrix_.matrix.rows) &&
           !matrix_.lacks_diagonal() && info.replaced_pivots == 0 && info.succeeded();
  }

  void judge_solve(const Factor& factor, const LdltInfo& info) {
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const auto n = static_cast<std::size_t>(matrix_.size());
    const auto x = solve_columns<T>(
        draw_, columns, n, [&](const auto& space, const auto& B, const auto& X) { factor.solve(space, B, X); });
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t row = 0; row < n; ++row)
        expect(is_finite(columns[k][row]) || !is_finite(x[k][row]), "the unknown ", row, " is ", x[k][row],
               " where b is not finite");
    if (!needs_no_pivoting(info)) return;
    const double epsilon = options_.precision == FactorPrecision::Single ? 1.2e-7 : traits_.epsilon;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (any_nonfinite(columns[k])) continue;
      const double error = backward_error_by_norms(columns[k], x[k]);
      expect(error <= 100 * epsilon, "a solution has the backward error ", error);
    }
    if (options_.refinement_steps == 0) judge_parts(factor, columns, x);
  }

  double backward_error_by_norms(const Numbers& b, const Numbers& x) const {
    const auto residual = residual_of(matrix_.matrix.rows, b, x, traits_);
    if (residual.relative == 0) return 0;
    return residual.relative / residual.rounding * traits_.epsilon;
  }

  void judge_parts(const Factor& factor, const std::vector<Numbers>& columns, const std::vector<Numbers>& x) {
    auto parts = columns;
    for (const auto part : {LdltPart::Forward, LdltPart::Diagonal, LdltPart::Backward})
      parts =
          solve_columns<T>(draw_, parts, static_cast<std::size_t>(matrix_.size()),
                           [&](const auto& space, const auto& B, const auto& X) { factor.solve(space, B, X, part); });
    const double most = options_.precision == FactorPrecision::Single ? 1e-3 : 1e5 * traits_.epsilon;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (!any_nonfinite(columns[k]))
        expect(difference(parts[k], x[k]) <= most, "the three parts differ from the whole by ",
               difference(parts[k], x[k]));
  }

  void judge_refinement(const Factor& factor, const LdltInfo& info) {
    RefinementOptions options;
    options.max_steps = draw_.pick({0, 1, 10, 30});
    options.use_gmres = draw_.chance(0.7);
    if (draw_.chance(0.3)) options.tolerance = draw_.pick({1e-4, 1e-8, 1e-30});
    draw_.note("refine");
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const auto n = static_cast<std::size_t>(matrix_.size());
    StridedColumns<T> B(draw_, n, columns.size()), X(draw_, n, columns.size());
    B.fill(columns);
    X.fill(std::vector<Numbers>(columns.size(), Numbers(n)));
    const auto result = factor.refine(draw_instance<typename T::Space>(draw_), B.view(), X.view(), options);
    expect(result.columns.size() == columns.size(), "there are ", result.columns.size(), " results");
    const auto x = X.read();
    const double tolerance = options.tolerance > 0 ? options.tolerance : 2 * traits_.epsilon;
    for (std::size_t k = 0; k < columns.size() && n > 0; ++k) {
      const auto& found = result.columns[k];
      const double error = backward_error(matrix_.matrix.rows, columns[k], x[k], traits_);
      const bool has_converged = found.reason == StopReason::Converged;
      expect(!has_converged || error <= 1.05 * tolerance + 4 * traits_.epsilon, "refined to ", tolerance,
             ", but the backward error is ", error);
      if (std::isfinite(error) && matrix_.matrix.numerics != Numerics::Scaled)
        expect(std::abs(found.backward_error - error) <= 0.1 * error + 4 * traits_.epsilon,
               "the backward error is said to be ", found.backward_error, " and is ", error);
      if (needs_no_pivoting(info) && !any_nonfinite(columns[k]) && options.max_steps >= 10 &&
          tolerance >= 2 * traits_.epsilon)
        expect(has_converged, "refinement of a dominant matrix ended with ", to_string(found.reason), " at ", error);
    }
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  FactorMatrix matrix_;
  LdltFactorOptions options_;
  typename T::Vector values_;
};

}  // namespace terrace::fuzz
