// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One execution space on which Terrace and Kokkos Kernels solve the demo's system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <terrace/triangular_info.hpp>
#include <vector>

#include "support/triangular_system.hpp"

namespace terrace::tools {

/// How one way of solving did. Times are medians.
template <class Number>
struct Trial {
  TriangularInfo info;  ///< for Terrace's algorithms
  double analysis_s = 0;
  double solve_s = 0;
  std::vector<Number> x;
};

template <class Number>
class Contest {
 public:
  virtual ~Contest() = default;
  virtual std::string space() const = 0;
  virtual int concurrency() const = 0;
  virtual std::vector<int> level_widths() const = 0;
  virtual Trial<Number> try_terrace(Algorithm algorithm) const = 0;
  virtual Trial<Number> try_kokkos_kernels() const = 0;
};

/// One contest per execution space of this build. The system must outlive them. Needs a Kokkos session.
/// \throws Error InvalidOption when this build has no solver in double precision for the numbers
template <class Number>
std::vector<std::unique_ptr<Contest<Number>>> make_contests(const TriangularSystem<Number>& system);

}  // namespace terrace::tools
