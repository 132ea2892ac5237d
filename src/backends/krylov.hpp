// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an iteration enqueues: multiply, for_each_column, orthogonalize and make_replay for each space.
#pragma once

#include "algorithms/krylov/multiply.hpp"
#include "algorithms/krylov/orthogonalize.hpp"
#include "algorithms/krylov/replay.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/krylov/for_each_column.hpp"
#include "backends/cuda/krylov/multiply.hpp"
#include "backends/cuda/krylov/orthogonalize.hpp"
#include "backends/cuda/krylov/replay.hpp"
#endif
