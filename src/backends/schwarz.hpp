// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of Schwarz blocks: choose_block_algorithm, make_block_plan and make_block_engine for each space.
#pragma once

#include "algorithms/schwarz/block_engine.hpp"
#include "backends/copy_to_host.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/schwarz/engine.hpp"
#endif
