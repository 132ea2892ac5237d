// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrices that are factorized: grids of the dimension, the unknowns per node and the size of what they imitate,
// and stored ones. Generated matrices are synthetic, whatever they imitate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "direct/symmetric_rows.hpp"
#include "harness/flags.hpp"

namespace terrace::perf {

/// Groups of shapes, which --shapes may name instead of shapes.
///
///     sizes   a solid, a shell and scalar equations, from small to large: the usual ones
///     hosts   those of them that two threads of a host can do
///     tables  the nine shapes of Chen and Wang 2021, tables 1 and 2: n, entries and fill within a quarter
///     survey  27 that differ in everything but size (survey_shapes.hpp)
struct DirectShape {
  std::string name;
  std::vector<std::string> groups;
  std::string like;  ///< what it imitates, when that is a matrix of the tables
  bool has_complex_values = false;
  std::function<LowerTriangle(Size)> pattern;
};

const std::vector<DirectShape>& direct_shapes();

/// A matrix of a run, real or complex; made or read only when its case begins.
struct DirectMatrix {
  std::string name;
  std::function<SymmetricRows<Real>()> make_real;        ///< empty for a complex one
  std::function<SymmetricRows<Complex>()> make_complex;  ///< and the reverse
};

/// What --shapes, --size and --data ask for. A folder gives its symmetric matrices, without one that is known to need
/// more than static pivots.
/// \throws UsageError
std::vector<DirectMatrix> chosen_direct_matrices(const Flags& flags);

}  // namespace terrace::perf
