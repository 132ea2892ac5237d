// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several arrays in one allocation, each aligned for any type: an analysis needs a dozen of them.
#pragma once

#include "parallel/memory.hpp"

namespace terrace::parallel {

/// Owns the memory, unless it is shared or has it from others; the arrays do not.
template <class Space>
class JoinedArrays {
 public:
  JoinedArrays() = default;
  /// Waits for nothing. \throws Error OutOfMemory.
  JoinedArrays(const Space& space, const char* label, std::size_t bytes)
      : memory_(space, label, bytes), data_(memory_.data()) {}
  /// Of memory that outlives them and begins at a multiple of the alignment.
  explicit JoinedArrays(char* lent) : data_(lent) {}

  /// What an array of so many elements takes.
  template <class T>
  static constexpr std::size_t bytes(std::size_t count) {
    return (count * sizeof(T) + alignment - 1) / alignment * alignment;
  }

  template <class T>
  T* take(std::size_t count) {
    T* const array = reinterpret_cast<T*>(data_ + used_);
    used_ += bytes<T>(count);
    return array;
  }

  template <class T>
  Kokkos::View<T*, Device<Space>> take_view(std::size_t count) {
    return Kokkos::View<T*, Device<Space>>(take<T>(count), count);
  }

  /// Hands over the memory, when all arrays are taken. It lives as long as a copy of the result does.
  SharedMemory<Space> share() { return std::make_shared<Memory<Space>>(std::move(memory_)); }

  /// See Memory::free_on.
  void free_on(const Space& space) noexcept { memory_.free_on(space); }

  bool are_there() const { return data_ != nullptr; }
  std::size_t bytes_held() const { return memory_.bytes_held(); }

 private:
  static constexpr std::size_t alignment = 256;

  Memory<Space> memory_;
  char* data_ = nullptr;
  std::size_t used_ = 0;
};

/// Arrays that live while a function runs, as Scratch. What is shared stays.
template <class Space>
class JoinedScratch : public JoinedArrays<Space> {
 public:
  /// Waits for nothing. \throws Error OutOfMemory.
  JoinedScratch(const Space& space, const char* label, std::size_t bytes)
      : JoinedArrays<Space>(space, label, bytes), space_(space) {}
  JoinedScratch(const JoinedScratch&) = delete;
  JoinedScratch& operator=(const JoinedScratch&) = delete;
  ~JoinedScratch() { this->free_on(space_); }

 private:
  Space space_;
};

}  // namespace terrace::parallel
