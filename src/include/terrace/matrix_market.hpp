// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads Matrix Market files (coordinate format, plain or gzipped) into host memory, and writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <terrace/error.hpp>
#include <vector>

namespace terrace {

/// The banner and size line of a Matrix Market file.
struct MatrixMarketHeader {
  /// The word of the banner for the numbers.
  enum class Field { Real, Integer, Pattern, Complex };
  /// The word of the banner for what is stored.
  enum class Symmetry { General, Symmetric, SkewSymmetric, Hermitian };
  Field field = Field::Real;              ///< what the values are
  Symmetry symmetry = Symmetry::General;  ///< which half is stored
  std::int64_t rows = 0;                  ///< of the matrix
  std::int64_t columns = 0;               ///< of the matrix
  std::int64_t stored_entries = 0;        ///< lines of entries in the file
};

/// A matrix in compressed rows on the host: indices from 0, columns ascending in each row, no duplicates,
/// symmetric halves filled in. Values are complex when the field is; pattern entries are one. Stored zeros, NaN and
/// infinities are kept as they are.
struct MatrixMarketMatrix {
  MatrixMarketHeader header;         ///< banner and sizes as the file has them
  std::vector<std::size_t> row_map;  ///< rows + 1
  std::vector<int> entries;          ///< columns, counted from 0
  std::vector<double> real;          ///< one per entry
  std::vector<double> imaginary;     ///< one per entry for a complex field, else empty
  /// Lines that named an entry again; their values were added in the order of the file. A pattern entry stays one.
  std::int64_t summed_duplicates = 0;
};

/// Called every few MiB of text with the fraction of the file that has been read (0 to 1, not decreasing), and with 1
/// at the end. It may throw to give up reading.
using ReadProgress = std::function<void(double)>;

/// Reads `path`; a gzipped file is recognised by its first bytes. The words of the banner may be in any case, numbers
/// may have a leading plus and a Fortran exponent (1.0D+03), lines may end in CRLF, and blank lines and comments may
/// stand anywhere behind the banner. Works on the host alone, in one thread.
/// \throws Error InvalidFile, with the line number in the message and in Error::line(): a banner with missing or
///         unknown words, array format, sizes that are no numbers or exceed an int, truncated or surplus entries,
///         indices outside the matrix, values that are no numbers, an entry above the diagonal of a symmetric file, a
///         diagonal entry in a skew-symmetric one, a damaged gzip stream. A file that is missing or cannot be opened
///         is InvalidFile too, without a line.
///         OutOfMemory, with the number of the size line, when its sizes cannot fit into this machine's memory.
MatrixMarketMatrix read_matrix_market(const std::string& path, const ReadProgress& progress = {});

/// Reads the banner and the size line alone. \throws Error as read_matrix_market does, of what it reads.
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Dense vectors on the host, one column after the other.
struct MatrixMarketVectors {
  std::int64_t rows = 0;          ///< of each vector
  std::int64_t columns = 0;       ///< how many vectors
  std::vector<double> real;       ///< rows * columns
  std::vector<double> imaginary;  ///< empty unless the field is complex
};

/// Reads right-hand sides: an n x m matrix in the array format, one number per line and column by column, or in the
/// coordinate format, where what is not stored is zero. \throws Error as read_matrix_market does.
MatrixMarketVectors read_matrix_market_vectors(const std::string& path);

/// Called now and then with the fraction of the rows that was written, and with 1 at the end. It may throw to give up.
using WriteProgress = std::function<void(double)>;

/// Writes a matrix in the coordinate format, row by row, gzipped when the path ends in .gz. What reads the file finds
/// the same numbers, bit by bit. `stored_entries` is not read; of a symmetric matrix the lower half is written, and the
/// upper one is not looked at. Works on the host alone, in one thread. \throws Error InvalidFile, without a line: the
/// file cannot be written.
void write_matrix_market(const std::string& path, const MatrixMarketMatrix& matrix, const WriteProgress& progress = {});

/// Writes vectors in the array format. \throws Error as write_matrix_market does.
void write_matrix_market_vectors(const std::string& path, const MatrixMarketVectors& vectors);

}  // namespace terrace
