// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangles for tests: made from a seed, kept as what they mean (rows of column -> value), and written out in every
// form in which the library accepts them.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace::reference {

template <class Scalar>
struct RealOf {
  using type = Scalar;
};
template <class Scalar>
requires requires { typename Scalar::value_type; }
struct RealOf<Scalar> {
  using type = typename Scalar::value_type;
};
template <class Scalar>
using Real = typename RealOf<Scalar>::type;

/// Uniform in [-1, 1], in both parts of a complex number.
template <class Scalar>
Scalar random_scalar(std::mt19937& generator) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  if constexpr (std::is_floating_point_v<Scalar>) return static_cast<Scalar>(uniform(generator));
  else return Scalar(static_cast<Real<Scalar>>(uniform(generator)), static_cast<Real<Scalar>>(uniform(generator)));
}

/// The rows of a triangular matrix, with its diagonal.
template <class Scalar>
struct SparseTriangle {
  Uplo uplo = Uplo::Lower;
  std::vector<std::map<int, Scalar>> rows;

  int size() const { return static_cast<int>(rows.size()); }
};

/// A pattern by name: what the schedules have to cope with.
enum class Pattern { Random, Chain, DenseRow, DenseColumn, Diagonal, Blocks, Dense };

inline const std::vector<Pattern>& all_patterns() {
  static const std::vector<Pattern> all{Pattern::Random,   Pattern::Chain,  Pattern::DenseRow, Pattern::DenseColumn,
                                        Pattern::Diagonal, Pattern::Blocks, Pattern::Dense};
  return all;
}

inline bool has_entry(Pattern pattern, int row, int column, int n, std::mt19937& generator) {
  switch (pattern) {
    case Pattern::Random: return generator() % static_cast<unsigned>(std::max(1, n)) < 4;
    case Pattern::Chain: return column == row - 1;
    case Pattern::DenseRow: return row == n - 1 || row == n / 2;
    case Pattern::DenseColumn: return column == 0;
    case Pattern::Diagonal: return false;
    case Pattern::Blocks: return row / 7 == column / 7;
    case Pattern::Dense: return true;
  }
  return false;
}

/// The diagonal outweighs each row and each column, so that solutions stay of the size of b.
template <class Scalar>
SparseTriangle<Scalar> make_triangle(int n, Pattern pattern, Uplo uplo, unsigned seed) {
  std::mt19937 generator(seed);
  SparseTriangle<Scalar> triangle{uplo, std::vector<std::map<int, Scalar>>(static_cast<std::size_t>(n))};
  const int scale = 2 + n / 8;
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < row; ++column) {
      if (!has_entry(pattern, row, column, n, generator)) continue;
      const bool lower = uplo == Uplo::Lower;
      const Scalar value = random_scalar<Scalar>(generator) / static_cast<Real<Scalar>>(scale);
      triangle.rows[lower ? row : n - 1 - row][lower ? column : n - 1 - column] = value;
    }
  }
  for (int row = 0; row < n; ++row)
    triangle.rows[row][row] = Scalar(2) + random_scalar<Scalar>(generator) / Real<Scalar>(2);
  return triangle;
}

/// Rows without entries; a wide level of rows of every length; a wide level of short rows, and a long one; long rows
/// behind each other, and short rows behind them.
template <class Scalar>
SparseTriangle<Scalar> rows_of_every_length(Uplo uplo) {
  std::vector<int> lengths(1300, 0);
  for (int round = 0; round < 30; ++round)
    for (const int length : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 129, 257, 1024, 1025, 1300})
      lengths.push_back(length);
  const int short_rows = static_cast<int>(lengths.size());
  for (int row = 0; row < 600; ++row) lengths.push_back(row == 77 ? 600 : 1 + row % 3);
  const int chain = static_cast<int>(lengths.size());
  for (int row = 0; row < 40; ++row) lengths.push_back(row % 8 < 2 ? 500 : 3);
  const int n = static_cast<int>(lengths.size());
  std::mt19937 generator(5);
  SparseTriangle<Scalar> triangle{uplo, std::vector<std::map<int, Scalar>>(lengths.size())};
  for (int row = 0; row < n; ++row) {
    const int first = row < short_rows ? 0 : row < chain ? 1300 : chain - 600;
    const int last = row < short_rows ? 1300 : row < chain ? short_rows : row;
    for (int k = 0; k < lengths[row]; ++k) {
      const int column = last - 1 - (k + (row < chain ? row * 7 : 0)) % (last - first);
      triangle.rows[uplo == Uplo::Lower ? row : n - 1 - row][uplo == Uplo::Lower ? column : n - 1 - column] =
          random_scalar<Scalar>(generator) / static_cast<Real<Scalar>>(lengths[row]);
    }
  }
  for (int row = 0; row < n; ++row)
    triangle.rows[row][row] = Scalar(2) + random_scalar<Scalar>(generator) / Real<Scalar>(2);
  return triangle;
}

/// Compressed arrays on the host, as a caller would hold them.
template <class Scalar>
struct CompressedArrays {
  std::vector<std::size_t> row_map{0};
  std::vector<int> entries;
  std::vector<Scalar> values;
};

/// How the arrays differ from the plain compressed rows of the triangle.
struct Writing {
  TriangularOptions options;
  bool sorted = true;
  bool unit_diagonal_stored = true;  // with Diag::Unit: as a value that must never be read
};

/// Writes the triangle as `writing` says. Whatever must not be read is NaN.
template <class Scalar>
CompressedArrays<Scalar> compress(const SparseTriangle<Scalar>& triangle, const Writing& writing, unsigned seed) {
  std::mt19937 generator(seed);
  const Scalar poison(std::numeric_limits<Real<Scalar>>::quiet_NaN());
  const int n = triangle.size();
  std::vector<std::map<int, Scalar>> lines(static_cast<std::size_t>(n));
  const bool by_columns = writing.options.format == Format::Csc;
  for (int row = 0; row < n; ++row) {
    for (const auto& [column, value] : triangle.rows[row]) {
      const bool unread = row == column && writing.options.diag == Diag::Unit;
      if (unread && !writing.unit_diagonal_stored) continue;
      lines[by_columns ? column : row][by_columns ? row : column] = unread ? poison : value;
      if (writing.options.stored == Stored::Full && row != column && generator() % 3 > 0)
        lines[by_columns ? row : column][by_columns ? column : row] = poison;
    }
  }
  CompressedArrays<Scalar> arrays;
  for (const auto& line : lines) {
    std::vector<std::pair<int, Scalar>> entries(line.begin(), line.end());
    if (!writing.sorted) std::shuffle(entries.begin(), entries.end(), generator);
    for (const auto& [index, value] : entries) {
      arrays.entries.push_back(index);
      arrays.values.push_back(value);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  return arrays;
}

}  // namespace terrace::reference
