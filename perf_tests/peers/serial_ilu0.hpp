// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0) as Saad writes it (Iterative Methods for Sparse Linear Systems, 2003, algorithm 10.4, with his array iw of
// positions), in one thread. A row of U that is far longer than the row is searched, not walked along.
#pragma once

#include <algorithm>

#include "matrices/lower_triangle.hpp"
#include "peers/serial_factor.hpp"

namespace terrace::perf {

/// Of A, which outlives it.
class SerialIlu0 {
 public:
  explicit SerialIlu0(const Rows& A)
      : A_(A), lu_(A.nnz()), diagonal_(static_cast<std::size_t>(A.n)), position_(static_cast<std::size_t>(A.n), -1) {}

  void factorize() {
    lu_ = A_.values;
    for (int row = 0; row < A_.n; ++row) {
      const int begin = A_.row_map[row], end = A_.row_map[row + 1];
      for (int k = begin; k < end; ++k) position_[A_.entries[k]] = k;
      int k = begin;
      for (; A_.entries[k] < row; ++k) subtract_row(k, end);
      diagonal_[row] = k;
      for (k = begin; k < end; ++k) position_[A_.entries[k]] = -1;
    }
  }

  SerialFactor factor() const { return {A_.n, A_.row_map.data(), A_.entries.data(), diagonal_.data(), lu_.data()}; }
  const std::vector<double>& values() const { return lu_; }

 private:
  void subtract_row(int k, int end) {
    const int pivot = diagonal_[A_.entries[k]];
    const double factor = lu_[k] /= lu_[pivot];
    const int last = A_.row_map[A_.entries[k] + 1];
    if (last - pivot > 100 * (end - k)) {
      const auto upper_end = A_.entries.begin() + last;
      for (int place = k + 1; place < end; ++place) {
        const auto at = std::lower_bound(A_.entries.begin() + pivot + 1, upper_end, A_.entries[place]);
        if (at != upper_end && *at == A_.entries[place])
          lu_[place] -= factor * lu_[static_cast<std::size_t>(at - A_.entries.begin())];
      }
      return;
    }
    for (int j = pivot + 1; j < last; ++j) {
      const int place = position_[A_.entries[j]];
      if (place >= 0) lu_[place] -= factor * lu_[j];
    }
  }

  const Rows& A_;
  std::vector<double> lu_;
  std::vector<int> diagonal_, position_;
};

}  // namespace terrace::perf
