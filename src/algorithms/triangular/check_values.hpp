// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Looks for what makes a solve end in Inf or NaN: a zero on the diagonal, a NaN or Inf anywhere in the triangle.
#pragma once

#include "algorithms/triangular/engine.hpp"

namespace terrace::triangular {

/// The cells that check_values fills with the first row, or leaves at the number of rows.
enum ValueDiagnostic { ZeroDiagonal, NonFinite, LongLines, ValueDiagnostics };  // LongLines is scratch
static_assert(int(ValueDiagnostics) <= int(sparse::StructureDiagnostics::Cells),
              "the cells of the structure's check serve both");

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

  const Offset* line_map;
  const Ordinal* entries;
  const Scalar* values;
  const Offset* diagonal;  // of full matrices
  Ordinal* first;
  bool behind_diagonal;
  bool unit;
  bool every_entry;

  KOKKOS_FUNCTION void operator()(Ordinal line) const {
    for (Offset k = begin(line); k < end(line); ++k) entry(line, k);
    finish(line);
  }

  KOKKOS_FUNCTION Offset begin(Ordinal line) const { return every_entry ? line_map[line] : 0; }
  KOKKOS_FUNCTION Offset end(Ordinal line) const { return every_entry ? line_map[line + 1] : 0; }
  KOKKOS_FUNCTION void finish(Ordinal line) const {
    if (!every_entry && !unit && line_map[line] < line_map[line + 1]) look_up(line, line_map[line], line_map[line + 1]);
  }

  KOKKOS_FUNCTION void entry(Ordinal line, Offset k) const {
    const Ordinal index = entries[k];
    if (index == line ? unit : (index > line) != behind_diagonal) return;
    if (!is_finite(values[k])) parallel::atomic_lower(first[NonFinite], line);
    if (index == line && values[k] == Scalar(0)) parallel::atomic_lower(first[ZeroDiagonal], line);
  }

  KOKKOS_FUNCTION void look_up(Ordinal line, Offset begin, Offset end) const {
    const Offset position = diagonal ? diagonal[line] : behind_diagonal ? begin : end - 1;
    if (position < end && entries[position] == line && values[position] == Scalar(0))
      parallel::atomic_lower(first[ZeroDiagonal], line);
  }
};

/// Enqueued; the cells are read later.
template <class Problem>
void check_values(const typename Problem::Space& space, const Problem& problem,
                  const Kokkos::View<typename Problem::Ordinal*, parallel::Device<typename Problem::Space>>& first) {
  const auto& input = problem.input;
  Kokkos::parallel_for("terrace::triangular::forget_diagnostics",
                       Kokkos::RangePolicy<typename Problem::Space>(space, 0, ValueDiagnostics),
                       sparse::ForgetDiagnostics<typename Problem::Ordinal>{first.data(), input.count, LongLines});
  sparse::for_each_line_from_zero(
      space, "terrace::triangular::check_values", input.count,
      input.options.check_structure ? input.entries.extent(0) : 0, first.data() + LongLines,
      CheckValues<Problem>{input.line_map.data(), input.entries.data(), problem.values.data(), input.diagonal.data(),
                           first.data(), sparse::lies_behind_diagonal(input.options), input.options.diag == Diag::Unit,
                           input.options.check_structure});
}

}  // namespace terrace::triangular
