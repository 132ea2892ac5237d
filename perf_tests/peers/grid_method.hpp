// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the benchmarks know of a way to iterate on a grid: Terrace's two and their peers stand behind this interface
// alike.
#pragma once

#include <memory>
#include <optional>

#include "harness/grid_system.hpp"

namespace terrace::perf {

enum class GridOperation {
  Factorize,   ///< IC(0) of A, nothing kept from the time before
  Apply,       ///< z = M^-1 b
  ApplyEight,  ///< the same for eight columns at once
  Multiply,    ///< q = A b
  Iterate,     ///< so many iterations of conjugate gradients with M, from x = 0
};

const char* to_string(GridOperation operation);

/// One system, copied in set_up to where the method works; its operations, again and again.
class GridMethod {
 public:
  virtual ~GridMethod() = default;

  virtual void set_up(const GridSystem& system) = 0;
  virtual bool has(GridOperation operation) const { return operation != GridOperation::ApplyEight; }
  virtual void run(GridOperation operation, int iterations) = 0;

  /// Returns when what was called before is done.
  virtual void wait() {}

  /// z (the last column's), q or x; nothing for Factorize.
  virtual std::vector<double> result(GridOperation operation) = 0;

  /// What it chose, for the reader of the record.
  virtual std::string label() const { return {}; }
};

using MakeGridMethod = std::unique_ptr<GridMethod> (*)();

/// Plain loops over compressed rows by one host thread.
std::unique_ptr<GridMethod> make_grid_serial_loop();

/// cuSPARSE's SpSV twice, SpMV, csric02, and cuBLAS's dot, axpy, scal.
std::unique_ptr<GridMethod> make_grid_cusparse();

}  // namespace terrace::perf
