// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is compiled for each scalar type, in a source of its own that CMake writes (per_scalar.cpp.in).
#pragma once

#include "device/device_copy.hpp"
#include "solve/solve.hpp"
#include "trisolve/trisolve.hpp"

namespace terrace::tools {

/// trisolve/triangular_run.hpp
template <class Scalar>
struct TriangularRun {
  using Number = HostNumberOf<Scalar>;
  static Measurement<Number> run(const Request& request, const TriangularSystem<Number>& system,
                                 ProgressLine& progress);
};

/// solve/rows_run.hpp: matrices in compressed rows.
template <class Scalar>
struct RowsRun {
  using Number = HostNumberOf<Scalar>;
  static Run<Number> run(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress);
};

/// solve/direct_run.hpp: matrices in compressed rows, solved directly.
template <class Scalar>
struct DirectRun {
  using Number = HostNumberOf<Scalar>;
  static Run<Number> run(const Request& request, const LinearSystem<Number>& system, ProgressLine& progress);
};

/// solve/schwarz_run.hpp: matrices in compressed rows, preconditioned by blocks.
template <class Scalar>
struct SchwarzRun {
  using Number = HostNumberOf<Scalar>;
  static void run(const Request& request, const LinearSystem<Number>& system, const std::vector<SchwarzShape>& shapes,
                  ProgressLine& progress, const TakeSchwarzRun<Number>& take);
};

/// solve/diagonals_run.hpp: matrices of structured grids. Scalar: float or double.
template <class Scalar>
struct DiagonalsRun {
  static Run<double> run(const Request& request, const LinearSystem<double>& system, ProgressLine& progress);
};

}  // namespace terrace::tools
