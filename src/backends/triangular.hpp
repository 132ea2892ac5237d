// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Engines of triangular solves: make_triangular_engine for each space.
#pragma once

#include "algorithms/triangular/make_engine.hpp"
#include "backends/structure_checks.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/triangular/make_engine.hpp"
#endif
