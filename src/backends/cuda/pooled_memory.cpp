// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/pooled_memory.hpp"

namespace terrace::cuda {
namespace {

Kokkos::Tools::SpaceHandle space_handle() { return Kokkos::Tools::make_space_handle(Kokkos::CudaSpace::name()); }

}  // namespace

PooledMemory::PooledMemory(const Kokkos::Cuda& space, const char* label, std::size_t bytes)
    : label_(label), bytes_(bytes), device_(space.cuda_device()) {
  if (bytes == 0) return;
  block_ = DeviceMemory::of(device_).allocate(space.cuda_stream(), label, bytes);
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::allocateData(space_handle(), label_, data(), bytes_);
}

PooledMemory::~PooledMemory() {
  if (!data()) return;
  tell_of_the_end();
  DeviceMemory::of(device_).free(block_);
}

void PooledMemory::free_on(const Kokkos::Cuda& space) noexcept {
  if (!data()) return;
  tell_of_the_end();
  DeviceMemory::of(device_).free_on(space.cuda_stream(), std::exchange(block_, {}));
  bytes_ = 0;
}

void PooledMemory::tell_of_the_end() const noexcept {
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::deallocateData(space_handle(), label_, data(), bytes_);
}

}  // namespace terrace::cuda
