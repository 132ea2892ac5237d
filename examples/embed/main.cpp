// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A complete program that embeds Terrace: it builds a lower bidiagonal matrix on the device, solves with it, gives it
// new values, and solves again. Time steps of an implicit scheme look like this. Then it takes the matrix for half of a
// symmetric one and solves directly.
#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdio>
#include <terrace/terrace.hpp>

using Space = Kokkos::DefaultExecutionSpace;
using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, int>;
using Vector = Kokkos::View<double*, Space>;

/// Row i holds -coupling at column i - 1 and 1 + coupling at column i.
Matrix make_matrix(const Space& space, int n, double coupling) {
  Kokkos::View<int*, Space> row_map("row_map", n + 1), entries("entries", 2 * n - 1);
  Kokkos::View<double*, Space> values("values", 2 * n - 1);
  Kokkos::parallel_for(
      "embed::fill", Kokkos::RangePolicy<Space>(space, 0, n), KOKKOS_LAMBDA(int row) {
        const int diagonal = 2 * row;
        row_map(row) = row == 0 ? 0 : diagonal - 1;
        if (row > 0) {
          entries(diagonal - 1) = row - 1;
          values(diagonal - 1) = -coupling;
        }
        entries(diagonal) = row;
        values(diagonal) = 1.0 + coupling;
        if (row == n - 1) row_map(n) = 2 * n - 1;
      });
  return Matrix("L", n, n, 2 * n - 1, values, row_map, entries);
}

/// With b = 1 every unknown is 1: (1 + coupling) - coupling = 1, except for the first, which is 1 / (1 + coupling).
bool last_unknown_is_one(const Vector& x) {
  double last = 0.0;
  Kokkos::deep_copy(last, Kokkos::subview(x, x.extent(0) - 1));
  std::printf("last unknown: %.15f\n", last);
  return std::abs(last - 1.0) < 1e-12;
}

/// The triangle taken for half of a symmetric matrix, tridiagonal and positive definite.
bool solves_directly(const Space& space, const Matrix& lower, const Vector& b, const Vector& x) {
  const terrace::LdltSymbolic symbolic(space, lower, {.uplo = terrace::Uplo::Lower});
  const terrace::LdltFactor factor(space, symbolic, lower.values);  // L D L^T
  const auto refined = factor.refine(space, b, x);
  std::printf("backward error of the direct solution: %.1e after %d steps of refinement\n", refined.backward_error(),
              refined.columns.front().steps);
  return refined.converged();
}

int main(int argc, char* argv[]) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Space space;
  const int n = 100000;

  const Matrix L = make_matrix(space, n, 0.5);
  terrace::TriangularSolver solver(space, L, {.uplo = terrace::Uplo::Lower});
  const auto info = solver.info();
  std::printf("%lld unknowns, %s: %s\n", static_cast<long long>(info.rows), to_string(info.algorithm),
              info.reason.c_str());

  const Vector b("b", n), x("x", n);
  Kokkos::deep_copy(space, b, 1.0);
  solver.solve(space, b, x);
  bool correct = last_unknown_is_one(x);

  solver.update_values(space, make_matrix(space, n, 0.25).values);
  solver.solve(space, b, x);
  correct = last_unknown_is_one(x) && correct;

  solver.solve(space, b, x, terrace::Op::Transpose);
  correct = solves_directly(space, L, b, x) && correct;
  Kokkos::fence();
  return correct ? 0 : 1;
}
