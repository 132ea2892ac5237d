// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// P A P^T of a pattern: row i of the result is row original(i), its columns have their new numbers and ascend, and each
// entry remembers in `source` which of the caller's values it takes.
#pragma once

#include "algorithms/analysis/copy_lines.hpp"
#include "algorithms/ordering/order_rows.hpp"

namespace terrace::ordering {

template <class Ordinal>
struct InvertOrder {
  const Ordinal* original;
  Ordinal* renumbered;
  KOKKOS_FUNCTION void operator()(Ordinal row) const { renumbered[original[row]] = row; }
};

template <class Ordinal, class Offset>
struct PermuteLengths {
  const Offset* line_map;
  const Ordinal* original;
  Offset* lengths;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    lengths[row] = line_map[original[row] + 1] - line_map[original[row]];
  }
};

template <class Ordinal, class Offset>
struct PermuteLines {
  analysis::Pattern<Ordinal, Offset> from;
  const Offset* from_source;  // null: each entry its own
  const Ordinal* original;
  const Ordinal* renumbered;
  const Offset* line_map;
  Ordinal* entries;
  Offset* source;
  KOKKOS_FUNCTION void operator()(Ordinal row) const {
    const Offset begin = from.line_map[original[row]];
    for (Offset k = line_map[row]; k < line_map[row + 1]; ++k) {
      const Offset at = begin + (k - line_map[row]);
      entries[k] = renumbered[from.entries[at]];
      source[k] = from_source ? from_source[at] : at;
    }
  }
};

template <class Ordinal, class Offset, class Space>
struct PermutedPattern {
  Kokkos::View<Offset*, analysis::Device<Space>> line_map;
  Kokkos::View<Ordinal*, analysis::Device<Space>> entries;
  Kokkos::View<Offset*, analysis::Device<Space>> source;
};

/// `from` holds whole lines. Waits for the space.
template <class Ordinal, class Offset, class Space>
PermutedPattern<Ordinal, Offset, Space> permute_pattern(
    const Space& space, const analysis::Lines<Ordinal, Offset, Space>& from,
    const Kokkos::View<const Ordinal*, analysis::Device<Space>>& original) {
  const Ordinal n = from.count;
  const Kokkos::RangePolicy<Space> each_row(space, 0, n);
  const auto renumbered = analysis::uninitialized<Ordinal>(space, "terrace::ordering::renumbered", n);
  Kokkos::parallel_for("terrace::ordering::invert_order", each_row,
                       InvertOrder<Ordinal>{original.data(), renumbered.data()});
  const auto lengths = analysis::uninitialized<Offset>(space, "terrace::analysis::lengths", n);
  Kokkos::parallel_for("terrace::ordering::permute_lengths", each_row,
                       PermuteLengths<Ordinal, Offset>{from.line_map.data(), original.data(), lengths.data()});
  Offset longest = 0;
  Kokkos::parallel_reduce("terrace::analysis::longest_line", each_row, analysis::LongestLine<Offset>{lengths.data()},
                          Kokkos::Max<Offset>(longest));

  PermutedPattern<Ordinal, Offset, Space> to;
  to.line_map = analysis::uninitialized<Offset>(space, "terrace::ordering::line_map", static_cast<std::size_t>(n) + 1);
  const Offset total = analysis::start_lines<Ordinal, Offset, Space>(space, lengths, to.line_map);
  to.entries = analysis::uninitialized<Ordinal>(space, "terrace::ordering::entries", total);
  to.source = analysis::uninitialized<Offset>(space, "terrace::ordering::source", total);
  Kokkos::parallel_for(
      "terrace::ordering::permute_lines", each_row,
      PermuteLines<Ordinal, Offset>{from.pattern(), from.source.data(), original.data(), renumbered.data(),
                                    to.line_map.data(), to.entries.data(), to.source.data()});
  analysis::sort_lines(space, analysis::SortLines<Ordinal, Offset, Space>{to.line_map, to.entries, to.source, 0, 0}, n,
                       longest);
  space.fence("terrace::ordering::permute_pattern");
  return to;
}

}  // namespace terrace::ordering
