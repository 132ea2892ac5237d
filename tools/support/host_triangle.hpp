// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One triangle of a matrix in compressed rows on the host, in the widest precision.
#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <terrace/matrix_market.hpp>
#include <terrace/triangular_options.hpp>
#include <vector>

namespace terrace::tools {

/// Number: double or std::complex<double>. Columns ascend in each row.
template <class Number>
struct HostTriangle {
  int rows = 0;
  std::vector<std::size_t> row_map{0};  ///< rows + 1
  std::vector<int> entries;
  std::vector<Number> values;
};

std::string not_square_message(const MatrixMarketHeader& header);

/// The chosen triangle of a square matrix; without its diagonal when that is taken as one.
/// A real triangle of a complex matrix has the real parts.
/// \throws Error NotSquare
template <class Number>
HostTriangle<Number> extract_triangle(const MatrixMarketMatrix& matrix, Uplo uplo, Diag diag);

/// The same numbers in compressed columns: the rows of the result are the columns of `triangle`.
template <class Number>
HostTriangle<Number> transpose(const HostTriangle<Number>& triangle);

}  // namespace terrace::tools
