// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/cuda/runtime.hpp"

#include <string_view>

#include "backends/cuda/analysis/sort_by_key.hpp"
#include "backends/cuda/arrays.hpp"
#include "backends/cuda/device_memory.hpp"

namespace terrace::parallel {

using cuda::check;
using cuda::DeviceMemory;
using cuda::OnDevice;
using cuda::succeeds;

void Runtime<Kokkos::Cuda>::sort_keys(const Kokkos::Cuda& space, std::uint64_t* keys, std::size_t count) {
  const OnDevice current(space.cuda_device());
  const std::size_t bytes = cuda::sort_keys_bytes(count);
  cuda::JoinedScratch arrays(space, "terrace::parallel::sorted_keys",
                             cuda::Arrays::bytes<std::uint64_t>(count) + cuda::Arrays::bytes<char>(bytes));
  auto* const other = arrays.take<std::uint64_t>(count);
  if (cuda::sort_keys(space.cuda_stream(), arrays.take<char>(bytes), bytes, keys, other, count))
    check(cudaMemcpyAsync(keys, other, count * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, space.cuda_stream()),
          "cudaMemcpyAsync");
}

bool Runtime<Kokkos::Cuda>::give_back_memory(const Kokkos::Cuda& space) {
  static_cast<void>(cudaGetLastError());
  DeviceMemory::of(space.cuda_device()).give_back(space.cuda_stream());
  return true;
}

std::string Runtime<Kokkos::Cuda>::free_memory(const Kokkos::Cuda& space) {
  const OnDevice current(space.cuda_device());
  return cuda::free_memory();
}

/// Kokkos reports a failed call as "<call> error( cudaErrorSomething): ...".
bool Runtime<Kokkos::Cuda>::has_failed(const Kokkos::Cuda&, const std::exception& failure) {
  if (std::string_view(failure.what()).find("error( cudaError") == std::string_view::npos) return false;
  static_cast<void>(cudaGetLastError());
  return true;
}

Moment<Kokkos::Cuda>::~Moment() {
  if (event_) static_cast<void>(succeeds(cudaEventDestroy(event_)));
}

void Moment<Kokkos::Cuda>::mark(const Kokkos::Cuda& space) {
  const OnDevice current(space.cuda_device());
  if (event_ && device_ != space.cuda_device()) *this = Moment();
  device_ = space.cuda_device();
  if (!event_) check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(space.cuda_stream(), &capture), "cudaStreamIsCapturing");
  is_recorded_in_graph_ = capture != cudaStreamCaptureStatusNone;
  if (!is_recorded_in_graph_) check(cudaEventRecord(event_, space.cuda_stream()), "cudaEventRecord");
}

void Moment<Kokkos::Cuda>::wait(const char* label) const {
  if (!event_) return;
  if (is_recorded_in_graph_) static_cast<void>(DeviceMemory::of(device_).wait());
  else check(cudaEventSynchronize(event_), label);
}

bool Moment<Kokkos::Cuda>::is_past() const {
  if (!event_) return true;
  const cudaError_t status = cudaEventQuery(event_);
  if (status != cudaErrorNotReady) check(status, "cudaEventQuery");
  return status == cudaSuccess;
}

void Moment<Kokkos::Cuda>::hold(cudaStream_t stream) const {
  if (event_) check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

}  // namespace terrace::parallel
