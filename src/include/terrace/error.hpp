// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one exception type of Terrace: wrong arguments, wrong input, memory that runs out. Numerical outcomes (a
// zero pivot, a NaN in the matrix) are no exceptions; they are reported in the info objects.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace terrace {

/// What an Error is about.
enum class ErrorCode {
  NotSquare,         ///< the matrix has more rows than columns, or fewer
  InvalidRowMap,     ///< row_map decreases, does not start at 0, or does not end at the number of entries
  ColumnOutOfRange,  ///< an entry lies outside the matrix
  WrongTriangle,     ///< an entry lies on the other side of the diagonal of a stored triangle
  DuplicateEntry,    ///< a row names a column twice
  MissingDiagonal,   ///< a row stores no diagonal entry where one is needed
  SizeMismatch,      ///< a view has the wrong length
  InvalidOption,     ///< an option, or a combination of options, that does not exist
  InvalidFile,       ///< a file that cannot be read as what it claims to be
  OutOfMemory,       ///< the input, or what it leads to, does not fit into memory or into the index type
  InvalidGrid,       ///< an extent below one, or more cells than can be counted
  CrossesBoundary,   ///< a coefficient reaches out of the grid
  NotAGrid,          ///< a matrix couples cells that are no neighbours
  NotSymmetric,      ///< a matrix that was called symmetric is not
  NotPositive,       ///< a diagonal entry of a matrix that was called positive definite is not positive
  BlockOutOfRange,   ///< a block number of a partition is negative, or not below the number of blocks
  LibraryFailure,    ///< a library that Terrace calls, such as the CUDA runtime, reported an error
};

const char* to_string(ErrorCode);  ///< not-square, invalid-row-map, ...

/// Thrown by every public function that is handed wrong input; what() says what is wrong and where. Any that allocates
/// may throw OutOfMemory, and any that uses a device LibraryFailure; what() says how much was wanted and is free, or
/// what failed. What comes from the caller's own code, an operator or a monitor, is not changed.
class Error : public std::runtime_error {
 public:
  /// \param code what kind of mistake it is
  /// \param message for a person
  /// \param line the row of the matrix or the line of the file that the message names, if it names one
  Error(ErrorCode code, const std::string& message, std::optional<std::int64_t> line = std::nullopt)
      : std::runtime_error(message), code_(code), line_(line) {}

  /// What kind of mistake it is.
  ErrorCode code() const noexcept { return code_; }

  /// The row of the matrix (0-based; the column of a matrix in compressed columns) or the line of the
  /// file (1-based) that the message names, when it names one.
  std::optional<std::int64_t> line() const noexcept { return line_; }

 private:
  ErrorCode code_;
  std::optional<std::int64_t> line_;
};

}  // namespace terrace
