// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linear system on a structured grid whose matrix is not symmetric, or couples several unknowns of a cell.
#pragma once

#include <string>
#include <terrace/grid.hpp>
#include <vector>

#include "common/host_matrix.hpp"

namespace terrace::common {

/// Unknowns are numbered cell by cell.
struct RowsProblem {
  Grid grid;
  int unknowns_per_cell = 1;
  std::string description;
  HostMatrix<double> A;
  std::vector<double> b;
};

}  // namespace terrace::common
