// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two phases of an incomplete factorization found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <terrace/ilu_options.hpp>

namespace terrace {

/// Of IluSymbolic. Rows are counted from 0, and have the caller's numbers whatever the ordering.
struct IluSymbolicInfo {
  std::int64_t rows = 0;                                ///< of the matrix
  std::int64_t matrix_entries = 0;                      ///< that are stored in A
  std::int64_t factor_entries = 0;                      ///< of L and U in their one merged pattern
  std::int64_t operations = 0;                          ///< products l_ik u_kj that a numeric phase looks at
  std::optional<std::int64_t> first_inserted_diagonal;  ///< the row, with insert_missing_diagonal
  int colors = 0;                                       ///< of Ordering::Multicolor

  Algorithm algorithm = Algorithm::Sequential;  ///< how the rows of the numeric phase wait for one another
  std::string reason;                           ///< why, in a sentence
  std::int64_t levels = 0;                      ///< level sets of rows; 0 when none were computed
  std::size_t bytes_held = 0;                   ///< of this phase
};

/// Of IluFactor, for the values that it saw last. Rows have the caller's numbers; `first` means first in the order of
/// elimination.
struct IluInfo {
  std::optional<std::int64_t> first_zero_pivot;         ///< the row; none where no pivot is zero
  std::optional<std::int64_t> first_tiny_pivot;         ///< the row; PivotOptions::threshold says what is tiny
  std::optional<std::int64_t> first_nonpositive_pivot;  ///< L L^T of a real matrix, and L L^H
  std::optional<std::int64_t> first_nonfinite_row;      ///< a NaN or Inf in A, or an overflow

  /// With an ordering: which of these was eliminated first. The others may be its consequence.
  std::optional<std::int64_t> eliminated_first;
  std::int64_t replaced_pivots = 0;  ///< with PivotPolicy::Replace

  double shift = 0.0;          ///< alpha of A + alpha diag(A)
  int attempts = 1;            ///< factorizations that were tried, with PivotPolicy::Shift
  std::size_t bytes_held = 0;  ///< factor and solvers with their analysis, also where other factors share it

  /// The first row, in the order of elimination, whose pivot is zero, tiny or not positive, or that is not finite.
  std::optional<std::int64_t> first_bad_row() const;

  /// Whether the factor can be applied: all pivots were good, or were replaced.
  bool succeeded() const;
};

}  // namespace terrace
