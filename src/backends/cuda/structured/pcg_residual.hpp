// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// b - A x in natural order and its square, at the start of an iteration and at its end.
#pragma once

#include "algorithms/structured/multiply.hpp"
#include "backends/cuda/structured/pack.hpp"
#include "backends/cuda/structured/sums.hpp"
#include "backends/cuda/structured/sweep_work.hpp"

namespace terrace::cuda::grid {

using structured::Stencil;

/// The start packs scaled (b - A x) into `scaled` and begins the state's recurrence; otherwise the sum is the true
/// residual.
template <class Real>
struct ResidualArguments {
  Stencil<Real> A;
  const Real* b;
  const Real* x;
  Scaling<Real> scaling;
  Real* scaled;  // null unless it is the start
  double tolerance;
  PcgState* state;
};

template <class Tile, class Real>
__global__ void __launch_bounds__(SumTuning::block)
    residual_kernel(SkewedGrid grid, ResidualArguments<Real> arguments, Sums* partial, unsigned* arrived) {
  const auto& a = arguments;
  Sums sums;
  const auto visit = [&](const Cell& cell, Index at) {
    if (cell.is_real()) {
      int place[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) place[grid.axis[k]] = cell.at[k];
      const structured::Vector<const Real, true> x{a.x, 1};
      const double b = double(a.b[cell.natural]);
      const double r = b - double(structured::multiply_row(a.A, place, cell.natural, x));
      sums.first += r * r;
      sums.second += b * b;
      if (a.scaled) a.scaled[at] = Real(r) * a.scaling(at);
    } else if (a.scaled) {
      a.scaled[at] = Real(0);
    }
  };
  visit_share<Tile, Real>(grid, Order::Blocks, visit);
  Sums total;
  if (!sum_over_grid(sums, partial, arrived, total)) return;
  if (a.scaled) a.state->begin(total.first, total.second, a.tolerance);
  else a.state->true_residual = total.first;
}

}  // namespace terrace::cuda::grid
