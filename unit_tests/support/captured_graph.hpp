// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// "No fence, no allocation" as CUDA itself hears it: the calls are captured in a graph. A wait or an allocation under
// capture fails, whoever makes it and by whatever function of the runtime; allocations and copies that a stream orders
// become nodes, which are looked for. The graph can be replayed, so that work which went to another stream, or was done
// by the host, is missed.
#pragma once

#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <exception>
#include <string>
#include <vector>

#include "backends/cuda/check.hpp"

namespace terrace::test {

/// An instance with a stream of its own. The legacy stream and this one wait for each other, so that under capture any
/// use of the legacy one fails.
inline Kokkos::Cuda cuda_instance() { return Kokkos::Experimental::partition_space(Kokkos::Cuda(), 1)[0]; }

class CapturedGraph {
 public:
  /// Calls `enqueue` twice: what is made once (modules, Kokkos's scratch memory) is made before the capture.
  template <class Enqueue>
  CapturedGraph(const Kokkos::Cuda& space, const Enqueue& enqueue) : space_(space) {
    enqueue();
    space_.fence("terrace::test::captured_graph");
    cuda::check(cudaStreamBeginCapture(space_.cuda_stream(), cudaStreamCaptureModeThreadLocal));
    try {
      enqueue();
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    note(cudaStreamEndCapture(space_.cuda_stream(), &graph_));
    if (failure_.empty()) look_at_nodes();
    if (failure_.empty()) note(cudaGraphInstantiate(&executable_, graph_, 0));
    if (!failure_.empty()) static_cast<void>(cudaGetLastError());  // it ends here
  }
  CapturedGraph(const CapturedGraph&) = delete;
  CapturedGraph& operator=(const CapturedGraph&) = delete;
  ~CapturedGraph() {
    if (executable_) cudaGraphExecDestroy(executable_);
    if (graph_) cudaGraphDestroy(graph_);
  }

  /// Empty, or what was done that a capture refuses or a replay would do without.
  const std::string& failure() const { return failure_; }
  int kernels() const { return kernels_; }

  void replay() const { cuda::check(cudaGraphLaunch(executable_, space_.cuda_stream())); }

 private:
  void note(cudaError_t status) {
    if (status != cudaSuccess && failure_.empty()) failure_ = cudaGetErrorString(status);
  }

  void look_at_nodes() {
    std::size_t count = 0;
    note(cudaGraphGetNodes(graph_, nullptr, &count));
    std::vector<cudaGraphNode_t> nodes(count);
    if (count > 0) note(cudaGraphGetNodes(graph_, nodes.data(), &count));
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      note(cudaGraphNodeGetType(node, &type));
      if (type == cudaGraphNodeTypeKernel) ++kernels_;
      else if (type == cudaGraphNodeTypeMemcpy) look_at_copy(node);
      else if (type == cudaGraphNodeTypeMemAlloc || type == cudaGraphNodeTypeMemFree)
        failure_ = "memory was allocated or freed in the order of the stream";
      else if (type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeEmpty)
        failure_ = "something was enqueued that is no kernel, fill or copy";
    }
  }

  void look_at_copy(cudaGraphNode_t node) {
    cudaMemcpy3DParms copy{};
    if (cudaGraphMemcpyNodeGetParams(node, &copy) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return;
    }
    for (const void* end : {copy.srcPtr.ptr, copy.dstPtr.ptr})
      if (end && !is_on_device(end)) failure_ = "memory of the host was copied";
  }

  static bool is_on_device(const void* pointer) {
    cudaPointerAttributes attributes{};
    cuda::check(cudaPointerGetAttributes(&attributes, pointer));
    return attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  }

  Kokkos::Cuda space_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::string failure_;
  int kernels_ = 0;
};

}  // namespace terrace::test
