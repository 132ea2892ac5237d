// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of the textbook's iterations as plain loops in one thread.
#pragma once

#include <cmath>

#include "matrices/lower_triangle.hpp"

namespace terrace::perf {

/// All but the preconditioner. A and b outlive it.
class SerialTools {
 public:
  using Vector = std::vector<double>;

  SerialTools(const Rows& A, Vector b) : A_(A), b_(std::move(b)) {}

  Vector vector() const { return Vector(b_.size(), 0.0); }
  void clear(Vector& v) const { v.assign(v.size(), 0.0); }
  void start(Vector& r) const { r = b_; }
  void copy(const Vector& v, Vector& w) const { w = v; }

  double dot(const Vector& v, const Vector& w) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < v.size(); ++i) sum += v[i] * w[i];
    return sum;
  }

  void add(double a, const Vector& v, Vector& w) const {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += a * v[i];
  }

  void add_to_scaled(const Vector& v, double a, Vector& w) const {
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = v[i] + a * w[i];
  }

  double advance(double a, const Vector& p, const Vector& q, Vector& x, Vector& r) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += a * p[i];
      r[i] -= a * q[i];
      sum += r[i] * r[i];
    }
    return std::sqrt(sum);
  }

  void multiply(const Vector& v, Vector& w) const {
    for (int row = 0; row < A_.n; ++row) {
      double sum = 0.0;
      for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) sum += A_.values[k] * v[A_.entries[k]];
      w[row] = sum;
    }
  }

  void wait() const {}

 protected:
  const Rows& A_;
  Vector b_;
};

}  // namespace terrace::perf
