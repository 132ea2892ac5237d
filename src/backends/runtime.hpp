// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam for what a backend's runtime does beside running kernels. It is apart from dispatch.hpp because whatever
// makes an array includes it; a backend has a line in both.
#pragma once

#include "algorithms/analysis/runtime.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/runtime.hpp"
#endif
