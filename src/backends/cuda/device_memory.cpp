// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/device_memory.hpp"

#include <map>

#include "backends/cuda/check.hpp"
#include "parallel/memory_faults.hpp"
#include "parallel/out_of_memory.hpp"

namespace terrace::cuda {

DeviceMemory& DeviceMemory::of(int device) {
  static std::mutex mutex;
  static auto& devices = *new std::map<int, DeviceMemory>;  // outlives whatever static objects free memory at the end
  const std::scoped_lock lock(mutex);
  return devices.try_emplace(device, device).first->second;
}

DeviceMemory::Faults& DeviceMemory::faults() {
  static Faults faults;
  return faults;
}

/// Null where the device has none, or while none can be made; the next call tries again.
cudaMemPool_t DeviceMemory::pool() {
  const std::scoped_lock lock(mutex_);
  if (faults().without_pools) return nullptr;
  if (faults().forget_pools.exchange(false)) pool_ = nullptr;
  if (!pool_ && !has_no_pools_) make_pool();
  return pool_;
}

void DeviceMemory::make_pool() {
  int has_pools = 0;
  if (!succeeds(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device_))) return;
  has_no_pools_ = has_pools == 0;
  if (has_no_pools_) return;
  if (faults().pools_that_cannot_be_made > 0) {
    --faults().pools_that_cannot_be_made;
    return;
  }
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device_;
  cudaMemPool_t pool = nullptr;
  if (!succeeds(cudaMemPoolCreate(&pool, &properties))) return;
  std::size_t unused = 0, all = 0;
  static_cast<void>(succeeds(cudaMemGetInfo(&unused, &all)));
  auto kept = static_cast<unsigned long long>(all / kept_part);
  static_cast<void>(succeeds(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept)));
  pool_ = pool;
}

cudaError_t DeviceMemory::try_to_allocate(cudaStream_t stream, std::size_t bytes, DeviceBlock& block) {
  void* data = nullptr;
  const cudaMemPool_t from = pool();
  const cudaError_t status = from ? cudaMallocFromPoolAsync(&data, bytes, from, stream) : cudaMalloc(&data, bytes);
  if (succeeds(status)) block = {static_cast<char*>(data), from != nullptr};
  return status;
}

DeviceBlock DeviceMemory::allocate(cudaStream_t stream, const char* label, std::size_t bytes) {
  const BesideCaptures beside;
  const OnDevice current(device_);
  parallel::MemoryFaults::Allocation fault;
  DeviceBlock block;
  cudaError_t status = fault.strikes() ? cudaErrorMemoryAllocation : try_to_allocate(stream, bytes, block);
  if (status == cudaErrorMemoryAllocation) {
    give_back(stream);
    status = fault.strikes() ? cudaErrorMemoryAllocation : try_to_allocate(stream, bytes, block);
  }
  if (status == cudaErrorMemoryAllocation) parallel::throw_out_of_memory(label, bytes, free_memory());
  check(status, label);
  return block;
}

void DeviceMemory::free_on(cudaStream_t stream, const DeviceBlock& block) noexcept {
  const BesideCaptures beside;
  const OnDevice current(device_);
  if (block.is_pooled && succeeds(cudaFreeAsync(block.data, stream))) return;
  free(block);
}

void DeviceMemory::free(const DeviceBlock& block) noexcept {
  const BesideCaptures beside;
  const OnDevice current(device_);
  // cudaFree waits for the device by itself, but not for memory of a pool. What cannot be waited for is not freed.
  if (!block.is_pooled || wait()) static_cast<void>(succeeds(cudaFree(block.data)));
}

/// cudaFree waits until the device has done everything, since the memory may be handed out again at once.
bool DeviceMemory::wait() noexcept {
  const BesideCaptures beside;
  const OnDevice current(device_);
  void* smallest = nullptr;
  if (succeeds(cudaMalloc(&smallest, 1))) return succeeds(cudaFree(smallest));
  return succeeds(cudaDeviceSynchronize());
}

void DeviceMemory::give_back(cudaStream_t stream) noexcept {
  const BesideCaptures beside;
  const OnDevice current(device_);
  static_cast<void>(wait());
  static_cast<void>(succeeds(cudaStreamSynchronize(stream)));
  if (const cudaMemPool_t from = pool()) static_cast<void>(succeeds(cudaMemPoolTrimTo(from, 0)));
}

}  // namespace terrace::cuda
