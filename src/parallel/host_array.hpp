// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector whose numbers have no value before they are written: memory is touched first by the threads that fill it,
// and not by one that writes zeros into all of it.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace terrace::parallel {

template <class T>
struct UninitializedAllocator : std::allocator<T> {
  template <class Other>
  struct rebind {
    using other = UninitializedAllocator<Other>;
  };

  template <class Other>
  void construct(Other* at) {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Other(std::forward<Arguments>(arguments)...);
  }
};

template <class T>
using HostArray = std::vector<T, UninitializedAllocator<T>>;

}  // namespace terrace::parallel
