// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// b - A x in natural order: its exponent and its square at the start of an iteration, and its square at the end.
#pragma once

#include "algorithms/structured/multiply.hpp"
#include "backends/cuda/structured/pack.hpp"
#include "backends/cuda/structured/sums.hpp"
#include "backends/cuda/structured/sweep_work.hpp"

namespace terrace::cuda::grid {

using structured::Stencil;

/// Exponents come before a start (PcgState), which packs scaled (b - A x) into `scaled` and begins the recurrence.
enum class ResidualPurpose { Exponents, Start, TrueResidual };

template <class Real>
struct ResidualArguments {
  Stencil<Real> A;
  const Real* b;
  const Real* x;
  Scaling<Real> scaling;
  ResidualPurpose purpose;
  Real* scaled;  // of the start
  double tolerance;
  PcgState* state;
};

template <class Tile, class Real>
__global__ void __launch_bounds__(SumTuning::block)
    residual_kernel(SkewedGrid grid, ResidualArguments<Real> arguments, Sums* partial, unsigned* arrived) {
  const auto& a = arguments;
  const bool is_start = a.purpose == ResidualPurpose::Start, notes = a.purpose == ResidualPurpose::Exponents;
  const double r_scale = parallel::power_of_two<double>(a.state->exponent);
  const double b_scale = parallel::power_of_two<double>(a.state->b_exponent);
  Sums sums;
  const auto visit = [&](const Cell& cell, Index at) {
    if (cell.is_real()) {
      int place[3];
#pragma unroll
      for (int k = 0; k < 3; ++k) place[grid.axis[k]] = cell.at[k];
      const structured::Vector<const Real, true> x{a.x, 1};
      const double b = double(a.b[cell.natural]);
      const double r = b - double(structured::multiply_row(a.A, place, cell.natural, x));
      if (notes) {
        parallel::note_exponent(a.state->r_noted, Real(r));
        parallel::note_exponent(a.state->b_noted, Real(b));
        return;
      }
      const double scaled_r = r * r_scale, scaled_b = b * b_scale;
      sums.first += scaled_r * scaled_r;
      sums.second += scaled_b * scaled_b;
      if (is_start) a.scaled[at] = Real(scaled_r) * a.scaling(at);
    } else if (is_start) {
      a.scaled[at] = Real(0);
    }
  };
  visit_share<Tile, Real>(grid, Order::Blocks, visit);
  Sums total;
  if (!sum_over_grid(sums, partial, arrived, total)) return;
  switch (a.purpose) {
    case ResidualPurpose::Exponents: return a.state->template take_exponents<Real>();
    case ResidualPurpose::Start: return a.state->template begin<Real>(total.first, total.second, a.tolerance);
    case ResidualPurpose::TrueResidual: a.state->true_residual = total.first;
  }
}

}  // namespace terrace::cuda::grid
