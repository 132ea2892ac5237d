// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioned conjugate gradients as textbooks write them (Saad, "Iterative Methods for Sparse Linear Systems",
// algorithm 9.1), in double precision.
#pragma once

#include <cmath>

#include "reference/grid_matrix.hpp"
#include "reference/sparse_incomplete_lu.hpp"

namespace terrace::reference {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The norms of the residuals at the start, from x = 0, and after each of `iterations`.
inline std::vector<double> residuals_of_pcg(const std::vector<Row>& A, const IncompleteFactor& M,
                                            const std::vector<double>& b, int iterations) {
  std::vector<double> r = b, z = M.solve(r), p = z, norms{std::sqrt(dot(r, r))};
  for (int k = 0; k < iterations; ++k) {
    const auto q = multiply(A, p);
    const double rho = dot(r, z), alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= alpha * q[i];
    norms.push_back(std::sqrt(dot(r, r)));
    z = M.solve(r);
    const double beta = dot(r, z) / rho;
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + beta * p[i];
  }
  return norms;
}

}  // namespace terrace::reference
