// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What can be measured on grids on an execution space. CMake writes the table.
#pragma once

#include <string>
#include <vector>

#include "peers/grid_method.hpp"

namespace terrace::perf {

struct GridMethodEntry {
  std::string name;
  MakeGridMethod make;
};

struct GridSpace {
  std::string name;       ///< Kokkos's
  std::string processor;  ///< the CPU's or the GPU's name
  int threads;
  bool is_host;
  std::vector<GridMethodEntry> methods;  ///< Terrace's first

  /// Iterations that conjugate gradients take to 1e-8 on the Laplacian with IC(0) (relaxation 0) or MIC(0) (1), and how
  /// long all of them take, in seconds.
  struct Solution {
    int iterations;
    double seconds;
    double true_residual;
    double bytes;  ///< held beyond matrix and vectors
  };
  Solution (*solve)(const GridSystem& system, double relaxation);
};

struct GridSpaceName {
  std::string name;
  GridSpace (*describe)();
};
const std::vector<GridSpaceName>& grid_space_names();

}  // namespace terrace::perf
