// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for the host.
#pragma once

#include "parallel/copy_to_host.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/copy_to_host.hpp"
#endif
