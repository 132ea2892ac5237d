// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0) as Saad writes it (Iterative Methods for Sparse Linear Systems, 2003, algorithm 10.4, with his array iw of
// positions), and with it conjugate gradients (algorithm 9.1) and BiCGStab (7.7): plain loops in one thread.
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

/// The operations that both iterations are made of.
class SerialSystem {
 public:
  using Vector = std::vector<double>;

  explicit SerialSystem(const FullMatrix& A) : A_(A), factor_(A) { factor_.numeric(); }

  std::size_t rows() const { return static_cast<std::size_t>(A_.n); }

  double dot(const Vector& a, const Vector& b) const {
    double sum = 0;
    for (int row = 0; row < A_.n; ++row) sum += a[row] * b[row];
    return sum;
  }

  void multiply(const Vector& in, Vector& out) const {
    for (int row = 0; row < A_.n; ++row) {
      double sum = 0;
      for (int k = A_.row_map[row]; k < A_.row_map[row + 1]; ++k) sum += A_.values[k] * in[A_.entries[k]];
      out[row] = sum;
    }
  }

  void precondition(const Vector& in, Vector& out) const {
    const auto& lu = factor_.values();
    const auto& diagonal = factor_.diagonal();
    for (int row = 0; row < A_.n; ++row) {
      double sum = in[row];
      for (int k = A_.row_map[row]; k < diagonal[row]; ++k) sum -= lu[k] * out[A_.entries[k]];
      out[row] = sum;
    }
    for (int row = A_.n - 1; row >= 0; --row) {
      double sum = out[row];
      for (int k = diagonal[row] + 1; k < A_.row_map[row + 1]; ++k) sum -= lu[k] * out[A_.entries[k]];
      out[row] = sum / lu[diagonal[row]];
    }
  }

 private:
  const FullMatrix& A_;
  SerialIlu0 factor_;
};

class SerialPcg final : public IterationMethod {
 public:
  explicit SerialPcg(const FullMatrix& A) : system_(A), x_(system_.rows()), r_(x_), z_(x_), p_(x_), q_(x_) {}

  double iterate(int iterations) override {
    x_.assign(x_.size(), 0.0);
    r_.assign(r_.size(), 1.0);
    system_.precondition(r_, z_);
    p_ = z_;
    double rho = system_.dot(r_, z_), residual = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      system_.multiply(p_, q_);
      residual = step(rho / system_.dot(p_, q_));
      system_.precondition(r_, z_);
      const double next = system_.dot(r_, z_), beta = next / rho;
      for (std::size_t row = 0; row < p_.size(); ++row) p_[row] = z_[row] + beta * p_[row];
      rho = next;
    }
    return residual;
  }

 private:
  double step(double alpha) {
    double sum = 0;
    for (std::size_t row = 0; row < x_.size(); ++row) {
      x_[row] += alpha * p_[row];
      r_[row] -= alpha * q_[row];
      sum += r_[row] * r_[row];
    }
    return std::sqrt(sum);
  }

  SerialSystem system_;
  std::vector<double> x_, r_, z_, p_, q_;
};

/// Saad's algorithm 7.7, preconditioned from the right; the shadow residual is the first, ones.
class SerialBiCGStab final : public IterationMethod {
 public:
  explicit SerialBiCGStab(const FullMatrix& A)
      : system_(A), x_(system_.rows()), r_(x_), shadow_(x_.size(), 1.0), p_(x_), v_(x_), t_(x_), y_(x_), w_(x_) {}

  double iterate(int iterations) override {
    x_.assign(x_.size(), 0.0);
    r_.assign(r_.size(), 1.0);
    p_ = r_;
    double rho = system_.dot(shadow_, r_), residual = 0;
    for (int iteration = 0; iteration < iterations; ++iteration) {
      system_.precondition(p_, y_);
      system_.multiply(y_, v_);
      const double alpha = rho / system_.dot(shadow_, v_);
      for (std::size_t row = 0; row < r_.size(); ++row) r_[row] -= alpha * v_[row];
      system_.precondition(r_, w_);
      system_.multiply(w_, t_);
      const double omega = system_.dot(t_, r_) / system_.dot(t_, t_);
      residual = step(alpha, omega);
      const double next = system_.dot(shadow_, r_), beta = next / rho * (alpha / omega);
      for (std::size_t row = 0; row < p_.size(); ++row) p_[row] = r_[row] + beta * (p_[row] - omega * v_[row]);
      rho = next;
    }
    return residual;
  }

 private:
  double step(double alpha, double omega) {
    double sum = 0;
    for (std::size_t row = 0; row < x_.size(); ++row) {
      x_[row] += alpha * y_[row] + omega * w_[row];
      r_[row] -= omega * t_[row];
      sum += r_[row] * r_[row];
    }
    return std::sqrt(sum);
  }

  SerialSystem system_;
  std::vector<double> x_, r_, shadow_, p_, v_, t_, y_, w_;
};

}  // namespace

std::unique_ptr<FactorMethod> make_serial_ilu0(const FullMatrix& A) { return std::make_unique<SerialIlu0>(A); }
std::unique_ptr<IterationMethod> make_serial_pcg(const FullMatrix& A) { return std::make_unique<SerialPcg>(A); }
std::unique_ptr<IterationMethod> make_serial_bicgstab(const FullMatrix& A) {
  return std::make_unique<SerialBiCGStab>(A);
}

}  // namespace terrace::perf
