// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for the host.
#pragma once

#include "backends/tuned.hpp"
#include "parallel/copy_to_host.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/copy_to_host.hpp"
#endif
