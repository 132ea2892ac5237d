// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangle of A that is read, on the host: its graph, the whole symmetric matrix that it stands for, and whether
// the other triangle, if it is stored, says the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sparse/host_graph.hpp"

namespace terrace::ldlt {

/// Rows in any order, of one triangle or both.
template <class Offset>
struct HostTriangle {
  std::vector<Offset> row_map;
  std::vector<int> entries;
  bool lower = true;

  int rows() const { return row_map.empty() ? 0 : static_cast<int>(row_map.size()) - 1; }
  bool is_read(int row, int column) const { return lower ? column <= row : column >= row; }

  template <class Visit>
  void for_each_read(const Visit& visit) const {
    for (int row = 0; row < rows(); ++row)
      for (Offset k = row_map[row]; k < row_map[row + 1]; ++k)
        if (is_read(row, entries[k])) visit(row, entries[k], static_cast<std::size_t>(k));
  }
};

struct TriangleFacts {
  std::int64_t entries = 0;  ///< that are read
  std::int64_t empty_rows = 0, missing_diagonals = 0;
  std::optional<std::int64_t> first_empty_row, first_missing_diagonal;
};

/// The whole symmetric matrix by rows, columns ascending; source: the place of each value in the caller's array.
struct WholeMatrix {
  std::vector<std::size_t> row_map;
  std::vector<int> columns;
  std::vector<std::size_t> source;
};

/// Entries off the diagonal that are stored twice, by their places; and the first row with one that has no partner.
struct MirroredEntries {
  std::vector<std::size_t> read, mirrored;
  std::vector<int> row;
  std::optional<std::int64_t> first_without_partner;
};

/// The first row that names a column twice, in either triangle.
template <class Offset>
std::optional<std::int64_t> first_repeating_row(const HostTriangle<Offset>& triangle);

template <class Offset>
TriangleFacts facts_of(const HostTriangle<Offset>& triangle);

/// Without the diagonal.
template <class Offset>
sparse::HostGraph graph_of(const HostTriangle<Offset>& triangle);

template <class Offset>
WholeMatrix whole_matrix(const HostTriangle<Offset>& triangle);

/// Nothing where the other triangle stores no entry at all.
template <class Offset>
MirroredEntries find_mirrored(const HostTriangle<Offset>& triangle);

}  // namespace terrace::ldlt
