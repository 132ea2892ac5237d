// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ILU(0) as Saad writes it (Iterative Methods for Sparse Linear Systems, 2003, algorithm 10.4, with his array iw of
// positions), and the textbook's iterations with it: plain loops in one thread.
#include "peers/iteration_method.hpp"
#include "peers/peers.hpp"
#include "peers/serial_tools.hpp"

namespace terrace::perf {
namespace {

class SerialIlu0 final : public Method {
 public:
  explicit SerialIlu0(const FactorProblem& problem) : SerialIlu0(problem.A) {}
  explicit SerialIlu0(const Rows& A)
      : A_(A), lu_(A.nnz()), diagonal_(static_cast<std::size_t>(A.n)), position_(static_cast<std::size_t>(A.n), -1) {}

  void run(Phase phase, int) override {
    if (phase == Phase::Symbolic) return;
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

  std::vector<double> result(Phase phase) override { return phase == Phase::Numeric ? lu_ : std::vector<double>(); }

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

  const Rows& A_;
  std::vector<double> lu_;
  std::vector<int> diagonal_, position_;
};

class SerialIluTools : public SerialTools {
 public:
  explicit SerialIluTools(const Rows& A) : SerialTools(A, Vector(static_cast<std::size_t>(A.n), 1.0)), factor_(A) {
    factor_.run(Phase::Numeric, 1);
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
  SerialIlu0 factor_;
};

}  // namespace

Entry serial_ilu0() { return factor_entry("serial_loop", "ilu0", make_on<FactorProblem, SerialIlu0>()); }

Entry serial_iteration(Phase phase) {
  return iteration_entry(phase == Phase::BiCGStab ? "serial_bicgstab" : "serial_pcg", phase,
                         make_iteration<SerialIluTools>(phase));
}

}  // namespace terrace::perf
