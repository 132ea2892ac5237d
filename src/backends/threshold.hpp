// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What factorizations by thresholds ask of a space: free_memory.
#pragma once

#include "algorithms/incomplete/threshold/work_arrays.hpp"
#include "backends/copy_to_host.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/incomplete/free_memory.hpp"
#endif
