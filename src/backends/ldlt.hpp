// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans and engines of direct factorizations: make_ldlt_plan and make_ldlt_engine for each space.
#pragma once

#include "algorithms/ldlt/make_engine.hpp"
#include "backends/tuned.hpp"

#if defined(TERRACE_TUNED_CUDA)
#include "backends/cuda/ldlt/make_engine.hpp"
#endif
