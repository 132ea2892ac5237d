// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients as a textbook writes them, on compressed rows, by one thread.
#include "grids/textbook_method.hpp"
#include "peers/peers.hpp"
#include "peers/serial_tools.hpp"

namespace terrace::perf {
namespace {

class GridSerialTools : public SerialTools {
 public:
  explicit GridSerialTools(const GridSystem& system) : SerialTools(system.A, system.b), system_(system) {}

  const Vector& b() const { return b_; }
  std::vector<double> numbers(const Vector& v) const { return v; }
  static const char* label() { return ""; }

  /// z = (D + L)^-1 r, times D, then (D + L^T)^-1 of that.
  void precondition(const Vector& r, Vector& z) const {
    const Rows& L = system_.lower;
    const Rows& U = system_.upper;
    for (int i = 0; i < L.n; ++i) {
      const int diagonal = L.row_map[i + 1] - 1;
      double sum = r[i];
      for (int k = L.row_map[i]; k < diagonal; ++k) sum -= L.values[k] * z[L.entries[k]];
      z[i] = sum / L.values[diagonal];
    }
    for (int i = L.n - 1; i >= 0; --i) {
      double sum = 0.0;
      for (int k = U.row_map[i] + 1; k < U.row_map[i + 1]; ++k) sum += U.values[k] * z[U.entries[k]];
      z[i] -= sum / U.values[U.row_map[i]];
    }
  }

 private:
  const GridSystem& system_;
};

}  // namespace

Entry grid_serial_loop() { return textbook_entry<GridSerialTools>("serial_loop"); }

}  // namespace terrace::perf
