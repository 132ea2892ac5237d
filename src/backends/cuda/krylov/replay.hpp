// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that repeats itself as a CUDA graph (ADR 16): enqueued as it is at first, so that what is made once (modules,
// Kokkos's scratch memory) is made; then recorded; then replayed.
//
// Only the kernels that wait in the caller's stream are recorded, with their arguments: work that a host does between
// them would be lost, which is why operators say whether they can be replayed. Where recording fails all the same
// (somebody waits, or allocates, or the stream is the legacy one), the work is enqueued as it is from then on. So it is
// while a tool listens to Kokkos, which would not hear of replayed kernels.
#pragma once

#include <Kokkos_Core.hpp>
#include <utility>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

template <class Enqueue>
class Replay {
 public:
  Replay(const Kokkos::Cuda& space, Enqueue enqueue, bool repeats_itself)
      : space_(space),
        enqueue_(std::move(enqueue)),
        turns_before_recording_(repeats_itself && !Kokkos::Tools::profileLibraryLoaded() ? 2 : -1) {}

  Replay(Replay&& from) noexcept = delete;
  Replay& operator=(Replay&&) = delete;
  ~Replay() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }

  void operator()() {
    if (turns_before_recording_ == 0) record();
    if (turns_before_recording_ > 0) --turns_before_recording_;
    if (graph_) check(cudaGraphLaunch(graph_, space_.cuda_stream()));
    else enqueue_();
  }

 private:
  /// Leaves the graph empty where it cannot be made.
  void record() {
    turns_before_recording_ = -1;
    const cudaStream_t stream = space_.cuda_stream();
    cudaGraph_t recorded = nullptr;
    if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess) {
      try {
        enqueue_();
      } catch (...) {  // a call that a recording stream refuses; it spoils the recording too
      }
      cudaStreamEndCapture(stream, &recorded);
    }
    if (recorded && cudaGraphInstantiate(&graph_, recorded, 0) != cudaSuccess) graph_ = nullptr;
    if (recorded) cudaGraphDestroy(recorded);
    if (!graph_) static_cast<void>(cudaGetLastError());  // the failure ends here
  }

  Kokkos::Cuda space_;
  Enqueue enqueue_;
  int turns_before_recording_;  // negative: never
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace terrace::cuda

namespace terrace::krylov {

template <class Enqueue>
cuda::Replay<Enqueue> make_replay(const Kokkos::Cuda& space, Enqueue enqueue, bool repeats_itself) {
  return cuda::Replay<Enqueue>(space, std::move(enqueue), repeats_itself);
}

}  // namespace terrace::krylov
