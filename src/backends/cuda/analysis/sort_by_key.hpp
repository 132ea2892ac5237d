// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable radix sort on the device: CUB, behind a declaration, so that one source pays for compiling it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace terrace::cuda {

/// Bytes of scratch memory that sort_by_key needs for `count` pairs.
std::size_t sort_by_key_bytes(int count);

/// Sorts the pairs by the lowest `bits` of their keys; equal keys keep their order. Enqueued on `stream`. The inputs
/// are overwritten. Returns true when the result lies in the `other` arrays, false when in the first.
bool sort_by_key(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, unsigned* keys, unsigned* other_keys,
                 int* values, int* other_values, int count, int bits);

}  // namespace terrace::cuda
