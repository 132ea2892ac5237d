// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of incomplete factorizations: make_elimination_plan and make_elimination_engine for each space.
#pragma once

#include "algorithms/incomplete/row_engine.hpp"
#include "backends/copy_to_host.hpp"
#include "backends/triangular.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/incomplete/engine.hpp"
#endif
