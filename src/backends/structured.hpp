// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engines of structured grids: make_structured_engine and make_structured_pcg_engine for each space.
#pragma once

#include "algorithms/structured/make_pcg_engine.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/structured/make_engine.hpp"
#endif
