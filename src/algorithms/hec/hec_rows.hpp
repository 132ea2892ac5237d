// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HEC, hybrid ELL and CSR: the storage (Liu et al. 2014, section 3.1).
//
// The ELL part holds the first `width` entries of each row, column after column: the k-th entries of all rows follow
// each other, so that threads that take a row each read side by side. A column begins at a multiple of 32 rows, which
// is a multiple of 128 bytes. What is longer than the width stands in compressed rows. In a triangle those rows end
// with the diagonal, which is not in the ELL part.
//
// A place of the ELL part that no entry takes says so by its column number, and kernels look at that before they look
// at a vector: padding with zeros and some column would turn an Inf or a NaN of the vector into a NaN of other rows.
#pragma once

#include "sparse/fill_values.hpp"

namespace terrace::hec {

inline constexpr std::size_t row_alignment = 32;

/// The column of padding.
template <class Ordinal>
inline constexpr Ordinal no_column = -1;

/// The kernels' side.
template <class Scalar, class Ordinal, class Offset>
struct HecRows {
  Ordinal rows = 0;
  Ordinal width = 0;
  std::size_t leading = 0;  // rows of the ELL part, with those that align it
  const Ordinal* ell_columns = nullptr;
  const Scalar* ell_values = nullptr;
  const Offset* row_map = nullptr;
  const Ordinal* entries = nullptr;
  const Scalar* values = nullptr;

  KOKKOS_FUNCTION std::size_t place(Ordinal row, Ordinal k) const {
    return static_cast<std::size_t>(k) * leading + static_cast<std::size_t>(row);
  }
};

/// The owner's side, without values. `source` remembers which of the caller's values each place takes.
template <class Ordinal, class Offset, class Space>
struct HecPattern {
  Ordinal rows = 0;
  Ordinal width = 0;
  Ordinal longest = 0;  // row, as the choice of the width counts
  std::size_t leading = 0;
  std::int64_t ell_entries = 0;
  std::int64_t crs_entries = 0;
  Kokkos::View<Ordinal*, parallel::Device<Space>> ell_columns;
  Kokkos::View<Offset*, parallel::Device<Space>> ell_source;
  sparse::CrsGraph<Ordinal, Offset, Space> crs;

  std::int64_t padding() const { return static_cast<std::int64_t>(ell_columns.extent(0)) - ell_entries; }
  std::size_t bytes_held() const {
    return ell_columns.span() * sizeof(Ordinal) + ell_source.span() * sizeof(Offset) + crs.bytes_held();
  }
};

template <class Scalar, class Ordinal, class Offset, class Space>
class HecStorage {
 public:
  using Pattern = HecPattern<Ordinal, Offset, Space>;

  HecStorage() = default;
  template <class Values>
  HecStorage(const Space& space, Pattern pattern, const Values& values)
      : pattern_(std::move(pattern)),
        ell_values_(parallel::uninitialized<Scalar>(space, "terrace::hec::ell_values", pattern_.ell_columns.extent(0))),
        crs_values_(parallel::uninitialized<Scalar>(space, "terrace::hec::values", pattern_.crs.entries.extent(0))) {
    update_values(space, values);
  }

  /// Enqueued; all values of the rows that were split, in their order.
  template <class Values>
  void update_values(const Space& space, const Values& values) const {
    sparse::fill_values(space, "terrace::hec::fill_ell_values", values, pattern_.ell_source, ell_values_);
    sparse::fill_values(space, "terrace::hec::fill_values", values, pattern_.crs.source, crs_values_);
  }

  const Pattern& pattern() const { return pattern_; }
  HecRows<Scalar, Ordinal, Offset> view() const {
    return {pattern_.rows,
            pattern_.width,
            pattern_.leading,
            pattern_.ell_columns.data(),
            ell_values_.data(),
            pattern_.crs.row_map.data(),
            pattern_.crs.entries.data(),
            crs_values_.data()};
  }
  std::size_t bytes_held() const {
    return pattern_.bytes_held() + (ell_values_.span() + crs_values_.span()) * sizeof(Scalar);
  }

 private:
  Pattern pattern_;
  Kokkos::View<Scalar*, parallel::Device<Space>> ell_values_, crs_values_;
};

}  // namespace terrace::hec
