// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "demo/serial_loop.hpp"

namespace terrace::tools {
namespace {

/// Division and multiplication of complex numbers as the textbook has them, without the detour that
/// std::complex takes for infinite factors.
double times(double a, double b) { return a * b; }

std::complex<double> times(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

}  // namespace

template <class Number>
void solve_by_serial_loop(const TriangularSystem<Number>& system, std::vector<Number>& x) {
  const HostTriangle<Number>& T = system.triangle;
  const std::size_t* const row_map = T.row_map.data();
  const int* const entries = T.entries.data();
  const Number* const values = T.values.data();
  for (int row = 0; row < T.rows; ++row) {
    const std::size_t diagonal = row_map[row + 1] - 1;
    Number sum = system.b[row];
    for (std::size_t k = row_map[row]; k < diagonal; ++k) sum -= times(values[k], x[entries[k]]);
    x[row] = sum / values[diagonal];
  }
}

template void solve_by_serial_loop(const TriangularSystem<double>&, std::vector<double>&);
template void solve_by_serial_loop(const TriangularSystem<std::complex<double>>&, std::vector<std::complex<double>>&);

}  // namespace terrace::tools
