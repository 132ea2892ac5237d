// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that is enqueued again and again with the same arguments, and loops that may be part of it. Here it is enqueued
// as it is, by Kokkos; a backend may have something better, and specializes both (backends/repeated_work.hpp).
#pragma once

#include "parallel/loops.hpp"

namespace terrace::parallel {

/// `Key`: all that the arguments of the kernels depend on; it can be compared.
template <class Space, class Key>
class RepeatedWork {
 public:
  /// `is_plain`: all of it is enqueued by RepeatableLoops and by engines of the backend.
  explicit RepeatedWork(bool is_plain) { static_cast<void>(is_plain); }

  /// One thread at a time.
  template <class Enqueue>
  void operator()(const Space&, const Key&, const Enqueue& enqueue) {
    enqueue();
  }
};

/// Loops over 0 to count - 1. The functor takes what `Index` is.
template <class Space>
class RepeatableLoops {
 public:
  explicit RepeatableLoops(const Space& space) : space_(space) {}

  template <class Index, class Functor>
  void for_each(const char* label, Index count, const Functor& functor) const {
    for_range(label, policy(count), functor);
  }

  /// *largest = the largest of what functor(i, value) raises value to, or what it was; before, it is no more than any
  /// of them. By a reduction: where the threads of a device raised one cell, those that came first took ten times as
  /// long as all else that they had to do.
  template <class Index, class Functor, class Value>
  void find_largest(const char* label, Index count, const Functor& functor, Value* largest) const {
    const Kokkos::View<Value, Device<Space>, Kokkos::MemoryTraits<Kokkos::Unmanaged>> result(largest);
    if (count > 0) reduce_range(label, policy(count), functor, Kokkos::Max<Value, Device<Space>>(result));
  }

 private:
  template <class Index>
  auto policy(Index count) const {
    return Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>(space_, 0, count);
  }

  const Space& space_;
};

}  // namespace terrace::parallel
