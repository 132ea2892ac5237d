// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stable radix sort on the device: CUB, behind a declaration, so that one source pays for compiling it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace terrace::cuda {

/// Bytes of scratch memory that sort_by_key needs for `count` pairs.
std::size_t sort_by_key_bytes(int count);

/// Sorts the pairs by the lowest `bits` of their keys; equal keys keep their order. Enqueued on `stream`. The inputs
/// are overwritten. Returns true when the result lies in the `other` arrays, false when in the first.
bool sort_by_key(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, unsigned* keys, unsigned* other_keys,
                 int* values, int* other_values, int count, int bits);

/// Bytes of scratch memory that sort_keys needs for `count` keys.
std::size_t sort_keys_bytes(std::size_t count);

/// Sorts the keys ascending; `other` is as long. Enqueued on `stream`. Returns true when the result lies in `other`.
bool sort_keys(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, std::uint64_t* keys, std::uint64_t* other,
               std::size_t count);

}  // namespace terrace::cuda
