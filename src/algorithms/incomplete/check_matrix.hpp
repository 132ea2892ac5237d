// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The checks of a matrix that shall be factorized.
#pragma once

#include <limits>
#include <string>
#include <terrace/error.hpp>

#include "algorithms/incomplete/merged_pattern.hpp"

namespace terrace::incomplete {

inline void check_number_of_values(std::size_t values, std::int64_t entries) {
  if (static_cast<std::int64_t>(values) != entries)
    throw Error(ErrorCode::SizeMismatch,
                "there are " + std::to_string(values) + " values for " + std::to_string(entries) + " entries");
}

inline void check_diagonals(const sparse::StructureFacts& facts, const IluSymbolicOptions& options) {
  const auto row = facts.first_missing_diagonal;
  if (row && !options.insert_missing_diagonal)
    throw Error(ErrorCode::MissingDiagonal,
                "row " + std::to_string(*row) + " stores no diagonal entry (insert_missing_diagonal gives it a zero)",
                row);
}

/// The mirrored triangle may hold nearly twice as many entries as were given.
template <class Offset>
void check_countable(std::size_t entries, std::size_t rows) {
  if (2 * entries + rows > static_cast<std::size_t>(std::numeric_limits<Offset>::max()))
    throw Error(ErrorCode::OutOfMemory, "the factors have more entries than the row map's type can count");
}

template <class Ordinal, class Offset, class Space>
sparse::CheckedInput<Ordinal, Offset, Space> check_matrix(
    const Space& space, const Kokkos::View<const Offset*, parallel::Device<Space>>& row_map,
    const Kokkos::View<const Ordinal*, parallel::Device<Space>>& entries, const IluSymbolicOptions& options) {
  const std::size_t rows = row_map.extent(0) == 0 ? 0 : row_map.extent(0) - 1;
  if (rows > static_cast<std::size_t>(std::numeric_limits<Ordinal>::max()) - 1)
    throw Error(ErrorCode::SizeMismatch,
                "the matrix has " + std::to_string(rows) + " rows; the index type cannot count them");
  const auto count = static_cast<Ordinal>(rows);
  if (count == 0 && entries.extent(0) > 0)
    throw Error(ErrorCode::InvalidRowMap, "row_map has no rows, but there are entries");
  const TriangularOptions full{.stored = Stored::Full, .check_structure = options.check_structure};
  if (count == 0) return {0, row_map, entries, {}, {}, full, {}, {}};
  const auto input = sparse::check_input<Ordinal, Offset, Space>(space, row_map, entries, count, full);
  check_diagonals(input.facts, options);
  if (is_symmetric(options.factorization) || options.insert_missing_diagonal)
    check_countable<Offset>(entries.extent(0), rows);
  return input;
}

}  // namespace terrace::incomplete
