// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <terrace/ilu_options.hpp>

#include "algorithms/incomplete/merged_pattern.hpp"
#include "algorithms/ordering/given_order.hpp"
#include "algorithms/ordering/order_rows.hpp"
#include "sparse/permute.hpp"

namespace terrace::incomplete {

/// Brings the rows of a pattern without fill, whose values each entry remembers, into the order.
template <class Ordinal, class Offset, class Space>
void reorder(const Space& space, const ordering::Renumbering<Ordinal, Space>& renumbering,
             MergedPattern<Ordinal, Offset, Space>& merged) {
  if (renumbering.is_natural()) return;
  merged = merged_rows(space, sparse::permute(space, merged.whole(), merged.source.data(), renumbering.original));
}

template <class Ordinal, class Offset, class Space>
ordering::Renumbering<Ordinal, Space> renumber(const Space& space, const IluSymbolicOptions& options,
                                               MergedPattern<Ordinal, Offset, Space>& merged) {
  const auto renumbering = ordering::order_rows(space, options.ordering, options.permutation, merged);
  reorder(space, renumbering, merged);
  return renumbering;
}

}  // namespace terrace::incomplete
