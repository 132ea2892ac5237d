// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which places of an array are flagged, in ascending order: CUB's selection, compiled once for all scalars.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace terrace::cuda {

/// Bytes of scratch memory that list_flagged needs.
std::size_t list_flagged_bytes(int count);

/// Writes the places of the flags that are not zero to `places`, and to `found`, in device memory, how many there are.
/// Enqueued on `stream`.
void list_flagged(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, const unsigned char* flags, int count,
                  int* places, int* found);

}  // namespace terrace::cuda
