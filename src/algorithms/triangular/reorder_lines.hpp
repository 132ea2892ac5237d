// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies lines into level order, so that the lines of a level are contiguous (Naumov 2011, section 3).
#pragma once

#include "sparse/build_rows.hpp"
#include "sparse/pattern.hpp"

namespace terrace::triangular {

/// The strict part of each row, and the diagonal behind it.
template <class Ordinal, class Offset>
struct VisitReordered {
  static constexpr bool own_row = true;

  sparse::Pattern<Ordinal, Offset> from;
  const Ordinal* order;
  const Offset* from_source;  // null when the lines are the caller's
  bool diagonal;

  KOKKOS_FUNCTION Offset length(Ordinal place) const {
    return from.end(order[place]) - from.begin(order[place]) + (diagonal ? 1 : 0);
  }

  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal place, const Emit& emit) const {
    const auto copy = [&](Offset k) { emit(place, from.entries[k], from_source ? from_source[k] : k); };
    for (Offset k = from.begin(order[place]); k < from.end(order[place]); ++k) copy(k);
    if (diagonal) copy(from.diagonal_position(order[place]));
  }
};

/// `order` lists the lines by level. The copy's line p is line order(p); its entries keep their numbers.
template <class Ordinal, class Offset, class Space>
sparse::Lines<Ordinal, Offset, Space> reorder_lines(const Space& space,
                                                    const sparse::Lines<Ordinal, Offset, Space>& lines,
                                                    const Kokkos::View<Ordinal*, parallel::Device<Space>>& order,
                                                    bool diagonal) {
  const auto rows = sparse::build_rows<Ordinal, Offset>(
      space, "terrace::triangular::reorder_lines", lines.count, lines.count,
      VisitReordered<Ordinal, Offset>{lines.pattern(), order.data(), lines.source.data(), diagonal});
  sparse::Lines<Ordinal, Offset, Space> reordered;
  reordered.count = lines.count;
  reordered.line_map = rows.row_map;
  reordered.entries = rows.entries;
  reordered.source = rows.source;
  reordered.is_copy = true;
  reordered.gathers = lines.gathers;
  reordered.skip_back = diagonal ? 1 : 0;
  return reordered;
}

}  // namespace terrace::triangular
