// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the analysis of a triangular system found and chose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <terrace/triangular_options.hpp>

namespace terrace {

/// Rows are counted from 0. For a matrix in compressed columns, "row" reads "column" where a diagonal
/// entry is named (they are the same number) and where a non-finite entry is named.
struct TriangularInfo {
  /// What solves options.op. On a host Algorithm::Automatic watches how long its solves take, and may have gone to one
  /// thread since the analysis, with the same bits, or back: this is what the next solve does.
  Algorithm algorithm = Algorithm::Sequential;
  Storage storage = Storage::Crs;  ///< of the triangle; Automatic: one of the algorithm's own, such as slices or tiles
  std::string reason;              ///< why, in a sentence with the numbers it rests on

  std::int64_t rows = 0;          ///< of the matrix
  std::int64_t entries = 0;       ///< of the triangle, with the diagonal where it is stored
  std::int64_t levels = 0;        ///< level sets of rows; 0 when the algorithm needs none and none were computed
  std::int64_t widest_level = 0;  ///< rows in the largest of them
  int rows_per_task = 1;          ///< consecutive rows that are one unit of work
  std::int64_t tasks = 0;         ///< units of work: groups of rows_per_task rows
  std::int64_t task_levels = 0;   ///< level sets of tasks, which is what the schedule walks
  std::int64_t kernels = 0;       ///< kernels that one solve of options.op enqueues

  std::size_t bytes_held = 0;  ///< by the solver, beyond the caller's matrix
  bool copies_matrix = false;  ///< a reordered, sorted or transposed copy is held
  bool deterministic = true;   ///< two solves of options.op give the same bits

  std::optional<std::int64_t> first_missing_diagonal;  ///< not stored though options.diag is NonUnit; solved as zero
  std::optional<std::int64_t> first_zero_diagonal;     ///< stored, and exactly zero
  std::optional<std::int64_t> first_nonfinite_row;     ///< holds a NaN or an Inf (looked for with check_structure)

  /// The first row on whose diagonal a solve divides by zero; its unknown comes out as Inf or NaN.
  std::optional<std::int64_t> first_singular_row() const;
};

}  // namespace terrace
