// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "system/host_matrix.hpp"

#include <algorithm>
#include <type_traits>

namespace terrace::tools {
namespace {

bool belongs(int row, int column, Uplo uplo, Diag diag) {
  if (row == column) return diag == Diag::NonUnit;
  return (column < row) == (uplo == Uplo::Lower);
}

/// std::uniform_real_distribution does not promise the same numbers on every platform.
double draw(std::mt19937_64& generator) { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; }

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Where (row, column) is stored, or `none`.
template <class Number>
std::size_t find_entry(const HostMatrix<Number>& matrix, int row, int column) {
  const auto begin = matrix.entries.begin() + static_cast<std::ptrdiff_t>(matrix.row_map[row]);
  const auto end = matrix.entries.begin() + static_cast<std::ptrdiff_t>(matrix.row_map[row + 1]);
  const auto found = std::lower_bound(begin, end, column);
  if (found == end || *found != column) return none;
  return static_cast<std::size_t>(found - matrix.entries.begin());
}

double conjugate(double value) { return value; }
std::complex<double> conjugate(std::complex<double> value) { return std::conj(value); }

template <class Number>
void compare(Number value, Number mirrored, SymmetryFacts& facts) {
  facts.symmetric = facts.symmetric && value == mirrored;
  facts.skew_symmetric = facts.skew_symmetric && value == -mirrored;
  facts.hermitian = facts.hermitian && value == conjugate(mirrored);
}

}  // namespace

MatrixMarketMatrix read_matrix(const std::string& path, ProgressLine& progress) {
  progress.stage("reading " + path);
  return read_matrix_market(path, [&progress](double done) { progress.fraction(done); });
}

std::string not_square_message(const MatrixMarketHeader& header, const std::string& what) {
  return "the matrix is " + std::to_string(header.rows) + "x" + std::to_string(header.columns) + "; " + what +
         " needs a square matrix";
}

template <class Number>
HostMatrix<Number> to_host_matrix(MatrixMarketMatrix&& matrix) {
  HostMatrix<Number> result{
      static_cast<int>(matrix.header.rows), std::move(matrix.row_map), std::move(matrix.entries), {}};
  if constexpr (std::is_same_v<Number, double>) {
    result.values = std::move(matrix.real);
  } else {
    result.values.reserve(matrix.real.size());
    for (std::size_t k = 0; k < matrix.real.size(); ++k)
      result.values.emplace_back(matrix.real[k], matrix.imaginary.empty() ? 0.0 : matrix.imaginary[k]);
  }
  return result;
}

template <class Number>
HostMatrix<Number> triangle_of(const HostMatrix<Number>& matrix, Uplo uplo, Diag diag) {
  HostMatrix<Number> triangle;
  triangle.n = matrix.n;
  triangle.row_map.reserve(matrix.row_map.size());
  for (int row = 0; row < matrix.n; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      if (!belongs(row, matrix.entries[k], uplo, diag)) continue;
      triangle.entries.push_back(matrix.entries[k]);
      triangle.values.push_back(matrix.values[k]);
    }
    triangle.row_map.push_back(triangle.entries.size());
  }
  return triangle;
}

template <class Number>
SymmetryFacts find_symmetry(const HostMatrix<Number>& matrix) {
  SymmetryFacts facts{.structure = true, .matched = 1, .symmetric = true, .skew_symmetric = true, .hermitian = true};
  std::size_t unmatched = 0;
  for (int row = 0; row < matrix.n; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      const std::size_t mirror = find_entry(matrix, matrix.entries[k], row);
      compare(matrix.values[k], mirror == none ? Number(0) : matrix.values[mirror], facts);
      if (mirror == none) ++unmatched;
    }
  }
  facts.structure = unmatched == 0;
  if (!matrix.entries.empty())
    facts.matched = 1 - static_cast<double>(unmatched) / static_cast<double>(matrix.entries.size());
  return facts;
}

template <class Number>
std::optional<std::int64_t> first_asymmetric_row(const HostMatrix<Number>& matrix) {
  const auto is_nan = [](Number value) { return !(value == value); };
  for (int row = 0; row < matrix.n; ++row) {
    for (std::size_t k = matrix.row_map[row]; k < matrix.row_map[row + 1]; ++k) {
      if (matrix.entries[k] == row) continue;
      const std::size_t mirror = find_entry(matrix, matrix.entries[k], row);
      if (mirror == none) return row;
      const Number value = matrix.values[k], mirrored = matrix.values[mirror];
      if (value != mirrored && !(is_nan(value) && is_nan(mirrored))) return row;
    }
  }
  return std::nullopt;
}

template <class Number>
std::vector<Number> random_numbers(std::size_t count, std::mt19937_64& generator) {
  std::vector<Number> numbers(count);
  for (Number& number : numbers) {
    const double real = draw(generator);
    if constexpr (std::is_same_v<Number, double>) number = real;
    else number = {real, draw(generator)};
  }
  return numbers;
}

template <class Number>
void round_to_single(std::vector<Number>& numbers) {
  for (Number& number : numbers) {
    if constexpr (std::is_same_v<Number, double>) number = static_cast<float>(number);
    else number = {static_cast<float>(number.real()), static_cast<float>(number.imag())};
  }
}

using Complex = std::complex<double>;
template HostMatrix<double> to_host_matrix(MatrixMarketMatrix&&);
template HostMatrix<Complex> to_host_matrix(MatrixMarketMatrix&&);
template HostMatrix<double> triangle_of(const HostMatrix<double>&, Uplo, Diag);
template HostMatrix<Complex> triangle_of(const HostMatrix<Complex>&, Uplo, Diag);
template SymmetryFacts find_symmetry(const HostMatrix<double>&);
template SymmetryFacts find_symmetry(const HostMatrix<Complex>&);
template std::optional<std::int64_t> first_asymmetric_row(const HostMatrix<double>&);
template std::optional<std::int64_t> first_asymmetric_row(const HostMatrix<Complex>&);
template std::vector<double> random_numbers(std::size_t, std::mt19937_64&);
template std::vector<Complex> random_numbers(std::size_t, std::mt19937_64&);
template void round_to_single(std::vector<double>&);
template void round_to_single(std::vector<Complex>&);

}  // namespace terrace::tools
