// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of IluSymbolic and IluFactor: the pattern, the products L U on it, the pivots that are reported, the solves.
#pragma once

#include <memory>
#include <optional>
#include <terrace/ilu.hpp>

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
class IluDraw {
 public:
  static constexpr const char* name = "IluFactor";
  using Symbolic = IluSymbolic<int, typename T::Offset, typename T::Space>;
  using Factor = IluFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { IluDraw(draw).all(); }

 private:
  explicit IluDraw(Draw& draw) : draw_(draw) {}

  void all() {
    const auto kind =
        draw_.pick({Factorization::Lu, Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
    const bool is_checked = draw_.chance(0.8);
    const auto uplo = draw_.pick({Uplo::Lower, Uplo::Upper});
    MatrixRequest request;
    request.most_entries = 30000;
    matrix_ = draw_factor_matrix(draw_, kind, uplo, !is_checked, request, traits_);
    options_ = draw_ilu_symbolic_options(draw_, matrix_.size(), offers_of<typename T::Space>());
    options_.factorization = kind;
    options_.uplo = uplo;
    options_.check_structure = is_checked;
    if (matrix_.matrix.products() > 500000) options_.fill_level = 0;  // of a star everything would be filled
    draw_.note(to_string(kind), " fill-level=", options_.fill_level);
    Arrays arrays = matrix_.arrays;
    const auto mistake = make_mistake(draw_, is_checked, arrays);
    const DeviceMatrix<T> device(arrays);
    const auto space = draw_instance<typename T::Space>(draw_);
    const auto analyze = [&] { return Symbolic(space, device.row_map, device.entries, options_); };
    if (mistake && *mistake == ErrorCode::SizeMismatch) return;
    if (!is_valid(options_)) return expect_any_error(analyze);
    if (mistake) return expect_error(*mistake, analyze);
    if (matrix_.lacks_diagonal() && !options_.insert_missing_diagonal)
      return expect_error(ErrorCode::MissingDiagonal, analyze);
    auto symbolic = std::make_unique<Symbolic>(analyze());
    read_pattern(*symbolic);
    for (int count = draw_.between(1, 2); count > 0 && symbolic; --count) factorize(symbolic, space, device.values);
  }

  template <class Analyze>
  static void expect_any_error(const Analyze& analyze) {
    try {
      analyze();
    } catch (const Error&) {
      return;
    }
    throw Failed("an option that does not exist was taken");
  }

  void read_pattern(const Symbolic& symbolic) {
    order_ = order_of(download(symbolic.permutation()), matrix_.size());
    row_map_ = download_row_map(symbolic.row_map());
    entries_ = download(symbolic.entries());
    const auto pattern = merge(row_map_, entries_, {}, true);
    const Rows expected = matrix_.eliminated(order_, Scaling::None, 0);
    for (std::size_t row = 0; row < expected.size(); ++row) {
      std::size_t k = 0;
      for (const auto& entry : expected[row]) {
        while (k < pattern.rows[row].size() && pattern.rows[row][k].first < entry.first) ++k;
        expect(k < pattern.rows[row].size() && pattern.rows[row][k].first == entry.first, "the pattern lacks (", row,
               ", ", entry.first, ")");
      }
      expect(options_.fill_level > 0 || pattern.rows[row].size() == expected[row].size(), "there is fill in row ", row);
    }
    expect(symbolic.info().factor_entries == static_cast<std::int64_t>(entries_.size()), "info() counts other entries");
  }

  void factorize(std::unique_ptr<Symbolic>& symbolic, const typename T::Space& space,
                 const typename T::Vector& first_values) {
    draw_factor_values(draw_, traits_, matrix_);
    auto values = draw_.chance(0.5) ? first_values : upload_numbers<T>(matrix_.arrays.values);
    Kokkos::deep_copy(values, upload_numbers<T>(matrix_.arrays.values));
    options_of_factor_ = draw_ilu_factor_options(draw_);
    const auto make = [&] { return Factor(space, *symbolic, values, options_of_factor_); };
    if (!is_valid(options_of_factor_)) return expect_error(ErrorCode::InvalidOption, make);
    Factor factor = make();
    if (draw_.chance(0.2)) {
      draw_.note("without-its-symbolic-phase");
      symbolic.reset();
    }
    judge(factor);
    use_for_a_while(draw_, factor, [&] { refactorize(factor); }, [&] { judge(factor); });
  }

  void refactorize(Factor& factor) {
    draw_.note("refactorize");
    draw_factor_values(draw_, traits_, matrix_);
    const auto values = upload_numbers<T>(matrix_.arrays.values);
    const auto space = draw_instance<typename T::Space>(draw_);
    factor.refactorize(space, values);
    space.fence();
    expect_error(ErrorCode::SizeMismatch,
                 [&] { factor.refactorize(space, upload_numbers<T>(Numbers(matrix_.arrays.values.size() + 1))); });
  }

  void judge(const Factor& factor) {
    const IluInfo info = factor.info();
    const auto merged =
        merge(row_map_, entries_, download_numbers(factor.values()), options_.factorization == Factorization::Lu);
    judge_pivots(info, options_of_factor_.pivots, merged, matrix_);
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const Op op = draw_op(draw_);
    const auto z =
        solve_columns<T>(draw_, columns, static_cast<std::size_t>(matrix_.size()),
                         [&](const auto& space, const auto& R, const auto& Z) { factor.apply(space, R, Z, op); });
    if (!info.succeeded()) return;
    judge_elimination(
        {matrix_.eliminated(order_, options_of_factor_.scaling, info.shift), options_of_factor_.relaxation,
         options_.factorization == Factorization::HermitianCholesky, info.replaced_pivots == 0},
        merged, traits_);
    const auto scales = diagonal_scales(matrix_.matrix.rows, options_of_factor_.scaling);
    for (std::size_t k = 0; k < columns.size(); ++k)
      judge_factor_solve(merged, order_, scales, op, columns[k], z[k], traits_);
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  FactorMatrix matrix_;
  IluSymbolicOptions options_;
  IluFactorOptions options_of_factor_;
  std::vector<int> order_, entries_;
  std::vector<std::size_t> row_map_;
};

}  // namespace terrace::fuzz
