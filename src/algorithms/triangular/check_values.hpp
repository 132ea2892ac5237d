// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for what makes a solve end in Inf or NaN: a zero on the diagonal, a NaN or Inf anywhere in the triangle.
#pragma once

#include "algorithms/triangular/engine.hpp"
#include "parallel/loops.hpp"

namespace terrace::triangular {

/// The cells that check_values fills with the first row, or leaves at the number of rows.
enum ValueDiagnostic { ZeroDiagonal, NonFinite, LongRows, ValueDiagnostics };  // LongRows is scratch
static_assert(int(ValueDiagnostics) <= int(sparse::StructureDiagnostics::Cells),
              "the cells of the structure's check serve both");

/// None of any kind, and no long rows.
template <class Ordinal>
struct ForgetDiagnostics {
  Ordinal* first;
  Ordinal none;
  int long_rows;  // the cell of for_each_row
  KOKKOS_FUNCTION void operator()(int cell) const { first[cell] = cell == long_rows ? 0 : none; }
};

template <class Scalar>
KOKKOS_INLINE_FUNCTION bool is_finite(const Scalar& value) {
  if constexpr (is_complex<Scalar>) return Kokkos::isfinite(value.real()) && Kokkos::isfinite(value.imag());
  else return Kokkos::isfinite(value);
}

template <class Problem>
struct CheckValues {
  using Scalar = typename Problem::Scalar;
  using Ordinal = typename Problem::Ordinal;
  using Offset = typename Problem::Offset;

  const Offset* row_map;
  const Ordinal* entries;
  const Scalar* values;
  const Offset* diagonal;  // of full matrices
  Ordinal* first;
  bool behind_diagonal;
  bool unit;
  bool every_entry;

  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (Offset k = begin(row); k < end(row); ++k) entry(row, k);
    finish(row);
  }

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return every_entry ? row_map[row] : 0; }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return every_entry ? row_map[row + 1] : 0; }
  KOKKOS_FUNCTION void finish(Ordinal row) const {
    if (!every_entry && !unit && row_map[row] < row_map[row + 1]) look_up(row, row_map[row], row_map[row + 1]);
  }

  KOKKOS_FUNCTION void entry(Ordinal row, Offset k) const {
    const Ordinal index = entries[k];
    if (index == row ? unit : (index > row) != behind_diagonal) return;
    if (!is_finite(values[k])) parallel::atomic_lower(first[NonFinite], row);
    if (index == row && values[k] == Scalar(0)) parallel::atomic_lower(first[ZeroDiagonal], row);
  }

  KOKKOS_FUNCTION void look_up(Ordinal row, Offset begin, Offset end) const {
    const Offset position = diagonal ? diagonal[row] : behind_diagonal ? begin : end - 1;
    if (position < end && entries[position] == row && values[position] == Scalar(0))
      parallel::atomic_lower(first[ZeroDiagonal], row);
  }
};

/// Enqueued; the cells are read later.
template <class Problem>
void check_values(const typename Problem::Space& space, const Problem& problem,
                  const Kokkos::View<typename Problem::Ordinal*, parallel::Device<typename Problem::Space>>& first) {
  const auto& input = problem.input;
  parallel::for_range("terrace::triangular::forget_diagnostics",
                      Kokkos::RangePolicy<typename Problem::Space>(space, 0, ValueDiagnostics),
                      ForgetDiagnostics<typename Problem::Ordinal>{first.data(), input.count, LongRows});
  sparse::for_each_row_from_zero(
      space, "terrace::triangular::check_values", input.count,
      input.options.check_structure ? input.entries.extent(0) : 0, first.data() + LongRows,
      CheckValues<Problem>{input.row_map.data(), input.entries.data(), problem.values.data(), input.diagonal.data(),
                           first.data(), sparse::lies_behind_diagonal(input.options), input.options.diag == Diag::Unit,
                           input.options.check_structure});
}

}  // namespace terrace::triangular
