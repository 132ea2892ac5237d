// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangle of A that is read, on the host: what is missing in it, the whole symmetric matrix that it stands for,
// and whether the other triangle, if it is stored, says the same.
//
// `threads` of the host take part; what they find does not depend on how many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sparse/compressed_graph.hpp"

namespace terrace::ldlt {

using sparse::HostTriangleView;

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
std::optional<std::int64_t> first_repeating_row(const HostTriangleView<Offset>& triangle, int threads = 1);

/// `graph` is the triangle's.
template <class Offset>
TriangleFacts facts_of(const HostTriangleView<Offset>& triangle, const sparse::CompressedGraph& graph, int threads = 1);

template <class Offset>
WholeMatrix whole_matrix(const HostTriangleView<Offset>& triangle);

/// Nothing where the other triangle stores no entry at all.
template <class Offset>
MirroredEntries find_mirrored(const HostTriangleView<Offset>& triangle);

}  // namespace terrace::ldlt
