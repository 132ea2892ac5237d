// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triplets to compressed rows by a counting sort: count the entries of each row, place them, then put each row in
// order.
//
// The mirrored half of a symmetric matrix is never stored as triplets; each pass visits an entry and its mirror image
// together. Placing keeps the order of the file, so rows of a file sorted by rows or by columns come out sorted, and
// only other rows are sorted. Duplicates are added in the order of the file, in both halves alike, so that the halves
// stay equal to the last bit. Cost: O(rows + entries) for a sorted file; a row of k entries out of order adds k log k.
#include "compress_entries.hpp"

#include <algorithm>

namespace terrace::io {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

/// Calls visit(row, column, k, mirrored) for triplet k and for its mirror image, if it has one.
template <class Visit>
void for_each_entry(const Triplets& triplets, Symmetry symmetry, Visit visit) {
  for (std::size_t k = 0; k < triplets.rows.size(); ++k) {
    const int row = triplets.rows[k], column = triplets.columns[k];
    visit(row, column, k, false);
    if (symmetry != Symmetry::General && row != column) visit(column, row, k, true);
  }
}

void count_rows(const Triplets& triplets, MatrixMarketMatrix& matrix) {
  matrix.row_map.assign(static_cast<std::size_t>(matrix.header.rows) + 1, 0);
  for_each_entry(triplets, matrix.header.symmetry,
                 [&](int row, int, std::size_t, bool) { ++matrix.row_map[static_cast<std::size_t>(row) + 1]; });
  for (std::size_t row = 1; row < matrix.row_map.size(); ++row) matrix.row_map[row] += matrix.row_map[row - 1];
}

void place_entries(const Triplets& triplets, MatrixMarketMatrix& matrix) {
  const Symmetry symmetry = matrix.header.symmetry;
  const double real_sign = symmetry == Symmetry::SkewSymmetric ? -1 : 1;
  const double imaginary_sign = symmetry == Symmetry::Symmetric ? 1 : -1;
  const std::size_t count = matrix.row_map.back();
  matrix.entries.resize(count);
  if (!triplets.real.empty()) matrix.real.resize(count);
  if (!triplets.imaginary.empty()) matrix.imaginary.resize(count);
  std::vector<std::size_t> next(matrix.row_map.begin(), matrix.row_map.end() - 1);
  for_each_entry(triplets, symmetry, [&](int row, int column, std::size_t k, bool mirrored) {
    const std::size_t position = next[static_cast<std::size_t>(row)]++;
    matrix.entries[position] = column;
    if (!triplets.real.empty()) matrix.real[position] = (mirrored ? real_sign : 1) * triplets.real[k];
    if (!triplets.imaginary.empty()) {
      matrix.imaginary[position] = (mirrored ? imaginary_sign : 1) * triplets.imaginary[k];
    }
  });
}

struct RowEntry {
  int column;
  double real, imaginary;
};

/// Sorts the entries from begin to end by column; equal columns keep their order.
void sort_row(MatrixMarketMatrix& matrix, std::size_t begin, std::size_t end, std::vector<RowEntry>& row) {
  row.clear();
  for (std::size_t k = begin; k < end; ++k) {
    row.push_back({matrix.entries[k], matrix.real.empty() ? 0 : matrix.real[k],
                   matrix.imaginary.empty() ? 0 : matrix.imaginary[k]});
  }
  std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.column < b.column; });
  for (std::size_t k = begin; k < end; ++k) {
    matrix.entries[k] = row[k - begin].column;
    if (!matrix.real.empty()) matrix.real[k] = row[k - begin].real;
    if (!matrix.imaginary.empty()) matrix.imaginary[k] = row[k - begin].imaginary;
  }
}

void sort_rows(MatrixMarketMatrix& matrix) {
  std::vector<RowEntry> buffer;
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row) {
    const std::size_t begin = matrix.row_map[row], end = matrix.row_map[row + 1];
    const int* columns = matrix.entries.data();
    if (!std::is_sorted(columns + begin, columns + end)) sort_row(matrix, begin, end, buffer);
  }
}

/// Adds the entry at `from` to the one at `to`, or moves it there.
void merge_entry(MatrixMarketMatrix& matrix, std::size_t from, std::size_t to, bool add) {
  matrix.entries[to] = matrix.entries[from];
  for (std::vector<double>* part : {&matrix.real, &matrix.imaginary}) {
    if (part->empty()) continue;
    (*part)[to] = add ? (*part)[to] + (*part)[from] : (*part)[from];
  }
}

/// Closes the gaps that duplicates leave. Lines are counted, so a mirrored duplicate does not count again.
void sum_duplicates(MatrixMarketMatrix& matrix) {
  const bool general = matrix.header.symmetry == Symmetry::General;
  std::size_t write = 0, begin = 0;
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row) {
    const std::size_t end = matrix.row_map[row + 1];
    matrix.row_map[row] = write;
    for (std::size_t read = begin; read < end; ++read) {
      const int column = matrix.entries[read];
      const bool again = read > begin && column == matrix.entries[write - 1];
      if (again && (general || static_cast<std::size_t>(column) <= row)) ++matrix.summed_duplicates;
      if (!again) ++write;
      merge_entry(matrix, read, write - 1, again);
    }
    begin = end;
  }
  matrix.row_map.back() = write;
  matrix.entries.resize(write);
  if (!matrix.real.empty()) matrix.real.resize(write);
  if (!matrix.imaginary.empty()) matrix.imaginary.resize(write);
}

}  // namespace

void compress_entries(Triplets triplets, MatrixMarketMatrix& matrix) {
  count_rows(triplets, matrix);
  place_entries(triplets, matrix);
  triplets = {};  // the largest part of the memory, and no longer needed
  sort_rows(matrix);
  sum_duplicates(matrix);
  if (matrix.header.field == Field::Pattern) matrix.real.assign(matrix.entries.size(), 1.0);
}

}  // namespace terrace::io
