// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the blocks found for the copies of a row, joined: the owner's, or the sum over all copies.
//
// The sum is taken in the order of the blocks' first rows, which does not depend on how the blocks are numbered.
#pragma once

#include "algorithms/schwarz/engine.hpp"
#include "parallel/loops.hpp"
#include "sparse/sort_rows.hpp"

namespace terrace::schwarz {

/// For each row of A its places, in the order of summation.
template <class Ordinal, class Offset, class Space>
using Copies = sparse::CrsGraph<Ordinal, Offset, Space>;

template <class Ordinal>
struct LowerFirstRows {
  const Ordinal* row;  // of each place; ~row where another block owns it
  BlockOf<Ordinal> block_of;
  Ordinal* first;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    if (row[place] >= 0) parallel::atomic_lower(first[block_of[place]], row[place]);
  }
};

/// The first row of its block stands for a place, which becomes the source.
template <class Ordinal, class Offset>
struct VisitCopies {
  const Ordinal* row;
  BlockOf<Ordinal> block_of;
  const Ordinal* first;
  template <class Emit>
  KOKKOS_FUNCTION void operator()(Ordinal place, const Emit& emit) const {
    emit(plain_row(row[place]), first[block_of[place]], static_cast<Offset>(place));
  }
};

/// Waits for the space.
template <class Offset, class Ordinal, class Space>
Copies<Ordinal, Offset, Space> find_copies(const Space& space, const Ordinal* row, const BlockOf<Ordinal>& block_of,
                                           Ordinal places, Ordinal rows) {
  const auto first = parallel::uninitialized<Ordinal>(space, "terrace::schwarz::first_rows",
                                                      static_cast<std::size_t>(block_of.blocks));
  parallel::fill(space, first, rows);
  parallel::for_range("terrace::schwarz::first_rows", Kokkos::RangePolicy<Space>(space, 0, places),
                      LowerFirstRows<Ordinal>{row, block_of, first.data()});
  auto copies = sparse::build_rows<Ordinal, Offset>(space, "terrace::schwarz::find_copies", rows, places,
                                                    VisitCopies<Ordinal, Offset>{row, block_of, first.data()});
  sparse::sort_rows(space, copies);
  copies.entries = {};  // the order has served
  return copies;
}

template <class Scalar, class Ordinal, class Offset, class Space>
struct SumCopies {
  const Offset* row_map;
  const Offset* place;
  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<Scalar, Space> z;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(z.columns); ++column) {
      Scalar sum(0);
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k)
        sum += from(static_cast<std::ptrdiff_t>(place[k]), column);
      z(row, column) = sum;
    }
  }
};

template <class Scalar, class Ordinal, class Space>
struct TakeOwned {
  const Ordinal* row;
  detail::MultiVector<const Scalar, Space> from;
  detail::MultiVector<Scalar, Space> z;
  KOKKOS_FUNCTION void operator()(Ordinal place) const {
    if (row[place] < 0) return;
    for (std::ptrdiff_t column = 0; column < static_cast<std::ptrdiff_t>(z.columns); ++column)
      z(row[place], column) = from(place, column);
  }
};

}  // namespace terrace::schwarz
