// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws of HecMatrix and CrsOperator: products with one vector and several.
#pragma once

#include <terrace/crs_operator.hpp>
#include <terrace/hec_matrix.hpp>

#include "fuzz/device.hpp"
#include "fuzz/judge.hpp"
#include "fuzz/mistakes.hpp"

namespace terrace::fuzz {

template <class T>
class ProductDraw {
 public:
  static constexpr const char* name = "HecMatrix";
  using Matrix = HecMatrix<typename T::Scalar, int, typename T::Offset, typename T::Space>;
  using Operator = CrsOperator<typename T::Scalar, int, typename T::Offset, typename T::Space>;
  using Columns = Kokkos::View<typename T::Scalar**, Kokkos::LayoutLeft, typename T::Device>;

  static void run(Draw& draw) { ProductDraw(draw).all(); }

 private:
  explicit ProductDraw(Draw& draw) : draw_(draw) {}

  void all() {
    matrix_ = draw_matrix(draw_, {}, traits_);
    columns_ = matrix_.size();
    const HecOptions options = draw_options();
    Arrays arrays = compress(matrix_.rows);
    auto mistake = make_mistake(draw_, true, arrays);
    if (mistake == ErrorCode::DuplicateEntry) return;
    const DeviceMatrix<T> device(arrays);
    const auto space = draw_instance<typename T::Space>(draw_);
    const auto split = [&] { return Matrix(space, device.row_map, device.entries, device.values, columns_, options); };
    if (mistake) return expect_error(*mistake, split);
    if (options.ends_with_diagonal && lacks_diagonal()) return expect_error(ErrorCode::MissingDiagonal, split);
    Matrix hec = split();
    const typename Operator::matrix_type crs_matrix("terrace::fuzz", matrix_.size(), columns_,
                                                    static_cast<typename T::Offset>(arrays.entries.size()),
                                                    device.values, device.row_map, device.entries);
    const Operator crs = draw_.chance(0.5) ? Operator(crs_matrix) : Operator(space, crs_matrix);
    judge(hec);
    judge(crs);
    move_at_times(draw_, hec);
    draw_values(draw_, {}, traits_, matrix_);
    const auto values = upload_numbers<T>(compress(matrix_.rows).values);
    hec.update_values(space, values);
    space.fence();
    judge(hec);
  }

  HecOptions draw_options() {
    HecOptions options;
    options.relative_performance = draw_.pick({20.0, 0.0, 1.0, 3.0, std::numeric_limits<double>::infinity()});
    if (draw_.chance(0.4)) options.width = draw_.below(std::min(columns_, 40) + 1);
    options.ends_with_diagonal = draw_.chance(0.3);
    draw_.note("width=", options.width.value_or(-1), " p=", options.relative_performance,
               options.ends_with_diagonal ? " ends-with-diagonal" : "");
    return options;
  }

  bool lacks_diagonal() const {
    for (int row = 0; row < matrix_.size(); ++row) {
      bool has_diagonal = false;
      for (const auto& entry : matrix_.rows[row]) has_diagonal = has_diagonal || entry.first == row;
      if (!has_diagonal) return true;
    }
    return false;
  }

  template <class Product>
  void judge(const Product& product) {
    const int count = draw_.chance(0.5) ? 1 : draw_.between(2, 11);
    const auto n = static_cast<std::size_t>(matrix_.size());
    std::vector<Numbers> x;
    Numbers together;
    for (int k = 0; k < count; ++k) {
      x.push_back(draw_vector(draw_, columns_, traits_, true));
      together.insert(together.end(), x.back().begin(), x.back().end());
    }
    const auto in = upload_numbers<T>(together);
    const typename T::Vector out("terrace::fuzz", n * count);
    const auto space = draw_instance<typename T::Space>(draw_);
    if (count == 1) product.apply(space, in, out);
    else product.apply(space, Columns(in.data(), columns_, count), Columns(out.data(), n, count));
    space.fence();
    const Numbers y = download_numbers(out);
    for (int k = 0; k < count; ++k)
      judge_product(
          matrix_.rows, x[k],
          Numbers(y.begin() + static_cast<std::ptrdiff_t>(n) * k, y.begin() + static_cast<std::ptrdiff_t>(n) * (k + 1)),
          traits_);
  }

  Draw& draw_;
  const ScalarTraits traits_ = traits_of<typename T::Scalar>();
  HostMatrix matrix_;
  int columns_ = 0;
};

}  // namespace terrace::fuzz
