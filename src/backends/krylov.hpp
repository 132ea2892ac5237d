// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an iteration enqueues: multiply, for_each_column and make_replay for each space.
#pragma once

#include "algorithms/krylov/multiply.hpp"
#include "algorithms/krylov/replay.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/krylov/for_each_column.hpp"
#include "backends/cuda/krylov/multiply.hpp"
#include "backends/cuda/krylov/replay.hpp"
#endif
