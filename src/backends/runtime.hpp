// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam for what a backend's runtime does beside running kernels. It lies below the others because whatever
// makes an array includes it; a backend has a line in both.
#pragma once

#include "backends/tuned.hpp"
#include "parallel/runtime.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/runtime.hpp"
#endif
