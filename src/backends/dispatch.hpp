// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one seam between generic and backend code: which engine factories exist is decided here and nowhere else.
//
// Each operation has a generic factory that takes any space, and a backend may overload it for its own. A new
// backend is a folder beside this file and a line below.
#pragma once

#include "algorithms/analysis/copy_to_host.hpp"
#include "algorithms/incomplete/eliminate.hpp"
#include "algorithms/incomplete/threshold/work_arrays.hpp"
#include "algorithms/krylov/multiply.hpp"
#include "algorithms/krylov/replay.hpp"
#include "algorithms/structured/make_engine.hpp"
#include "algorithms/structured/make_pcg_engine.hpp"
#include "algorithms/triangular/make_engine.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "backends/cuda/copy_to_host.hpp"
#include "backends/cuda/incomplete/eliminate.hpp"
#include "backends/cuda/incomplete/free_memory.hpp"
#include "backends/cuda/krylov/for_each_column.hpp"
#include "backends/cuda/krylov/multiply.hpp"
#include "backends/cuda/krylov/replay.hpp"
#include "backends/cuda/structured/make_engine.hpp"
#include "backends/cuda/triangular/make_engine.hpp"
#endif
