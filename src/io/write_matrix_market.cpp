// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes Matrix Market files: a line for each entry of compressed rows, in the order of the rows, or for each number of
// an array.
#include <terrace/matrix_market.hpp>

#include "text_output.hpp"

namespace terrace {
namespace {

using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;
using io::TextOutput;

constexpr std::size_t rows_per_progress = 1 << 16;

const char* word_of(Field field) {
  switch (field) {
    case Field::Real: return "real";
    case Field::Integer: return "integer";
    case Field::Pattern: return "pattern";
    case Field::Complex: return "complex";
  }
  return "";
}

const char* word_of(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::General: return "general";
    case Symmetry::Symmetric: return "symmetric";
    case Symmetry::SkewSymmetric: return "skew-symmetric";
    case Symmetry::Hermitian: return "hermitian";
  }
  return "";
}

/// Of a symmetric matrix the file holds the lower half.
bool is_stored(Symmetry symmetry, std::int64_t row, std::int64_t column) {
  if (symmetry == Symmetry::General) return true;
  return column < row || (column == row && symmetry != Symmetry::SkewSymmetric);
}

/// Calls visit(row, k) for each entry k that the file holds.
template <class Visit>
void for_each_stored(const MatrixMarketMatrix& matrix, const Visit& visit) {
  for (std::size_t row = 0; row + 1 < matrix.row_map.size(); ++row)
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k)
      if (is_stored(matrix.header.symmetry, static_cast<std::int64_t>(row), matrix.entries[k])) visit(row, k);
}

void write_sizes(TextOutput& output, std::initializer_list<std::int64_t> sizes) {
  const char* separator = "";
  for (const std::int64_t size : sizes) {
    output.text(separator);
    output.integer(size);
    separator = " ";
  }
  output.text("\n");
}

void write_header(TextOutput& output, const MatrixMarketMatrix& matrix) {
  const MatrixMarketHeader& header = matrix.header;
  output.text(std::string("%%MatrixMarket matrix coordinate ") + word_of(header.field) + " " +
              word_of(header.symmetry) + "\n");
  std::int64_t count = 0;
  for_each_stored(matrix, [&count](std::size_t, std::size_t) { ++count; });
  write_sizes(output, {header.rows, header.columns, count});
}

void write_value(TextOutput& output, const MatrixMarketMatrix& matrix, std::size_t k) {
  const Field field = matrix.header.field;
  if (field == Field::Pattern) return;
  output.text(" ");
  if (field == Field::Integer) output.whole(matrix.real[k]);
  else output.real(matrix.real[k]);
  if (field != Field::Complex) return;
  output.text(" ");
  output.real(matrix.imaginary[k]);
}

}  // namespace

void write_matrix_market(const std::string& path, const MatrixMarketMatrix& matrix, const WriteProgress& progress) {
  TextOutput output(path);
  write_header(output, matrix);
  std::size_t shown = 0;
  for_each_stored(matrix, [&](std::size_t row, std::size_t k) {
    output.integer(static_cast<std::int64_t>(row) + 1);
    output.text(" ");
    output.integer(std::int64_t{matrix.entries[k]} + 1);
    write_value(output, matrix, k);
    output.text("\n");
    if (!progress || row < shown + rows_per_progress) return;
    shown = row;
    progress(static_cast<double>(row) / static_cast<double>(matrix.header.rows));
  });
  output.close();
  if (progress) progress(1.0);
}

void write_matrix_market_vectors(const std::string& path, const MatrixMarketVectors& vectors) {
  TextOutput output(path);
  const bool complex = !vectors.imaginary.empty();
  output.text(std::string("%%MatrixMarket matrix array ") + (complex ? "complex" : "real") + " general\n");
  write_sizes(output, {vectors.rows, vectors.columns});
  for (std::size_t k = 0; k < vectors.real.size(); ++k) {
    output.real(vectors.real[k]);
    if (complex) {
      output.text(" ");
      output.real(vectors.imaginary[k]);
    }
    output.text("\n");
  }
  output.close();
}

}  // namespace terrace
