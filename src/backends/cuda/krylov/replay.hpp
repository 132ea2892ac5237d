// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that repeats itself as a CUDA graph (ADR 16, ADR 19): enqueued as it is at first, then on the stream on which it
// will be recorded, so that what is made once (modules, Kokkos's scratch memory) is made; then recorded; then replayed
// in the caller's stream.
//
// Only the kernels that are enqueued on the instance that is handed on are recorded, with their arguments: work that a
// host does between them would be lost, which is why operators say whether they can be replayed. Where recording fails
// all the same (somebody waits, or allocates, or another thread waits for the whole device), the work is enqueued as it
// is from then on. So it is while a tool listens to Kokkos, which would not hear of replayed kernels.
#pragma once

#include <utility>

#include "algorithms/krylov/replay.hpp"
#include "backends/cuda/krylov/recorder.hpp"

namespace terrace::cuda::krylov {

template <class Enqueue>
class Replay {
 public:
  Replay(const Kokkos::Cuda& space, Recorder& recorder, Enqueue enqueue, bool repeats_itself)
      : space_(space),
        recorder_(recorder),
        enqueue_(std::move(enqueue)),
        next_(repeats_itself && !Kokkos::Tools::profileLibraryLoaded() ? Turn::First : Turn::Plain) {}

  Replay(Replay&& from) noexcept = delete;
  Replay& operator=(Replay&&) = delete;
  ~Replay() {
    const BesideCaptures beside;
    if (graph_) static_cast<void>(succeeds(cudaGraphExecDestroy(graph_)));
  }

  void operator()() {
    switch (next_) {
      case Turn::First: next_ = Turn::Rehearse; return enqueue_(space_);
      case Turn::Rehearse: next_ = Turn::Record; return rehearse();
      case Turn::Record:
        record();
        next_ = graph_ ? Turn::Graph : Turn::Plain;
        return (*this)();
      case Turn::Graph: return check(cudaGraphLaunch(graph_, space_.cuda_stream()), "cudaGraphLaunch");
      case Turn::Plain: return enqueue_(space_);
    }
  }

 private:
  enum class Turn { First, Rehearse, Record, Graph, Plain };

  /// On the other stream, between what was enqueued before and what comes after.
  void rehearse() {
    const Kokkos::Cuda& recording = recorder_.instance(space_);
    space_.fence("terrace::cuda::replay");
    enqueue_(recording);
    recording.fence("terrace::cuda::replay");
  }

  /// Leaves the graph empty where it cannot be made.
  void record() {
    const Kokkos::Cuda& recording = recorder_.instance(space_);
    const cudaStream_t stream = recording.cuda_stream();
    if (!succeeds(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal))) return;
    try {
      enqueue_(recording);
    } catch (...) {  // a call that a recording stream refuses; it spoils the recording too
    }
    cudaGraph_t recorded = nullptr;
    if (!succeeds(cudaStreamEndCapture(stream, &recorded)) || !recorded) return;
    if (!succeeds(cudaGraphInstantiate(&graph_, recorded, 0))) graph_ = nullptr;
    static_cast<void>(succeeds(cudaGraphDestroy(recorded)));
  }

  Kokkos::Cuda space_;
  Recorder& recorder_;
  Enqueue enqueue_;
  Turn next_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace terrace::cuda::krylov

namespace terrace::krylov {

template <>
struct RecorderOf<Kokkos::Cuda> {
  using type = cuda::krylov::Recorder;
};

template <class Enqueue>
cuda::krylov::Replay<Enqueue> make_replay(const Kokkos::Cuda& space, cuda::krylov::Recorder& recorder, Enqueue enqueue,
                                          bool repeats_itself) {
  return cuda::krylov::Replay<Enqueue>(space, recorder, std::move(enqueue), repeats_itself);
}

}  // namespace terrace::krylov
