// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of terrace::HecMatrix: check once, split, multiply.
#pragma once

#include <string>
#include <terrace/hec_matrix.hpp>

#include "algorithms/hec/check_rows.hpp"
#include "algorithms/hec/multiply.hpp"
#include "algorithms/hec/split_rows.hpp"
#include "algorithms/krylov/check_product.hpp"
#include "backends/failures.hpp"
#include "backends/krylov.hpp"
#include "backends/structure_checks.hpp"

namespace terrace {

template <class Scalar, class Ordinal, class Offset, class Space>
struct HecMatrix<Scalar, Ordinal, Offset, Space>::State {
  hec::HecStorage<Scalar, Ordinal, Offset, Space> storage;
  std::size_t values = 0;            // of the caller
  krylov::ListOfRows<Space> listed;  // of the compressed part, on a device that multiplies it apart
  HecInfo info;
};

namespace hec {

inline void check_options(const HecOptions& options, std::int64_t rows, std::int64_t columns) {
  const auto number = [](auto value) { return std::to_string(value); };
  if (!(options.relative_performance >= 0))
    throw Error(ErrorCode::InvalidOption,
                "relative_performance is " + number(options.relative_performance) + "; it must be at least 0");
  if (options.width && (*options.width < 0 || *options.width > columns))
    throw Error(ErrorCode::InvalidOption, "the width of the ELL part is " + number(*options.width) +
                                              "; it must lie between 0 and the number of columns, " + number(columns));
  if (options.ends_with_diagonal && rows != columns)
    throw Error(ErrorCode::NotSquare, "the matrix is " + number(rows) + "x" + number(columns) +
                                          "; rows that end with their diagonal need a square matrix");
}

/// The number of rows. \throws Error where it, or the number of columns or values, cannot be.
template <class Ordinal, class RowMap, class Entries, class Values>
Ordinal check_sizes(const RowMap& row_map, const Entries& entries, const Values& values, Ordinal columns) {
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - row_alignment)
    throw Error(ErrorCode::SizeMismatch,
                "the matrix has " + std::to_string(rows) + " rows; the index type cannot count them");
  if (columns < 0) throw Error(ErrorCode::SizeMismatch, "the matrix has " + std::to_string(columns) + " columns");
  triangular::check_number_of_values(values.extent(0), entries.extent(0));
  if (rows == 0 && entries.extent(0) > 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map has no rows, but there are entries");
  return static_cast<Ordinal>(rows);
}

/// The compressed part as a matrix.
template <class Scalar, class Ordinal, class Offset, class Space>
krylov::CrsRows<Scalar, Offset> remainder_of(const HecStorage<Scalar, Ordinal, Offset, Space>& storage,
                                             const HecInfo& info) {
  const auto A = storage.view();
  return {A.row_map, A.entries, A.values, A.rows, info.crs_entries};
}

/// Whether a kernel of its own multiplies the compressed part: it has long rows, or is all there is.
template <class Scalar, class Ordinal, class Offset, class Space>
bool shares_entries(const HecStorage<Scalar, Ordinal, Offset, Space>& storage) {
  return storage.pattern().longest - storage.pattern().width > longest_remainder;
}
template <class Scalar, class Ordinal, class Offset, class Space>
bool multiplies_apart(const HecStorage<Scalar, Ordinal, Offset, Space>& storage) {
  return shares_entries(storage) || storage.pattern().width == 0;
}

/// Vectors as columns.
template <class Scalar, class Ordinal, class Offset, class Space, class Input, class Output>
void multiply_views(const Space& space, const HecStorage<Scalar, Ordinal, Offset, Space>& storage, const HecInfo& info,
                    const krylov::ListOfRows<Space>& listed, const Input& x, const Output& y) {
  krylov::check_product(x.extent(0), x.extent(1), y.extent(0), y.extent(1), info.rows, info.columns);
  if (y.extent(0) == 0 || y.extent(1) == 0) return;
  const krylov::Columns<const Scalar> from{x.data(), static_cast<std::ptrdiff_t>(x.extent(0))};
  const krylov::Columns<Scalar> to{y.data(), static_cast<std::ptrdiff_t>(y.extent(0))};
  const auto columns = static_cast<int>(y.extent(1));
  const auto A = storage.view();
  if (multiplies_apart(storage)) {
    auto remainder = remainder_of(storage, info);
    if constexpr (!parallel::is_host_space<Space>) remainder.take_list(listed);
    krylov::multiply(space, remainder, from, to, columns, static_cast<const krylov::Projection<Scalar>*>(nullptr));
  }
  if (A.width > 0) multiply(space, A, from, to, columns, shares_entries(storage));
}

}  // namespace hec

template <class Scalar, class Ordinal, class Offset, class Space>
HecMatrix<Scalar, Ordinal, Offset, Space>::HecMatrix(const Space& space, row_map_type row_map, entries_type entries,
                                                     values_type values, Ordinal columns, const HecOptions& options) try
    : state_(std::make_unique<State>()) {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  const Ordinal rows = hec::check_sizes(row_map, entries, values, columns);
  hec::check_options(options, rows, columns);
  HecInfo& info = state_->info;
  info.rows = rows;
  info.columns = columns;
  state_->values = values.extent(0);
  if (rows == 0) return;

  Kokkos::View<Offset*, device_type> diagonal;
  if (options.ends_with_diagonal)
    diagonal = parallel::uninitialized<Offset>(space, "terrace::hec::diagonal", static_cast<std::size_t>(rows));
  hec::check_rows<Ordinal, Offset, Space>(space, row_map, entries, rows, columns, diagonal);
  const hec::RowsOfMatrix<Ordinal, Offset> matrix{{rows, row_map.data(), entries.data()}, diagonal.data()};
  state_->storage = {space,
                     hec::split_rows<Scalar, Ordinal, Offset>(space, matrix, rows, entries.extent(0),
                                                              {options.relative_performance, options.width}),
                     values};

  const auto& parts = state_->storage.pattern();
  info.width = parts.width;
  info.ell_entries = parts.ell_entries;
  info.crs_entries = parts.crs_entries;
  info.padding = parts.padding();
  info.cost = static_cast<double>(parts.width) * static_cast<double>(rows) +
              hec::cost_of(options.relative_performance, static_cast<double>(parts.crs_entries));
  if constexpr (!parallel::is_host_space<Space>)
    if (hec::multiplies_apart(state_->storage))
      state_->listed = krylov::list_rows(space, hec::remainder_of(state_->storage, info));
  info.bytes_held = state_->storage.bytes_held() + state_->listed.rows.span() * sizeof(int);
  space.fence("terrace::HecMatrix");
} catch (...) {
  parallel::rethrow_as_error(space, "terrace::HecMatrix");
}

template <class Scalar, class Ordinal, class Offset, class Space>
HecMatrix<Scalar, Ordinal, Offset, Space>::~HecMatrix() {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_.reset();
}

template <class Scalar, class Ordinal, class Offset, class Space>
HecMatrix<Scalar, Ordinal, Offset, Space>::HecMatrix(HecMatrix&&) noexcept = default;

template <class Scalar, class Ordinal, class Offset, class Space>
auto HecMatrix<Scalar, Ordinal, Offset, Space>::operator=(HecMatrix&& other) noexcept -> HecMatrix& {
  const typename parallel::Runtime<Space>::BesideOthers beside_others;
  state_ = std::move(other.state_);
  return *this;
}

template <class Scalar, class Ordinal, class Offset, class Space>
void HecMatrix<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_type& x,
                                                      const output_type& y) const {
  hec::multiply_views(space, state_->storage, state_->info, state_->listed, x, y);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void HecMatrix<Scalar, Ordinal, Offset, Space>::apply(const Space& space, const input_columns_type& x,
                                                      const output_columns_type& y) const {
  hec::multiply_views(space, state_->storage, state_->info, state_->listed, x, y);
}

template <class Scalar, class Ordinal, class Offset, class Space>
void HecMatrix<Scalar, Ordinal, Offset, Space>::update_values(const Space& space, values_type values) {
  triangular::check_number_of_values(values.extent(0), state_->values);
  if (state_->values > 0) state_->storage.update_values(space, values);
}

template <class Scalar, class Ordinal, class Offset, class Space>
const HecInfo& HecMatrix<Scalar, Ordinal, Offset, Space>::info() const {
  return state_->info;
}

}  // namespace terrace
