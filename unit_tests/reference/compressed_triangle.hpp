// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangles that are too large for maps: compressed rows that are appended one after the other, their backward error,
// and what a number that is not finite reaches.
#pragma once

#include "reference/substitution.hpp"

namespace terrace::reference {

/// A number of the given size; a complex one has both parts.
template <class Scalar>
Scalar number(double size) {
  if constexpr (std::is_floating_point_v<Scalar>) return static_cast<Scalar>(size);
  else return Scalar(static_cast<Real<Scalar>>(0.8 * size), static_cast<Real<Scalar>>(0.6 * size));
}

/// Rows with their diagonal; lower unless it was turned around.
template <class Scalar>
struct CompressedTriangle : CompressedArrays<Scalar> {
  Uplo uplo = Uplo::Lower;

  int rows() const { return static_cast<int>(this->row_map.size()) - 1; }
  void add(int column, double size) {
    this->entries.push_back(column);
    this->values.push_back(number<Scalar>(size));
  }
  void end_row(double diagonal = 2.0) {
    add(rows(), diagonal);
    this->row_map.push_back(this->entries.size());
  }

  /// The same system with its unknowns in the opposite order.
  CompressedTriangle turned_around() const {
    CompressedTriangle turned;
    turned.uplo = uplo == Uplo::Lower ? Uplo::Upper : Uplo::Lower;
    for (int row = rows() - 1; row >= 0; --row) {
      for (std::size_t k = this->row_map[row + 1]; k-- > this->row_map[row];) {
        turned.entries.push_back(rows() - 1 - this->entries[k]);
        turned.values.push_back(this->values[k]);
      }
      turned.row_map.push_back(turned.entries.size());
    }
    return turned;
  }

  /// max over the rows of |b - op(A) x| / (|A| |x| + |b|), in long double; infinity when something is not finite.
  double backward_error(const std::vector<Scalar>& b, const std::vector<Scalar>& x, Op op = Op::None) const {
    const auto n = static_cast<std::size_t>(rows());
    if (b.size() != n || x.size() != n) return HUGE_VAL;
    std::vector<std::complex<long double>> residual;
    std::vector<double> scale;
    for (const Scalar& value : b) {
      residual.push_back(widen(value));
      scale.push_back(magnitude(value));
    }
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t k = this->row_map[row]; k < this->row_map[row + 1]; ++k) {
        const auto column = static_cast<std::size_t>(this->entries[k]);
        const auto to = op == Op::None ? row : column, from = op == Op::None ? column : row;
        const auto value = widen(op == Op::ConjugateTranspose ? conjugate_of(this->values[k]) : this->values[k]);
        residual[to] -= std::complex<long double>(value) * std::complex<long double>(widen(x[from]));
        scale[to] += magnitude(this->values[k]) * magnitude(x[from]);
      }
    LargestError worst;
    for (std::size_t row = 0; row < n; ++row) worst.add(static_cast<double>(std::abs(residual[row])), scale[row]);
    return worst.value();
  }

  /// The rows of op(A)^-1 b whose unknowns depend on one of the marked rows, and these themselves.
  std::vector<bool> reached_from(std::vector<bool> marked, Op op = Op::None) const {
    const bool forward = (uplo == Uplo::Lower) == (op == Op::None);
    for (int step = 0; step < rows(); ++step) {
      const auto row = static_cast<std::size_t>(forward ? step : rows() - 1 - step);
      for (std::size_t k = this->row_map[row]; k < this->row_map[row + 1]; ++k) {
        const auto column = static_cast<std::size_t>(this->entries[k]);
        if (marked[op == Op::None ? column : row]) marked[op == Op::None ? row : column] = true;
      }
    }
    return marked;
  }

  int levels() const {
    std::vector<int> level(static_cast<std::size_t>(rows()), 0);
    int most = 0;
    for (int step = 0; step < rows(); ++step) {
      const int row = uplo == Uplo::Lower ? step : rows() - 1 - step;
      for (std::size_t k = this->row_map[row]; k < this->row_map[row + 1]; ++k)
        if (this->entries[k] != row) level[row] = std::max(level[row], level[this->entries[k]] + 1);
      most = std::max(most, level[row] + 1);
    }
    return most;
  }
};

}  // namespace terrace::reference
