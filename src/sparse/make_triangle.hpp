// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the caller's arrays to rows that kernels can walk: in place when they are in order as they are, else by a copy.
#pragma once

#include <utility>

#include "parallel/joined_arrays.hpp"
#include "sparse/copy_triangle.hpp"

namespace terrace::sparse {

/// The caller's arrays after the check, and what the check found.
template <class Ordinal, class Offset, class Space>
struct CheckedInput {
  Ordinal count = 0;
  Kokkos::View<const Offset*, parallel::Device<Space>> row_map;
  Kokkos::View<const Ordinal*, parallel::Device<Space>> entries;
  Kokkos::View<const Offset*, parallel::Device<Space>> diagonal;  // of full matrices
  StructureFacts facts;
  TriangularOptions options;
  Kokkos::View<Ordinal*, parallel::Device<Space>>
      cells;                             // StructureDiagnostics::Scratch of them: scratch of every check
  parallel::SharedMemory<Space> memory;  // of the diagonal and the cells, which do not own it

  GraphView<Ordinal, Offset> whole() const { return {count, row_map.data(), entries.data()}; }
};

struct DoNothingMeanwhile {
  void operator()(const auto&) const {}
};

/// meanwhile(input) is called where look_at_structure calls it, with the facts that are expected of it.
template <class Ordinal, class Offset, class Space, class Meanwhile = DoNothingMeanwhile>
CheckedInput<Ordinal, Offset, Space> check_input(const Space& space,
                                                 const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
                                                 const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries,
                                                 Ordinal count, const TriangularOptions& options,
                                                 const Meanwhile& meanwhile = {}) {
  CheckedInput<Ordinal, Offset, Space> input{count, row_map, entries, {}, {}, options, {}, {}};
  using Arrays = parallel::JoinedArrays<Space>;
  const std::size_t diagonals = options.stored == Stored::Full ? static_cast<std::size_t>(count) : 0;
  Arrays arrays(
      space, "terrace::sparse::checked_rows",
      Arrays::template bytes<Ordinal>(StructureDiagnostics::Scratch) + Arrays::template bytes<Offset>(diagonals));
  input.cells = arrays.template take_view<Ordinal>(StructureDiagnostics::Scratch);
  Kokkos::View<Offset*, parallel::Device<Space>> diagonal;
  if (diagonals > 0) diagonal = arrays.template take_view<Offset>(diagonals);
  input.memory = arrays.share();
  input.diagonal = diagonal;
  input.facts = StructureFacts::expected();
  input.facts = check_structure(space, row_map, entries, count, options, diagonal, input.cells,
                                [&] { meanwhile(std::as_const(input)); });
  return input;
}

/// True when the strict triangle of every row is one range at a place that is known without searching.
inline bool usable_in_place(const StructureFacts& facts, const TriangularOptions& options) {
  if (!facts.is_sorted) return false;
  if (!facts.first_missing_diagonal) return true;
  return options.stored == Stored::Triangle && options.diag == Diag::Unit && !facts.stores_diagonals;
}

template <class Ordinal, class Offset, class Space>
Triangle<Ordinal, Offset, Space> triangle_in_place(const CheckedInput<Ordinal, Offset, Space>& input) {
  Triangle<Ordinal, Offset, Space> triangle;
  triangle.count = input.count;
  triangle.row_map = input.row_map;
  triangle.entries = input.entries;
  triangle.diagonal = input.diagonal;
  triangle.diagonal_memory = input.memory;
  triangle.gathers = rows_gather(input.options.format, input.options.op);
  triangle.behind_diagonal = lies_behind_diagonal(input.options);
  triangle.may_have_long_rows = input.facts.may_have_long_rows;
  triangle.place_diagonal(input.options.stored == Stored::Triangle && input.facts.stores_diagonals);
  return triangle;
}

/// Which way the rows shall run: as they come, or so that they gather or scatter for options.op.
enum class Orientation { AsGiven, Gather, Scatter };

template <class Ordinal, class Offset, class Space>
Triangle<Ordinal, Offset, Space> make_triangle(const Space& space, const CheckedInput<Ordinal, Offset, Space>& input,
                                               Orientation wanted) {
  const bool gathers = rows_gather(input.options.format, input.options.op);
  const bool transpose = wanted != Orientation::AsGiven && gathers != (wanted == Orientation::Gather);
  if (usable_in_place(input.facts, input.options)) {
    const auto triangle = triangle_in_place(input);
    return transpose ? transpose_triangle(space, triangle.view(), input.options) : triangle;
  }
  auto triangle = copy_triangle<Ordinal, Offset, Space>(space, input.whole(), input.options, transpose);
  if (!input.facts.is_sorted && input.options.check_structure)
    throw_on_duplicates(space, triangle, input.options, transpose);
  return triangle;
}

}  // namespace terrace::sparse
