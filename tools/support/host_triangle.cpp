// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/host_triangle.hpp"

#include <type_traits>

namespace terrace::tools {
namespace {

template <class Number>
Number number_at(const MatrixMarketMatrix& matrix, std::size_t k) {
  if constexpr (std::is_same_v<Number, double>) {
    return matrix.real[k];
  } else {
    return {matrix.real[k], matrix.imaginary.empty() ? 0.0 : matrix.imaginary[k]};
  }
}

bool belongs(int row, int column, Uplo uplo, Diag diag) {
  if (row == column) return diag == Diag::NonUnit;
  return (column < row) == (uplo == Uplo::Lower);
}

void check_square(const MatrixMarketHeader& header) {
  if (header.rows != header.columns) throw Error(ErrorCode::NotSquare, not_square_message(header));
}

}  // namespace

std::string not_square_message(const MatrixMarketHeader& header) {
  return "the matrix is " + std::to_string(header.rows) + "x" + std::to_string(header.columns) +
         "; a triangular solve needs a square matrix";
}

template <class Number>
HostTriangle<Number> extract_triangle(const MatrixMarketMatrix& matrix, Uplo uplo, Diag diag) {
  check_square(matrix.header);
  HostTriangle<Number> triangle;
  triangle.rows = static_cast<int>(matrix.header.rows);
  triangle.row_map.reserve(matrix.row_map.size());
  for (int row = 0; row < triangle.rows; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      if (!belongs(row, matrix.entries[k], uplo, diag)) continue;
      triangle.entries.push_back(matrix.entries[k]);
      triangle.values.push_back(number_at<Number>(matrix, k));
    }
    triangle.row_map.push_back(triangle.entries.size());
  }
  return triangle;
}

template <class Number>
HostTriangle<Number> transpose(const HostTriangle<Number>& triangle) {
  HostTriangle<Number> result{triangle.rows, std::vector<std::size_t>(triangle.row_map.size(), 0),
                              std::vector<int>(triangle.entries.size()), std::vector<Number>(triangle.values.size())};
  for (const int column : triangle.entries) ++result.row_map[column + 1];
  for (int row = 0; row < result.rows; ++row) result.row_map[row + 1] += result.row_map[row];
  std::vector<std::size_t> next(result.row_map.begin(), result.row_map.end() - 1);
  for (int row = 0; row < triangle.rows; ++row) {
    for (std::size_t k = triangle.row_map[row]; k < triangle.row_map[row + 1]; ++k) {
      const std::size_t place = next[triangle.entries[k]]++;
      result.entries[place] = row;
      result.values[place] = triangle.values[k];
    }
  }
  return result;
}

template HostTriangle<double> extract_triangle(const MatrixMarketMatrix&, Uplo, Diag);
template HostTriangle<std::complex<double>> extract_triangle(const MatrixMarketMatrix&, Uplo, Diag);
template HostTriangle<double> transpose(const HostTriangle<double>&);
template HostTriangle<std::complex<double>> transpose(const HostTriangle<std::complex<double>>&);

}  // namespace terrace::tools
