// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// P A P^T of a square pattern: row i of the result is row original(i), its columns have their new numbers and ascend,
// and each entry remembers in `source` which of the caller's values it takes.
#pragma once

#include "parallel/loops.hpp"
#include "sparse/build_rows.hpp"
#include "sparse/sort_rows.hpp"

namespace terrace::sparse {

template <class Ordinal>
struct InvertPermutation {
  const Ordinal* original;
  Ordinal* renumbered;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { renumbered[original[row]] = row; }
};

template <class Ordinal, class Offset>
struct VisitPermuted {
  static constexpr bool own_row = true;

  GraphView<Ordinal, Offset> from;
  const Offset* from_source;  // null: each entry its own
  const Ordinal* original;
  const Ordinal* renumbered;

  KOKKOS_FUNCTION Offset begin(Ordinal row) const { return from.begin(original[row]); }
  KOKKOS_FUNCTION Offset end(Ordinal row) const { return from.end(original[row]); }
  KOKKOS_FUNCTION Offset length(Ordinal row) const { return end(row) - begin(row); }

  template <class Emit>
  KOKKOS_FUNCTION void entry(Ordinal row, Offset k, const Emit& emit) const {
    emit(row, renumbered[from.entries[k]], from_source ? from_source[k] : k);
  }
};

/// `original` is a permutation. Waits for the space.
template <class Ordinal, class Offset, class Space>
CrsGraph<Ordinal, Offset, Space> permute(const Space& space, const GraphView<Ordinal, Offset>& from,
                                         const Offset* from_source,
                                         const Kokkos::View<const Ordinal*, parallel::Device<Space>>& original) {
  const parallel::Scratch<Ordinal, Space> renumbered(space, "terrace::sparse::renumbered",
                                                     static_cast<std::size_t>(from.rows));
  parallel::for_range("terrace::sparse::invert_permutation", Kokkos::RangePolicy<Space>(space, 0, from.rows),
                      InvertPermutation<Ordinal>{original.data(), renumbered.data()});
  const auto permuted = build_rows<Ordinal, Offset>(
      space, "terrace::sparse::permute", from.rows, from.rows,
      VisitPermuted<Ordinal, Offset>{from, from_source, original.data(), renumbered.data()});
  sort_rows(space, permuted);
  space.fence("terrace::sparse::permute");
  return permuted;
}

}  // namespace terrace::sparse
