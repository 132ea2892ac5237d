// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a function needs for itself, and memory that views share that do not own it.
//
// On a backend that has a pool both come from there: a Kokkos view on a GPU takes as long to make, and to free, as a
// small analysis takes altogether, and waits for all that the device does.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "parallel/concurrency.hpp"

namespace terrace::parallel {

/// Owns bytes, unset. Its destructor may wait for the device, whose kernels of any instance may use them.
template <class Space>
class Memory {
 public:
  Memory() = default;
  /// Waits for nothing. \throws Error OutOfMemory.
  Memory(const Space& space, const char* label, std::size_t bytes) : bytes_(allocate(space, label, bytes)) {}

  char* data() const { return bytes_.data(); }

  std::size_t bytes_held() const {
    if constexpr (is_pooled) return bytes_.bytes_held();
    else return bytes_.size();
  }

  /// Frees without waiting, where the backend can: only `space` has used the memory, and nothing that is enqueued from
  /// now on will.
  void free_on([[maybe_unused]] const Space& space) noexcept {
    if constexpr (is_pooled) bytes_.free_on(space);
    else bytes_ = {};
  }

 private:
  static constexpr bool is_pooled = requires { typename Runtime<Space>::PooledMemory; };

  static auto allocate(const Space& space, const char* label, std::size_t bytes) {
    if constexpr (is_pooled) return typename Runtime<Space>::PooledMemory(space, label, bytes);
    else return uninitialized<char>(space, label, bytes);
  }

  decltype(allocate(std::declval<const Space&>(), nullptr, 0)) bytes_;
};

/// Of views that do not own it.
template <class Space>
using SharedMemory = std::shared_ptr<Memory<Space>>;

/// Gives up a share when a function ends, and frees as Memory::free_on does if it was the last.
template <class Space>
class ScratchShare {
 public:
  ScratchShare(const Space& space, SharedMemory<Space>& memory) : space_(space), memory_(memory) {}
  ScratchShare(const ScratchShare&) = delete;
  ScratchShare& operator=(const ScratchShare&) = delete;
  ~ScratchShare() {
    if (memory_.use_count() == 1) memory_->free_on(space_);
    memory_.reset();
  }

 private:
  Space space_;
  SharedMemory<Space>& memory_;
};

/// An array that lives while a function runs: only `space` uses it, and it is freed for what is enqueued afterwards,
/// without waiting.
template <class T, class Space>
class Scratch {
 public:
  /// Unset. Waits for nothing. \throws Error OutOfMemory.
  Scratch(const Space& space, const char* label, std::size_t count)
      : space_(space), memory_(space, label, count * sizeof(T)), count_(count) {}
  Scratch(Scratch&&) = default;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch() { memory_.free_on(space_); }

  /// Enqueued.
  void fill(const T& value) const {
    if (count_ > 0) parallel::fill(space_, view(), value);
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const { return count_; }
  Kokkos::View<T*, Device<Space>> view() const { return Kokkos::View<T*, Device<Space>>(data(), count_); }

 private:
  Space space_;
  Memory<Space> memory_;
  std::size_t count_;
};

/// An array of zeros, as Scratch.
template <class T, class Space>
Scratch<T, Space> scratch_of_zeros(const Space& space, const char* label, std::size_t count) {
  Scratch<T, Space> zeros(space, label, count);
  zeros.fill(T(0));
  return zeros;
}

/// Scratch arrays, as many as a function asks for: views that do not own the memory, which lives as long as this does.
template <class Space>
class ScratchArrays {
 public:
  /// Unset. Waits for nothing. \throws Error OutOfMemory.
  template <class T>
  Kokkos::View<T*, Device<Space>> take(const Space& space, const char* label, std::size_t count) {
    pieces_.emplace_back(space, label, count * sizeof(T));
    return Kokkos::View<T*, Device<Space>>(reinterpret_cast<T*>(pieces_.back().data()), count);
  }

 private:
  std::vector<Scratch<char, Space>> pieces_;
};

}  // namespace terrace::parallel
