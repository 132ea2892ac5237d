// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a terrace::StructuredFactor holds; terrace::StructuredPcg looks in for the engine.
#pragma once

#include "algorithms/structured/engine.hpp"
#include "algorithms/structured/first_row.hpp"

namespace terrace {

template <class Scalar, class Space>
struct StructuredFactor<Scalar, Space>::State {
  StructuredMatrix<Scalar, Space> A;
  StructuredFactorOptions options;
  structured::FirstRow<Space> trouble;  // the first cell that fails a check or whose pivot breaks down
  structured::EnginePointer<Scalar, Space> engine;
  StructuredFactorInfo info;

  void check_diagonal(const Space& space) const;
  std::optional<GridCell> try_factorize(const Space& space, double shift);
  void factorize(const Space& space);
};

}  // namespace terrace
