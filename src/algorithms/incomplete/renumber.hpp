// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "algorithms/incomplete/merged_pattern.hpp"
#include "algorithms/ordering/order_rows.hpp"
#include "sparse/permute.hpp"

namespace terrace::incomplete {

/// Orders the rows of a pattern without fill, whose values each entry remembers.
template <class Ordinal, class Offset, class Space>
ordering::Renumbering<Ordinal, Space> renumber(const Space& space, Ordering order,
                                               MergedPattern<Ordinal, Offset, Space>& merged) {
  const auto renumbering = ordering::order_rows(space, order, merged);
  if (renumbering.is_natural()) return renumbering;
  merged = merged_rows(space, sparse::permute(space, merged.whole(), merged.source.data(), renumbering.original));
  return renumbering;
}

}  // namespace terrace::incomplete
