// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the caller's arrays to lines that kernels can walk: in place when they are in order as they are, else by a copy.
#pragma once

#include "sparse/copy_triangle.hpp"

namespace terrace::sparse {

/// The caller's arrays after the check, and what the check found.
template <class Ordinal, class Offset, class Space>
struct CheckedInput {
  Ordinal count = 0;
  Kokkos::View<const Offset*, parallel::Device<Space>> line_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<const Offset*, parallel::Device<Space>> diagonal;  // of full matrices
  StructureFacts facts;
  TriangularOptions options;
  Kokkos::View<Ordinal*, parallel::Device<Space>> cells;  // StructureDiagnostics::Cells of them: scratch of every check

  GraphView<Ordinal, Offset> whole() const { return {count, line_map.data(), entries.data()}; }
};

template <class Ordinal, class Offset, class Space>
CheckedInput<Ordinal, Offset, Space> check_input(const Space& space,
                                                 const Kokkos::View<const Offset*, parallel::Device<Space>>& line_map,
                                                 const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries,
                                                 Ordinal count, const TriangularOptions& options) {
  CheckedInput<Ordinal, Offset, Space> input{count, line_map, entries, {}, {}, options, {}};
  input.cells = parallel::uninitialized<Ordinal>(space, "terrace::sparse::diagnostics", StructureDiagnostics::Cells);
  Kokkos::View<Offset*, parallel::Device<Space>> diagonal;
  if (options.stored == Stored::Full)
    diagonal = parallel::uninitialized<Offset>(space, "terrace::lines::diagonal", count);
  input.facts = check_structure(space, line_map, entries, count, options, diagonal, input.cells);
  input.diagonal = diagonal;
  return input;
}

/// True when the strict triangle of every line is one range at a place that is known without searching.
inline bool usable_in_place(const StructureFacts& facts, const TriangularOptions& options) {
  if (!facts.is_sorted) return false;
  if (!facts.first_missing_diagonal) return true;
  return options.stored == Stored::Triangle && options.diag == Diag::Unit && !facts.stores_diagonals;
}

template <class Ordinal, class Offset, class Space>
Lines<Ordinal, Offset, Space> lines_in_place(const CheckedInput<Ordinal, Offset, Space>& input) {
  Lines<Ordinal, Offset, Space> lines;
  lines.count = input.count;
  lines.line_map = input.line_map;
  lines.entries = input.entries;
  lines.diagonal = input.diagonal;
  lines.gathers = lines_gather(input.options.format, input.options.op);
  lines.behind_diagonal = lies_behind_diagonal(input.options);
  lines.may_have_long_lines = input.facts.may_have_long_lines;
  lines.place_diagonal(input.options.stored == Stored::Triangle && input.facts.stores_diagonals);
  return lines;
}

/// Which way the lines shall run: as they come, or so that they gather or scatter for options.op.
enum class Orientation { AsGiven, Gather, Scatter };

template <class Ordinal, class Offset, class Space>
Lines<Ordinal, Offset, Space> make_lines(const Space& space, const CheckedInput<Ordinal, Offset, Space>& input,
                                         Orientation wanted) {
  const bool gathers = lines_gather(input.options.format, input.options.op);
  const bool transpose = wanted != Orientation::AsGiven && gathers != (wanted == Orientation::Gather);
  if (!transpose && usable_in_place(input.facts, input.options)) return lines_in_place(input);
  auto lines = copy_triangle<Ordinal, Offset, Space>(space, input.whole(), input.options, transpose);
  if (!input.facts.is_sorted && input.options.check_structure)
    throw_on_duplicates(space, lines, input.options, transpose);
  return lines;
}

}  // namespace terrace::sparse
