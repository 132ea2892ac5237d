// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel of one iteration.
//
// On a host the calling thread runs it: kernels there are done when they return, so nothing is gained by waking the
// threads of the instance, and on a busy host waiting for them to come and go again takes a time slice of the
// scheduler. Tools hear of it as of any other kernel of the instance.
#pragma once

#include "parallel/concurrency.hpp"
#include "parallel/functor_as_argument.hpp"

namespace terrace::parallel {

template <class Space, class Functor>
void run_alone(const Space& space, const char* label, const Functor& functor) {
  if constexpr (is_host_space<Space>) {
    const bool tools_listen = Kokkos::Tools::profileLibraryLoaded();
    std::uint64_t kernel = 0;
    if (tools_listen) Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(space), &kernel);
    functor(0);
    if (tools_listen) Kokkos::Tools::endParallelFor(kernel);
  } else {
    Kokkos::parallel_for(label, functor_as_argument(Kokkos::RangePolicy<Space>(space, 0, 1)), functor);
  }
}

template <class Functor, class Index>
struct EachAlone {
  Functor functor;
  Index count;
  void operator()(int) const {
    for (Index index = 0; index < count; ++index) functor(index);
  }
};

/// A kernel of `count` iterations, by the calling thread of a host.
template <class Space, class Index, class Functor>
void run_each_alone(const Space& space, const char* label, Index count, const Functor& functor) {
  static_assert(is_host_space<Space>);
  run_alone(space, label, EachAlone<Functor, Index>{functor, count});
}

}  // namespace terrace::parallel
