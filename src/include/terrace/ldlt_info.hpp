// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the phases of a direct factorization found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <terrace/ldlt_options.hpp>
#include <terrace/stop_reason.hpp>
#include <vector>

namespace terrace {

/// Of LdltSymbolic: complete before anything large is allocated. Rows are counted from 0, and have the caller's
/// numbers.
struct LdltSymbolicInfo {
  std::int64_t rows = 0;            ///< of the matrix
  std::int64_t matrix_entries = 0;  ///< of the triangle that is read, with the diagonal entries that are stored

  Ordering ordering = Ordering::Natural;                  ///< as chosen
  std::string ordering_reason;                            ///< why, in a sentence
  LdltAlgorithm algorithm = LdltAlgorithm::Multifrontal;  ///< as chosen
  std::string algorithm_reason;                           ///< why, in a sentence

  std::int64_t factor_entries = 0;  ///< of L with its diagonal, without the zeros of amalgamation
  std::int64_t stored_entries = 0;  ///< with them
  double operations = 0.0;         ///< additions and multiplications of a factorization: sum over columns of the square
                                   ///< of their entries, without the zeros of amalgamation. Of A's scalar type
  double stored_operations = 0.0;  ///< with them
  std::int64_t fronts = 0;         ///< dense matrices that are eliminated
  std::int64_t levels = 0;         ///< of the tree of fronts
  std::int64_t largest_front = 0;  ///< rows
  std::int64_t longest_path = 0;   ///< columns from a leaf to a root, at most

  std::size_t factor_bytes = 0;  ///< of a factor with entries of 8 bytes: L and D
  std::size_t peak_bytes = 0;  ///< with what factorizations and solves need besides, of 8 bytes an entry; bytes_held of
                               ///< them whatever the entries are
  std::size_t bytes_held = 0;  ///< by this phase

  std::int64_t empty_rows = 0;  ///< no entry at all, in the triangle that is read or, mirrored, in the other
  std::optional<std::int64_t> first_empty_row;         ///< none where there is none
  std::int64_t missing_diagonals = 0;                  ///< not stored, and taken for zeros; empty rows among them
  std::optional<std::int64_t> first_missing_diagonal;  ///< none where there is none

  double ordering_seconds = 0.0;  ///< of the order alone
  double seconds = 0.0;           ///< of the whole phase
};

/// A front: a dense symmetric matrix of so many rows, of which the first `columns` are eliminated in it. What is left
/// goes to its parent.
struct LdltFront {
  int rows = 0;     ///< own columns included
  int columns = 0;  ///< 0: it only adds up what its children leave, for a parent that has very many
  int parent = -1;  ///< its place among LdltSymbolic::fronts; -1 for a root
  int level = 0;    ///< counted from 0; roots stand on the last one, others on the one before their parent's
};

/// Of LdltFactor, for the values that it saw last. Rows have the caller's numbers; `first` means first in the order of
/// elimination.
struct LdltInfo {
  std::optional<std::int64_t> first_zero_pivot;     ///< the row; none where no pivot is zero
  std::optional<std::int64_t> first_tiny_pivot;     ///< the row; LdltFactorOptions::pivots says what is tiny
  std::optional<std::int64_t> first_nonfinite_row;  ///< a NaN or Inf in A, or an overflow
  std::int64_t replaced_pivots = 0;                 ///< with PivotPolicy::Replace

  double smallest_pivot = 0.0;  ///< min |d|, of S A S, after replacement
  double largest_pivot = 0.0;   ///< max |d|
  double largest_entry = 0.0;   ///< max |S A S|
  double growth = 0.0;          ///< max |L|
  std::size_t bytes_held = 0;   ///< beyond the matrix and the symbolic phase

  PivotPolicy policy = PivotPolicy::Replace;  ///< as asked for

  /// False where the factor is of no use: a row is not finite, or a pivot is zero and was not replaced. A factor whose
  /// pivots were replaced or are tiny solves a matrix nearby: refine, and look at the backward error.
  bool succeeded() const;
};

/// Of one column of LdltFactor::refine.
struct RefinedColumn {
  /// max_i |b - A x|_i / (|A| |x| + |b|)_i of what was returned, in the precision of the matrix (Oettli and Prager
  /// 1964; Arioli, Demmel, Duff 1989). NaN where x is not finite. A row whose denominator is below
  /// eps^2 max_j |a_ij| max_j |x_j|, and whose b_i is below eps^2 max_j |b_j|, is all rounding, and is divided by
  /// max_j |a_ij| max_j |x_j| instead.
  double backward_error = 0.0;
  int steps = 0;                              ///< steps done, those of GMRES included
  bool used_gmres = false;                    ///< whether plain steps stagnated and GMRES went on
  StopReason reason = StopReason::Converged;  ///< why it ended
  std::vector<double> backward_errors;        ///< the backward error before the first step, and after each
};

/// Of LdltFactor::refine.
struct RefinementResult {
  std::vector<RefinedColumn> columns;  ///< one for each right-hand side

  bool converged() const;         ///< every column reached its tolerance
  double backward_error() const;  ///< the largest; NaN if any is
};

}  // namespace terrace
