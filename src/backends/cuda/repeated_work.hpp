// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are enqueued again and again with the same arguments: as a CUDA graph from the third time on. A host
// takes four microseconds for a kernel and as long for a graph of a hundred, and short kernels follow each other faster
// in a graph. Twice they are enqueued as they are, so that all that is made once is there (kernels loaded, shared
// memory allowed) and what is done once or twice pays nothing. They stay as they are while a tool listens to Kokkos,
// which would not hear of them, where somebody records the stream, and where no graph can be made.
#pragma once

#include <array>

#include "backends/cuda/graph_of_launches.hpp"
#include "backends/cuda/launch.hpp"
#include "parallel/repeated_work.hpp"

namespace terrace::cuda {

/// `Key`: all that the arguments of the kernels depend on; it can be compared.
template <class Key>
class RepeatedWork {
 public:
  /// Enqueues what enqueue() launches on the instance, by the functions of launch.hpp alone. One thread at a time.
  template <class Enqueue>
  void operator()(const Kokkos::Cuda& space, const Key& key, const Enqueue& enqueue) {
    if (GraphOfLaunches::current() || Kokkos::Tools::profileLibraryLoaded() || is_recorded(space)) return enqueue();
    Work& work = work_for(key);
    if (work.times == times_as_it_is) {
      GraphOfLaunches graph;
      graph.add(enqueue);
      work.graph = graph.instantiate();
    }
    if (work.times <= times_as_it_is) ++work.times;
    if (work.graph) work.graph.launch(space.cuda_stream());
    else enqueue();
  }

 private:
  static constexpr int times_as_it_is = 2, most = 4;

  struct Work {
    Key key{};
    int times = 0;
    ExecutableGraph graph;
  };

  static bool is_recorded(const Kokkos::Cuda& space) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return !succeeds(cudaStreamIsCapturing(space.cuda_stream(), &status)) || status != cudaStreamCaptureStatusNone;
  }

  /// Of several, the one that came first makes room for another.
  Work& work_for(const Key& key) {
    for (Work& work : work_)
      if (work.times > 0 && work.key == key) return work;
    Work& work = work_[next_];
    next_ = (next_ + 1) % most;
    work = Work{key, 0, {}};
    return work;
  }

  std::array<Work, most> work_;
  int next_ = 0;
};

}  // namespace terrace::cuda

namespace terrace::parallel {

template <class Key>
class RepeatedWork<Kokkos::Cuda, Key> {
 public:
  explicit RepeatedWork(bool is_plain) : is_plain_(is_plain) {}

  template <class Enqueue>
  void operator()(const Kokkos::Cuda& space, const Key& key, const Enqueue& enqueue) {
    if (is_plain_) work_(space, key, enqueue);
    else enqueue();
  }

 private:
  bool is_plain_;
  cuda::RepeatedWork<Key> work_;
};

}  // namespace terrace::parallel
