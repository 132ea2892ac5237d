// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are too long for one thread of a device, in parts: the p-th of m parts has the entries p, p + m, and so on,
// so that threads side by side read entries side by side. Parts of a row of k entries have sqrt(k) of them at least:
// whoever adds up what the parts have takes no longer than they did.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "parallel/host_vectors.hpp"
#include "parallel/index_arithmetic.hpp"

namespace terrace::ldlt {

/// Rows with more entries come in parts.
template <class Space>
constexpr std::size_t longest_row() {
  return parallel::is_host_space<Space> ? std::numeric_limits<std::size_t>::max() : 512;
}

struct LongRowsView {
  struct Part {
    int row;
    std::size_t first, step;  // of its entries
  };

  const int* row;
  const int* first_part;   // count + 1
  const int* row_of_part;  // its index here
  int count, parts;
  std::size_t longest;  // of the other rows

  /// So many items have kernels over all rows: those, and then one for each long row.
  KOKKOS_FUNCTION int items(int rows) const { return rows + count; }

  KOKKOS_FUNCTION Part part(int k) const {
    const int index = row_of_part[k];
    return {row[index], static_cast<std::size_t>(k - first_part[index]),
            static_cast<std::size_t>(first_part[index + 1] - first_part[index])};
  }
};

template <class Space>
class LongRows {
 public:
  LongRows() = default;

  /// Waits for the space. \throws Error OutOfMemory.
  LongRows(const Space& space, const std::vector<std::size_t>& row_map, std::size_t longest) : longest_(longest) {
    std::vector<int> row, first_part{0}, row_of_part;
    for (std::size_t i = 0; i + 1 < row_map.size(); ++i) {
      const std::size_t entries = row_map[i + 1] - row_map[i];
      if (entries <= longest) continue;
      const auto of_part = std::max(longest / 4 + 1, static_cast<std::size_t>(std::sqrt(static_cast<double>(entries))));
      row_of_part.insert(row_of_part.end(), parallel::divide_up(entries, of_part), static_cast<int>(row.size()));
      row.push_back(static_cast<int>(i));
      first_part.push_back(static_cast<int>(row_of_part.size()));
    }
    row_ = parallel::from_host_vector(space, "terrace::ldlt::long_rows", row);
    first_part_ = parallel::from_host_vector(space, "terrace::ldlt::first_part", first_part);
    row_of_part_ = parallel::from_host_vector(space, "terrace::ldlt::row_of_part", row_of_part);
  }

  LongRowsView view() const {
    return {row_.data(),
            first_part_.data(),
            row_of_part_.data(),
            static_cast<int>(row_.extent(0)),
            static_cast<int>(row_of_part_.extent(0)),
            longest_};
  }

 private:
  Kokkos::View<int*, parallel::Device<Space>> row_, first_part_, row_of_part_;
  std::size_t longest_ = 0;
};

}  // namespace terrace::ldlt
