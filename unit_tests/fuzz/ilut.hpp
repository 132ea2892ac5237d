// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of IlutFactor: how many entries are kept, the products L U where the threshold alone decides, pivots, solves.
#pragma once

#include <terrace/ilut.hpp>

#include "fuzz/factor_draw.hpp"

namespace terrace::fuzz {

template <class T>
class IlutDraw : FactorDraw<T> {
 public:
  static constexpr const char* name = "IlutFactor";
  using Factor = IlutFactor<typename T::Scalar, int, typename T::Offset, typename T::Space>;

  static void run(Draw& draw) { IlutDraw(draw).all(); }

 private:
  using Base = FactorDraw<T>;
  using Base::draw_, Base::traits_, Base::matrix_;

  explicit IlutDraw(Draw& draw) : Base(draw) {}

  void all() {
    MatrixRequest request;
    request.largest = 1500;
    request.max_entries = 20000;
    const auto offers = offers_of<typename T::Space>();
    const auto draw_options = [&](int n) { return draw_ilut_options(draw_, n, offers); };
    this->draw_problem(request, draw_options, options_);
    if (matrix_.matrix.products() > 500000) options_.fill = std::min(options_.fill, 10);  // or a star fills all
    Arrays arrays = matrix_.arrays;
    const auto mistake = make_mistake(draw_, options_.check_structure, arrays);
    const DeviceMatrix<T> device(arrays);
    const auto make = [&] {
      return Factor(draw_instance<typename T::Space>(draw_), device.row_map, device.entries, device.values, options_);
    };
    if (!is_valid(options_)) return expect_error(ErrorCode::InvalidOption, make);
    if (this->must_fail(mistake, options_, make)) return;
    Factor factor = make();
    judge(factor);
    if (draw_.chance(0.2)) expect_same_bits(factor, make());
    use_for_a_while(
        draw_, factor, [&] { refactorize(factor); }, [&] { judge(factor); });
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
    const auto merged = merge(download_row_map(factor.row_map()), download(factor.entries()),
                              download_numbers(factor.values()), this->has_unit_lower());
    judge_counts(merged);
    this->judge_factor(factor, factor.info(), merged, options_.pivots,
                       {order_of(download(factor.permutation()), matrix_.size()), options_.scaling, 0.0,
                        options_.fill >= matrix_.size()});
  }

  void judge_counts(const MergedFactor& factor) const {
    const bool is_lu = this->has_unit_lower();
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

  IlutOptions options_;
};

}  // namespace terrace::fuzz
