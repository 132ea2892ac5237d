// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One triangle of a symmetric pattern or both, as a caller may store them.
#pragma once

#include <algorithm>
#include <vector>

#include "reference/symmetric_pattern.hpp"
#include "sparse/host_triangle_view.hpp"

namespace terrace::test {

struct StoredPattern {
  std::vector<std::size_t> row_map{0};
  std::vector<int> columns;
  bool lower = true;

  sparse::HostTriangleView<std::size_t> view() const {
    return {static_cast<int>(row_map.size()) - 1, row_map.data(), columns.data(), lower};
  }
};

/// `is_full`: both triangles. Rows are shuffled, and one diagonal entry of four is missing.
inline StoredPattern stored_pattern(const reference::Neighbours& neighbours, bool lower, bool is_full,
                                    reference::Random& random) {
  StoredPattern stored;
  stored.lower = lower;
  for (int row = 0; row < static_cast<int>(neighbours.size()); ++row) {
    std::vector<int> columns;
    for (const int column : neighbours[row])
      if (is_full || (lower ? column < row : column > row)) columns.push_back(column);
    if (reference::below(random, 4) > 0) columns.push_back(row);
    std::shuffle(columns.begin(), columns.end(), random);
    stored.columns.insert(stored.columns.end(), columns.begin(), columns.end());
    stored.row_map.push_back(stored.columns.size());
  }
  return stored;
}

}  // namespace terrace::test
