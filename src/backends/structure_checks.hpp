// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first look at the rows that callers bring: look_at_structure for each space.
#pragma once

#include "backends/copy_to_host.hpp"
#include "backends/tuned.hpp"
#include "sparse/check_structure.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/analysis/look_at_structure.hpp"
#endif
