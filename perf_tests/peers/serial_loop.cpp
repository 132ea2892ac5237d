// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forward substitution as the textbook writes it: x_i = (b_i - sum_j<i l_ij x_j) / l_ii; and backward.
#include "peers/peers.hpp"

namespace terrace::perf {
namespace {

class SerialLoop final : public TriangularMethod {
 public:
  void analyze(const MatrixView& L) override { L_ = L; }

  void solve(const Real* b, Real* x) override {
    for (int column = 0; column < L_.columns; ++column)
      L_.is_upper ? solve_backward(b + offset(column), x + offset(column))
                  : solve_forward(b + offset(column), x + offset(column));
  }

 private:
  std::ptrdiff_t offset(int column) const { return static_cast<std::ptrdiff_t>(column) * L_.n; }

  void solve_forward(const Real* b, Real* x) const {
    const int* row_map = L_.row_map;
    const int* entries = L_.entries;
    const Real* values = L_.values;
    for (int i = 0; i < L_.n; ++i) {
      const int diagonal = row_map[i + 1] - 1;
      Real sum = b[i];
      for (int k = row_map[i]; k < diagonal; ++k) sum -= values[k] * x[entries[k]];
      x[i] = sum / values[diagonal];
    }
  }

  void solve_backward(const Real* b, Real* x) const {
    const int* row_map = L_.row_map;
    const int* entries = L_.entries;
    const Real* values = L_.values;
    for (int i = L_.n - 1; i >= 0; --i) {
      const int diagonal = row_map[i];
      Real sum = b[i];
      for (int k = diagonal + 1; k < row_map[i + 1]; ++k) sum -= values[k] * x[entries[k]];
      x[i] = sum / values[diagonal];
    }
  }

  MatrixView L_{};
};

}  // namespace

std::unique_ptr<TriangularMethod> make_serial_loop(int) { return std::make_unique<SerialLoop>(); }

}  // namespace terrace::perf
