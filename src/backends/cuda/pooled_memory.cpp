// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/pooled_memory.hpp"

#include <map>
#include <mutex>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {
namespace {

/// The device is current while this lives.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_));
    if (before_ != device) check(cudaSetDevice(device));
  }
  ~OnDevice() { (void)cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  cudaMemPool_t pool = nullptr;
  check(cudaMemPoolCreate(&pool, &properties));
  std::size_t unused = 0, all = 0;
  check(cudaMemGetInfo(&unused, &all));
  auto kept = static_cast<std::uint64_t>(all / PooledMemory::kept_part);
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));
  return pool;
}

/// The pool of the device; it lives as long as the process, as the driver's own does.
cudaMemPool_t pool_of(int device) {
  static std::mutex mutex;
  static std::map<int, cudaMemPool_t> pools;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = pools.try_emplace(device, nullptr);
  if (is_new) found->second = make_pool(device);
  return found->second;
}

Kokkos::Tools::SpaceHandle space_handle() { return Kokkos::Tools::make_space_handle(Kokkos::CudaSpace::name()); }

}  // namespace

PooledMemory::PooledMemory(const Kokkos::Cuda& space, const char* label, std::size_t bytes)
    : label_(label), bytes_(bytes), device_(space.cuda_device()) {
  if (bytes == 0) return;
  const OnDevice current(device_);
  void* data = nullptr;
  check(cudaMallocFromPoolAsync(&data, bytes, pool_of(device_), space.cuda_stream()));
  data_ = static_cast<char*>(data);
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::allocateData(space_handle(), label_, data_, bytes_);
}

PooledMemory::~PooledMemory() {
  if (!data_) return;
  tell_of_the_end();
  const OnDevice current(device_);
  (void)cudaDeviceSynchronize();  // a destructor has nobody to tell of a failure
  (void)cudaFreeAsync(data_, nullptr);
}

void PooledMemory::free_on(const Kokkos::Cuda& space) noexcept {
  if (!data_) return;
  tell_of_the_end();
  (void)cudaFreeAsync(std::exchange(data_, nullptr), space.cuda_stream());
  bytes_ = 0;
}

void PooledMemory::tell_of_the_end() const {
  if (Kokkos::Tools::profileLibraryLoaded()) Kokkos::Tools::deallocateData(space_handle(), label_, data_, bytes_);
}

}  // namespace terrace::cuda
