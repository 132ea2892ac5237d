// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/analysis/sort_by_key.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

std::size_t sort_by_key_bytes(int count) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<unsigned> keys;
  cub::DoubleBuffer<int> values;
  forget_failures_of_others();
  check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, values, count), "cub::DeviceRadixSort::SortPairs");
  return bytes;
}

bool sort_by_key(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, unsigned* keys, unsigned* other_keys,
                 int* values, int* other_values, int count, int bits) {
  cub::DoubleBuffer<unsigned> key_buffers(keys, other_keys);
  cub::DoubleBuffer<int> value_buffers(values, other_values);
  forget_failures_of_others();
  check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, key_buffers, value_buffers, count, 0, bits, stream),
        "cub::DeviceRadixSort::SortPairs");
  return value_buffers.Current() == other_values;
}

std::size_t sort_keys_bytes(std::size_t count) {
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint64_t> keys;
  forget_failures_of_others();
  check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, count), "cub::DeviceRadixSort::SortKeys");
  return bytes;
}

bool sort_keys(cudaStream_t stream, void* scratch, std::size_t scratch_bytes, std::uint64_t* keys, std::uint64_t* other,
               std::size_t count) {
  cub::DoubleBuffer<std::uint64_t> buffers(keys, other);
  forget_failures_of_others();
  check(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, buffers, count, 0, 64, stream),
        "cub::DeviceRadixSort::SortKeys");
  return buffers.Current() == other;
}

}  // namespace terrace::cuda
