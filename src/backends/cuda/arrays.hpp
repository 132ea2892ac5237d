// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrays of engines and analyses on an NVIDIA GPU, from the pool.
#pragma once

#include "parallel/joined_arrays.hpp"

namespace terrace::cuda {

using Arrays = parallel::JoinedArrays<Kokkos::Cuda>;
using JoinedScratch = parallel::JoinedScratch<Kokkos::Cuda>;

}  // namespace terrace::cuda
