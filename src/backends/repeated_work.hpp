// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Repeated work and its loops for each space.
#pragma once

#include "backends/tuned.hpp"
#include "parallel/repeated_work.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/launched_loops.hpp"
#include "backends/cuda/repeated_work.hpp"
#endif
