// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "direct/symmetric_rows.hpp"

#include <limits>
#include <terrace/matrix_market.hpp>

#include "common/harness/method.hpp"
#include "common/random.hpp"

namespace terrace::perf {
namespace {

template <class Number>
Number random_weight(common::Random& random) {
  const Real weight = static_cast<Real>(0.5 + random.uniform());
  if constexpr (is_complex<Number>) return {weight, weight * static_cast<Real>(0.5 * random.uniform())};
  else return weight;
}

template <class Number>
Number number_of(const MatrixMarketMatrix& A, std::size_t k) {
  if constexpr (is_complex<Number>)
    return {static_cast<Real>(A.real[k]), A.imaginary.empty() ? Real(0) : static_cast<Real>(A.imaginary[k])};
  else return static_cast<Real>(A.real[k]);
}

/// Row after row; the diagonal is stored whether A stores it or not.
template <class Number>
SymmetricRows<Number> lower_triangle_of(const MatrixMarketMatrix& A) {
  SymmetricRows<Number> lower;
  lower.n = static_cast<int>(A.header.rows);
  lower.is_stored = true;
  for (int row = 0; row < lower.n; ++row) {
    Number diagonal = 0;
    for (std::size_t k = A.row_map[row]; k < A.row_map[row + 1] && A.entries[k] <= row; ++k) {
      if (A.entries[k] == row) {
        diagonal = number_of<Number>(A, k);
      } else {
        lower.entries.push_back(A.entries[k]);
        lower.values.push_back(number_of<Number>(A, k));
      }
    }
    lower.entries.push_back(row);
    lower.values.push_back(diagonal);
    lower.row_map.push_back(static_cast<int>(lower.entries.size()));
  }
  return lower;
}

}  // namespace

template <class Number>
SymmetricRows<Number> laplacian_on(const LowerTriangle& pattern) {
  if (pattern.nnz() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw LeftOut("more entries than an int counts");
  SymmetricRows<Number> A;
  A.n = pattern.n;
  A.row_map.assign(pattern.row_map.begin(), pattern.row_map.end());
  A.entries = pattern.entries;
  A.values.resize(A.nnz());
  A.is_positive_definite = !is_complex<Number>;
  common::Random random(1);
  std::vector<Number> sums(static_cast<std::size_t>(A.n), Number(0));
  for (int row = 0; row < A.n; ++row)
    for (int k = A.row_map[row]; k < A.row_map[row + 1] - 1; ++k) {
      const Number weight = random_weight<Number>(random);
      A.values[k] = -weight;
      sums[row] += weight;
      sums[A.entries[k]] += weight;
    }
  for (int row = 0; row < A.n; ++row)
    A.values[A.row_map[row + 1] - 1] = sums[row] == Number(0) ? Number(1) : sums[row] * Real(1.001);
  return A;
}

template <class Number>
SymmetricRows<Number> read_symmetric(const std::string& path) try {
  const MatrixMarketMatrix A = read_matrix_market(path);
  if (A.header.symmetry != MatrixMarketHeader::Symmetry::Symmetric) throw LeftOut("its banner does not say symmetric");
  if ((A.header.field == MatrixMarketHeader::Field::Complex) != is_complex<Number>) throw LeftOut("of other numbers");
  return lower_triangle_of<Number>(A);
} catch (const Error& error) {
  throw LeftOut(error.what());
}

template <class Number>
common::HostMatrix<Number, int> both_triangles(const SymmetricRows<Number>& A) {
  const auto upper = upper_triangle(A);
  common::HostMatrix<Number, int> whole;
  whole.n = A.n;
  const auto append = [&](const common::HostMatrix<Number, int>& half, int first, int last) {
    whole.entries.insert(whole.entries.end(), half.entries.begin() + first, half.entries.begin() + last);
    whole.values.insert(whole.values.end(), half.values.begin() + first, half.values.begin() + last);
  };
  for (int row = 0; row < A.n; ++row) {
    append(A, A.row_map[row], A.row_map[row + 1]);
    append(upper, upper.row_map[row] + 1, upper.row_map[row + 1]);
    whole.row_map.push_back(static_cast<int>(whole.entries.size()));
  }
  return whole;
}

template SymmetricRows<Real> laplacian_on<Real>(const LowerTriangle&);
template SymmetricRows<Complex> laplacian_on<Complex>(const LowerTriangle&);
template SymmetricRows<Real> read_symmetric<Real>(const std::string&);
template SymmetricRows<Complex> read_symmetric<Complex>(const std::string&);
template common::HostMatrix<Real, int> both_triangles<Real>(const SymmetricRows<Real>&);
template common::HostMatrix<Complex, int> both_triangles<Complex>(const SymmetricRows<Complex>&);

}  // namespace terrace::perf
