// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0) as Saad writes it (Iterative Methods for Sparse Linear Systems, 2003, algorithm 10.4, with his array iw of
// positions), and conjugate gradients with it (algorithm 9.1): plain loops in one thread.
#include <cmath>

#include "incomplete/factor_method.hpp"

namespace terrace::perf {
namespace {

class SerialIlu0 final : public FactorMethod {
 public:
  explicit SerialIlu0(const FullMatrix& A)
      : A_(A), lu_(A.nnz()), diagonal_(static_cast<std::size_t>(A.n)), position_(static_cast<std::size_t>(A.n), -1) {}

  void symbolic() override {}

  void numeric() override {
    lu_ = A_.values;
    for (int row = 0; row < A_.n; ++row) {
      const int begin = A_.row_map[row], end = A_.row_map[row + 1];
      for (int k = begin; k < end; ++k) position_[A_.entries[k]] = k;
      int k = begin;
      for (; A_.entries[k] < row; ++k) subtract_row(k);
      diagonal_[row] = k;
      for (k = begin; k < end; ++k) position_[A_.entries[k]] = -1;
    }
  }

  std::vector<double> merged() const override { return lu_; }
  const std::vector<int>& diagonal() const { return diagonal_; }
  const std::vector<double>& values() const { return lu_; }

 private:
  void subtract_row(int k) {
    const int pivot = diagonal_[A_.entries[k]];
    const double factor = lu_[k] /= lu_[pivot];
    const int last = A_.row_map[A_.entries[k] + 1];
    for (int j = pivot + 1; j < last; ++j) {
      const int place = position_[A_.entries[j]];
      if (place >= 0) lu_[place] -= factor * lu_[j];
    }
  }

  const FullMatrix& A_;
  std::vector<double> lu_;
  std::vector<int> diagonal_, position_;
};

class SerialPcg final : public IterationMethod {
 public:
  explicit SerialPcg(const FullMatrix& A)
      : A_(A), factor_(A), x_(static_cast<std::size_t>(A.n)), r_(x_), z_(x_), p_(x_), q_(x_) {
    factor_.numeric();
  }

  double iterate(int iterations) override {
    x_.assign(x_.size(), 0.0);
    r_.assign(r_.size(), 1.0);
    precondition();
    p_ = z_;
    double rho = dot(r_, z_), residual = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      multiply();
      const double alpha = rho / dot(p_, q_);
      residual = step(alpha);
      precondition();
      const double next = dot(r_, z_), beta = next / rho;
      for (int row = 0; row < A_.n; ++row) p_[row] = z_[row] + beta * p_[row];
      rho = next;
    }
    return residual;
  }

 private:
  double dot(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0;
    for (int row = 0; row < A_.n; ++row) sum += a[row] * b[row];
    return sum;
  }

  double step(double alpha) {
    double sum = 0;
    for (int row = 0; row < A_.n; ++row) {
      x_[row] += alpha * p_[row];
      r_[row] -= alpha * q_[row];
      sum += r_[row] * r_[row];
    }
    return std::sqrt(sum);
  }

  void multiply() {
    for (int row = 0; row < A_.n; ++row) {
      double sum = 0;
      for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) sum += A_.values[k] * p_[A_.entries[k]];
      q_[row] = sum;
    }
  }

  void precondition() {
    const auto& lu = factor_.values();
    const auto& diagonal = factor_.diagonal();
    for (int row = 0; row < A_.n; ++row) {
      double sum = r_[row];
      for (int k = A_.row_map[row]; k < diagonal[row]; ++k) sum -= lu[k] * z_[A_.entries[k]];
      z_[row] = sum;
    }
    for (int row = A_.n - 1; row >= 0; --row) {
      double sum = z_[row];
      for (int k = diagonal[row] + 1; k < A_.row_map[row + 1]; ++k) sum -= lu[k] * z_[A_.entries[k]];
      z_[row] = sum / lu[diagonal[row]];
    }
  }

  const FullMatrix& A_;
  SerialIlu0 factor_;
  std::vector<double> x_, r_, z_, p_, q_;
};

}  // namespace

std::unique_ptr<FactorMethod> make_serial_ilu0(const FullMatrix& A) { return std::make_unique<SerialIlu0>(A); }
std::unique_ptr<IterationMethod> make_serial_pcg(const FullMatrix& A) { return std::make_unique<SerialPcg>(A); }

}  // namespace terrace::perf
