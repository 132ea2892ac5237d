// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of IlutFactor: how many entries are kept, the products L U where the threshold alone decides, pivots, solves.
#pragma once

#include <terrace/ilut.hpp>

#include "fuzz/ilu.hpp"

namespace terrace::fuzz {

template <class T>
class IlutDraw {
 public:
  static constexpr const char* name = "IlutFactor";
  using Factor = IlutFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { IlutDraw(draw).all(); }

 private:
  explicit IlutDraw(Draw& draw) : draw_(draw) {}

  void all() {
    const auto kind =
        draw_.pick({Factorization::Lu, Factorization::Lu, Factorization::Cholesky, Factorization::HermitianCholesky});
    const bool is_checked = draw_.chance(0.8);
    const auto uplo = draw_.pick({Uplo::Lower, Uplo::Upper});
    MatrixRequest request;
    request.largest = 1500;
    request.most_entries = 20000;
    matrix_ = draw_factor_matrix(draw_, kind, uplo, !is_checked, request, traits_);
    options_ = draw_ilut_options(draw_, matrix_.size(), offers_of<typename T::Space>());
    options_.factorization = kind;
    options_.uplo = uplo;
    if (matrix_.matrix.products() > 500000) options_.fill = std::min(options_.fill, 10);  // or a star fills all
    options_.check_structure = is_checked;
    draw_.note(to_string(kind));
    Arrays arrays = matrix_.arrays;
    const auto mistake = make_mistake(draw_, is_checked, arrays);
    const DeviceMatrix<T> device(arrays);
    const auto make = [&] {
      return Factor(draw_instance<typename T::Space>(draw_), device.row_map, device.entries, device.values, options_);
    };
    if (!is_valid(options_)) return expect_error(ErrorCode::InvalidOption, make);
    if (mistake) return expect_error(*mistake, make);
    if (matrix_.lacks_diagonal() && !options_.insert_missing_diagonal)
      return expect_error(ErrorCode::MissingDiagonal, make);
    Factor factor = make();
    judge(factor);
    if (draw_.chance(0.2)) expect_same_bits(factor, make());
    use_for_a_while(draw_, factor, [&] { refactorize(factor); }, [&] { judge(factor); });
  }

  void refactorize(Factor& factor) {
    draw_.note("refactorize");
    draw_factor_values(draw_, traits_, matrix_);
    factor.refactorize(draw_instance<typename T::Space>(draw_), upload_numbers<T>(matrix_.arrays.values));
    expect_error(ErrorCode::SizeMismatch, [&] {
      factor.refactorize(typename T::Space(), upload_numbers<T>(Numbers(matrix_.arrays.values.size() + 1)));
    });
  }

  static void expect_same_bits(const Factor& one, const Factor& other) {
    expect(download(one.entries()) == download(other.entries()), "another factorization has another pattern");
    expect(are_same({download_numbers(one.values())}, {download_numbers(other.values())}),
           "another factorization has other bits");
  }

  void judge(const Factor& factor) {
    const IlutInfo info = factor.info();
    const auto order = order_of(download(factor.permutation()), matrix_.size());
    const auto merged = merge(download_row_map(factor.row_map()), download(factor.entries()),
                              download_numbers(factor.values()), options_.factorization == Factorization::Lu);
    judge_pivots(info, options_.pivots, merged, matrix_);
    judge_counts(merged);
    const auto columns = draw_columns(draw_, matrix_.size(), traits_, true);
    const Op op = draw_op(draw_);
    const auto z =
        solve_columns<T>(draw_, columns, static_cast<std::size_t>(matrix_.size()),
                         [&](const auto& space, const auto& R, const auto& Z) { factor.apply(space, R, Z, op); });
    if (!info.succeeded()) return;
    if (options_.fill >= matrix_.size())
      judge_elimination({matrix_.eliminated(order, options_.scaling, info.shift), 0.0,
                         options_.factorization == Factorization::HermitianCholesky, info.replaced_pivots == 0},
                        merged, traits_);
    const auto scales = diagonal_scales(matrix_.matrix.rows, options_.scaling);
    for (std::size_t k = 0; k < columns.size(); ++k)
      judge_factor_solve(merged, order, scales, op, columns[k], z[k], traits_);
  }

  void judge_counts(const MergedFactor& factor) const {
    const bool is_lu = options_.factorization == Factorization::Lu;
    for (int row = 0; row < matrix_.size(); ++row) {
      int lower = 0, upper = 0;
      for (const auto& entry : factor.rows[row]) {
        lower += entry.first < row ? 1 : 0;
        upper += entry.first > row ? 1 : 0;
      }
      expect(upper <= options_.fill && (!is_lu || lower <= options_.fill), "row ", row, " keeps ", lower, " and ",
             upper, " entries");
    }
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  FactorMatrix matrix_;
  IlutOptions options_;
};

}  // namespace terrace::fuzz
