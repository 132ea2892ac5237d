// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's vectors, of any layout, as columns that lie one after the other: themselves, or a copy.
#pragma once

#include <string>
#include <terrace/detail/multi_vector.hpp>
#include <terrace/error.hpp>

#include "algorithms/krylov/system.hpp"
#include "algorithms/triangular/check_vectors.hpp"

namespace terrace::krylov {

template <class Scalar, class Space>
void check_vectors(std::size_t rows, const detail::MultiVector<const Scalar, Space>& b,
                   const detail::MultiVector<Scalar, Space>& x) {
  if (b.rows != rows || x.rows != rows)
    throw Error(ErrorCode::SizeMismatch, "b has " + std::to_string(b.rows) + " rows and x has " +
                                             std::to_string(x.rows) + "; the solver was made for " +
                                             std::to_string(rows));
  if (b.columns != x.columns)
    throw Error(ErrorCode::SizeMismatch, "b has " + std::to_string(b.columns) + " columns and x has " +
                                             std::to_string(x.columns) + "; they need equally many");
  triangular::check_number_of_columns(b.columns);
}

template <class To, class From>
struct CopyNumbers {
  To to;
  From from;
  KOKKOS_FUNCTION void operator()(int row) const {
    for (std::size_t column = 0; column < from.columns; ++column)
      to(row, static_cast<std::ptrdiff_t>(column)) = from(row, static_cast<std::ptrdiff_t>(column));
  }
};

template <class Scalar, class Space>
class PackedColumns {
  using Number = std::remove_const_t<Scalar>;
  using Vectors = detail::MultiVector<Scalar, Space>;
  using Packed = Kokkos::View<Scalar**, Kokkos::LayoutLeft, parallel::Device<Space>>;

 public:
  PackedColumns(const Space& space, const Vectors& vectors) : vectors_(vectors) {
    if (vectors.row_stride == 1 &&
        (vectors.columns == 1 || vectors.column_stride == static_cast<std::ptrdiff_t>(vectors.rows))) {
      view_ = Packed(vectors.data, vectors.rows, vectors.columns);
      return;
    }
    copy_ = make_vectors<Number>(space, "terrace::krylov::packed", vectors.rows, vectors.columns);
    view_ = copy_;
    const detail::MultiVector<Number, Space> to(copy_);
    Kokkos::parallel_for("terrace::krylov::pack", each_row(space, vectors.rows),
                         CopyNumbers<detail::MultiVector<Number, Space>, Vectors>{to, vectors});
  }

  const Packed& view() const { return view_; }

  /// Back to the caller's vectors.
  void unpack(const Space& space) const {
    if (copy_.data() == nullptr) return;
    const detail::MultiVector<Number, Space> from(copy_);
    Kokkos::parallel_for("terrace::krylov::unpack", each_row(space, vectors_.rows),
                         CopyNumbers<Vectors, detail::MultiVector<Number, Space>>{vectors_, from});
  }

 private:
  Vectors vectors_;
  Kokkos::View<Number**, Kokkos::LayoutLeft, parallel::Device<Space>> copy_;
  Packed view_;
};

}  // namespace terrace::krylov
