// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the user asked of `terrace solve --grid`: plain data between the argument parser and the work.
#pragma once

#include <string>
#include <terrace/grid.hpp>

namespace terrace::tools {

struct GridRequest {
  Grid grid;
  std::string problem = "poisson";  ///< poisson, variable, anisotropic, spe10
  std::string diagonals;            ///< a file that holds the problem instead
  bool has_preconditioner = true;
  double relaxation = 0.0;  ///< of the preconditioner
  double tolerance = 1e-8;
  int max_iterations = 10000;
  int check_every = 10;
  std::string precision = "double";  ///< float, double
  std::string space;                 ///< empty: the default
  int threads = 0;                   ///< 0: what Kokkos chooses
  std::string picture;               ///< an SVG file to write, or nothing
  int slice = -1;                    ///< the plane k of the picture; -1: the middle
  bool json = false;
};

}  // namespace terrace::tools
