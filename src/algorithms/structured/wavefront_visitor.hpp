// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SweepAlgorithm::Wavefronts: a kernel per anti-diagonal, on any backend.
#pragma once

#include <terrace/structured_options.hpp>

#include "algorithms/structured/wavefronts.hpp"

namespace terrace::structured {

template <class Space>
class WavefrontVisitor {
 public:
  explicit WavefrontVisitor(const Grid& grid) : extent_{grid.nx, grid.ny, grid.nz} {}

  template <class Body>
  void visit_cells(const Space& space, const char* label, const Body& body) {
    visit_wavefronts(space, label, extent_, body);
  }

  template <class Sweep, class Cell>
  void sweep(const Space& space, const char* label, const Sweep& sweep, const Cell& cell) {
    visit_wavefronts(space, label, extent_, SweepCells<Sweep, Cell>{sweep, cell});
  }

  std::string reason_for_one_thread() const { return {}; }

  void describe(StructuredFactorInfo& info) const {
    info.algorithm = SweepAlgorithm::Wavefronts;
    info.dependent_steps = info.kernels = info.wavefronts;
  }

  std::size_t bytes_held() const { return 0; }

 private:
  int extent_[Directions];
};

}  // namespace terrace::structured
