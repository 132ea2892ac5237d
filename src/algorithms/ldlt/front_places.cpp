// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of a front and of its parent both ascend: one walk along both finds where each row has its place.
#include <algorithm>

#include "algorithms/ldlt/front_tree.hpp"
#include "parallel/host_ranges.hpp"

namespace terrace::ldlt {

parallel::HostArray<int> find_places_in_parents(const FrontTree& tree, int threads) {
  parallel::HostArray<int> place(tree.rows.size());
  parallel::share_items(threads, tree.row_map, [&] {
    return [&](int first, int end) {
      for (int f = first; f < end; ++f) {
        const int parent = tree.parent[f];
        const std::size_t begin = tree.row_map[f], below = begin + static_cast<std::size_t>(tree.columns_of(f));
        std::fill(place.begin() + static_cast<std::ptrdiff_t>(begin),
                  place.begin() + static_cast<std::ptrdiff_t>(below), -1);
        const int* const above = parent < 0 ? nullptr : tree.rows_begin(parent);
        int at = 0;
        for (std::size_t k = below; k < tree.row_map[f + 1]; ++k) {
          while (above[at] != tree.rows[k]) ++at;
          place[k] = at;
        }
      }
    };
  });
  return place;
}

}  // namespace terrace::ldlt
