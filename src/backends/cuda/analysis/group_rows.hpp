// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of neighbouring rows with nearly the same columns. Plain arithmetic on the host: no CUDA here.
#pragma once

#include <vector>

namespace terrace::cuda {

/// What is known of a row and the one before it, as bits.
enum RowBit : unsigned char {
  begins_run = 1,    ///< they share fewer than half of their columns
  needs_former = 2,  ///< one of them needs the other
};

/// The first row of each group, and the number of rows. A run of rows that go on with the columns of the one before is
/// divided into groups of nearly equal size, as few as can be with `most` rows each.
inline std::vector<int> group_rows(const std::vector<unsigned char>& bits, int most) {
  const auto rows = static_cast<int>(bits.size());
  std::vector<int> group_map;
  for (int first = 0, last = 0; first < rows; first = last) {
    for (last = first + 1; last < rows && (bits[last] & begins_run) == 0;) ++last;
    const int length = last - first, groups = (length + most - 1) / most;
    for (int group = 0; group < groups; ++group)
      group_map.push_back(first + static_cast<int>(static_cast<long long>(length) * group / groups));
  }
  group_map.push_back(rows);
  return group_map;
}

/// Groups of `size` rows, whatever their columns are.
inline std::vector<int> equal_groups(int rows, int size) {
  std::vector<int> group_map;
  for (int first = 0; first < rows; first += size) group_map.push_back(first);
  group_map.push_back(rows);
  return group_map;
}

/// By row: its group.
inline std::vector<int> groups_of_rows(const std::vector<int>& group_map) {
  std::vector<int> group_of(static_cast<std::size_t>(group_map.back()));
  for (std::size_t group = 0; group + 1 < group_map.size(); ++group)
    for (int row = group_map[group]; row < group_map[group + 1]; ++row) group_of[row] = static_cast<int>(group);
  return group_of;
}

}  // namespace terrace::cuda
