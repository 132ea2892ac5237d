// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The engine of factorizations by thresholds on NVIDIA GPUs.
#pragma once

#include "algorithms/incomplete/threshold/threshold_engine.hpp"
#include "backends/cuda/threshold/beside_host.hpp"
#include "backends/cuda/threshold/claim_by_levels.hpp"

namespace terrace::incomplete {

template <class Scalar, class Offset>
ThresholdEnginePointer<Scalar, int, Offset> make_threshold_engine(
    const Kokkos::Cuda& space, const MergedPattern<int, Offset, Kokkos::Cuda>& matrix, int fill, std::size_t capacity) {
  return std::make_unique<cuda::threshold::EngineBesideHost<Scalar, Offset>>(space, matrix.count,
                                                                             matrix.entries.extent(0), fill, capacity);
}

/// Rows may come before others that they need.
template <class Offset>
Kokkos::View<const int*, parallel::Device<Kokkos::Cuda>> order_of_claims(
    const Kokkos::Cuda& space, const MergedPattern<int, Offset, Kokkos::Cuda>& matrix, std::int64_t blocks = 1) {
  using Tuning = cuda::threshold::ThresholdTuning;
  const auto warps = static_cast<std::int64_t>(space.concurrency()) / cuda::warp_size;
  const bool has_many_rows = matrix.count >= Tuning::rows_of_warp_for_levels * warps;
  if (!has_many_rows || blocks * Tuning::warps_of_block_for_levels > warps) return {};
  return cuda::threshold::claim_by_levels(space, matrix);
}

}  // namespace terrace::incomplete
