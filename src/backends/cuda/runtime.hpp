// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA version of parallel/runtime.hpp.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <utility>

#include "backends/cuda/check.hpp"
#include "backends/cuda/pooled_memory.hpp"
#include "parallel/runtime.hpp"

namespace terrace::parallel {

template <>
struct Runtime<Kokkos::Cuda> {
  using BesideOthers = cuda::BesideCaptures;
  using PooledMemory = cuda::PooledMemory;
  static void sort_keys(const Kokkos::Cuda& space, std::uint64_t* keys, std::size_t count);
  static bool give_back_memory(const Kokkos::Cuda& space);
  static std::string free_memory(const Kokkos::Cuda& space);
  static bool has_failed(const Kokkos::Cuda& space, const std::exception& failure);
};

/// An event of the library's own: the caller may destroy the stream.
template <>
class Moment<Kokkos::Cuda> {
 public:
  Moment() = default;
  ~Moment();
  Moment(Moment&& other) noexcept { swap(other); }
  Moment& operator=(Moment&& other) noexcept {
    Moment(std::move(other)).swap(*this);
    return *this;
  }

  void mark(const Kokkos::Cuda& space);
  void wait(const char* label) const;

  /// Waits for nothing. Not of work that was recorded in a graph.
  bool is_past() const;

  /// What is enqueued on the stream from now on waits for it. As above.
  void hold(cudaStream_t stream) const;

 private:
  void swap(Moment& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(device_, other.device_);
    std::swap(is_recorded_in_graph_, other.is_recorded_in_graph_);
  }

  cudaEvent_t event_ = nullptr;
  int device_ = 0;
  bool is_recorded_in_graph_ = false;  // then no event tells when it has happened
};

}  // namespace terrace::parallel
