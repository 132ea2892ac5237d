// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of one vector with a small front on a host. A call of the BLAS for each of its parts takes longer than the
// sums; here four columns go side by side, and what they hold is read once.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace::ldlt {

template <class Scalar>
class SmallFront {
 public:
  static constexpr std::int64_t max_entries = 1024;  // tuned (docs/results/direct-host.md)

  /// `panel`: unit lower trapezoid of `rows` x `columns`, column after column. y: of its columns; u: of the rows below.
  SmallFront(const Scalar* panel, int rows, int columns, Scalar* y, Scalar* u)
      : panel_(panel), rows_(rows), columns_(columns), y_(y), u_(u) {}

  /// y = L11^-1 y, u -= L21 y.
  void forward() const {
    int j = 0;
    for (; j + together <= columns_; j += together) forward_together(j);
    for (; j < columns_; ++j) {
      const Scalar* const a = column(j);
      for (int r = j + 1; r < columns_; ++r) y_[r] -= a[r] * y_[j];
      for (int r = columns_; r < rows_; ++r) u_[r - columns_] -= a[r] * y_[j];
    }
  }

  /// y = L11^-T (y - L21^T u).
  void backward() const {
    int j = columns_;
    for (; j >= together; j -= together) backward_together(j - together);
    for (--j; j >= 0; --j) {
      const Scalar* const a = column(j);
      Scalar sum = y_[j];
      for (int r = j + 1; r < columns_; ++r) sum -= a[r] * y_[r];
      for (int r = columns_; r < rows_; ++r) sum -= a[r] * u_[r - columns_];
      y_[j] = sum;
    }
  }

 private:
  static constexpr int together = 4;

  const Scalar* column(int j) const { return panel_ + std::ptrdiff_t(j) * rows_; }

  void forward_together(int j) const {
    const Scalar *const a = column(j), *const b = a + rows_, *const c = b + rows_, *const d = c + rows_;
    const Scalar p = y_[j];
    const Scalar q = y_[j + 1] - a[j + 1] * p;
    const Scalar r = y_[j + 2] - a[j + 2] * p - b[j + 2] * q;
    const Scalar s = y_[j + 3] - a[j + 3] * p - b[j + 3] * q - c[j + 3] * r;
    y_[j + 1] = q, y_[j + 2] = r, y_[j + 3] = s;
    const auto subtract = [&](Scalar* to, int begin, int end) {
      for (int i = begin; i < end; ++i) to[i - begin] -= (a[i] * p + b[i] * q) + (c[i] * r + d[i] * s);
    };
    subtract(y_ + j + together, j + together, columns_);
    subtract(u_, columns_, rows_);
  }

  void backward_together(int j) const {
    const Scalar *const a = column(j), *const b = a + rows_, *const c = b + rows_, *const d = c + rows_;
    Scalar p(0), q(0), r(0), s(0), p2(0), q2(0), r2(0), s2(0);
    const auto add = [&](const Scalar* from, int begin, int end) {
      int i = begin;
      for (; i + 1 < end; i += 2) {
        const Scalar even = from[i - begin], odd = from[i - begin + 1];
        p += a[i] * even, q += b[i] * even, r += c[i] * even, s += d[i] * even;
        p2 += a[i + 1] * odd, q2 += b[i + 1] * odd, r2 += c[i + 1] * odd, s2 += d[i + 1] * odd;
      }
      if (i < end) {
        const Scalar last = from[i - begin];
        p += a[i] * last, q += b[i] * last, r += c[i] * last, s += d[i] * last;
      }
    };
    add(y_ + j + together, j + together, columns_);
    add(u_, columns_, rows_);
    const Scalar w = y_[j + 3] - (s + s2);
    const Scalar z = y_[j + 2] - (r + r2) - c[j + 3] * w;
    const Scalar y = y_[j + 1] - (q + q2) - b[j + 3] * w - b[j + 2] * z;
    y_[j] = y_[j] - (p + p2) - a[j + 3] * w - a[j + 2] * z - a[j + 1] * y;
    y_[j + 1] = y, y_[j + 2] = z, y_[j + 3] = w;
  }

  const Scalar* panel_;
  int rows_, columns_;
  Scalar *y_, *u_;
};

}  // namespace terrace::ldlt
