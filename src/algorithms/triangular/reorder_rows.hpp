// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies rows into level order, so that the rows of a level are contiguous (Naumov 2011, section 3).
#pragma once

#include "sparse/build_rows.hpp"
#include "sparse/triangle.hpp"

namespace terrace::triangular {

/// The strict part of each row, and the diagonal behind it.
template <class Ordinal, class Offset>
struct VisitReordered {
  static constexpr bool own_row = true;

  sparse::TriangleView<Ordinal, Offset> from;
  const Ordinal* order;
  const Offset* from_source;  // null when the rows are the caller's
  bool diagonal;

  KOKKOS_FUNCTION Offset begin(Ordinal place) const { return from.begin(order[place]); }
  KOKKOS_FUNCTION Offset end(Ordinal place) const { return from.end(order[place]); }
  KOKKOS_FUNCTION Offset length(Ordinal place) const { return end(place) - begin(place) + (diagonal ? 1 : 0); }

  template <class Emit>
  KOKKOS_FUNCTION void entry(Ordinal place, Offset k, const Emit& emit) const {
    emit(place, from.entries[k], from_source ? from_source[k] : k);
  }
  template <class Emit>
  KOKKOS_FUNCTION void finish(Ordinal place, const Emit& emit) const {
    if (diagonal) entry(place, from.diagonal_position(order[place]), emit);
  }
};

/// `order` lists the rows by level. The copy's row p is row order(p); its entries keep their numbers.
template <class Ordinal, class Offset, class Space>
sparse::Triangle<Ordinal, Offset, Space> reorder_rows(const Space& space,
                                                      const sparse::Triangle<Ordinal, Offset, Space>& triangle,
                                                      const Kokkos::View<Ordinal*, parallel::Device<Space>>& order,
                                                      bool diagonal) {
  const auto rows = sparse::build_rows<Ordinal, Offset>(
      space, "terrace::triangular::reorder_rows", triangle.count, triangle.count,
      VisitReordered<Ordinal, Offset>{triangle.view(), order.data(), triangle.source.data(), diagonal});
  sparse::Triangle<Ordinal, Offset, Space> reordered;
  reordered.count = triangle.count;
  reordered.row_map = rows.row_map;
  reordered.entries = rows.entries;
  reordered.source = rows.source;
  reordered.is_copy = true;
  reordered.gathers = triangle.gathers;
  reordered.skip_back = diagonal ? 1 : 0;
  return reordered;
}

}  // namespace terrace::triangular
