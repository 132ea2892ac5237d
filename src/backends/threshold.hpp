// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What factorizations by thresholds ask of a space: make_threshold_engine, order_of_claims, free_memory.
#pragma once

#include "algorithms/incomplete/threshold/threshold_engine.hpp"
#include "backends/structure_checks.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/threshold/engine.hpp"
#endif
