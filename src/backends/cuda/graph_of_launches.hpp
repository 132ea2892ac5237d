// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A CUDA graph whose nodes are made by the library's own launches, one behind the other: while it is current, they add
// kernels to it instead of enqueueing them. Nothing is recorded from a stream, so it may be made whatever other threads
// do meanwhile (ADR 19). A kernel that may begin early in a stream may do so in the graph.
#pragma once

#include <cuda_runtime.h>

#include <utility>

#include "backends/cuda/check.hpp"

namespace terrace::cuda {

/// A graph that can be launched, or none.
class ExecutableGraph {
 public:
  ExecutableGraph() = default;
  explicit ExecutableGraph(cudaGraphExec_t graph) : graph_(graph) {}
  ExecutableGraph(ExecutableGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  ExecutableGraph& operator=(ExecutableGraph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  ~ExecutableGraph() {
    const BesideCaptures beside;
    if (graph_) static_cast<void>(succeeds(cudaGraphExecDestroy(graph_)));
  }

  explicit operator bool() const { return graph_ != nullptr; }
  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(graph_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

class GraphOfLaunches {
 public:
  /// For the calling thread: the one that its launches add to, or null.
  static GraphOfLaunches*& current() {
    thread_local GraphOfLaunches* graph = nullptr;
    return graph;
  }

  GraphOfLaunches() : is_whole_(is_supported && succeeds(cudaGraphCreate(&graph_, 0))) {}
  GraphOfLaunches(const GraphOfLaunches&) = delete;
  GraphOfLaunches& operator=(const GraphOfLaunches&) = delete;
  ~GraphOfLaunches() {
    if (graph_) static_cast<void>(succeeds(cudaGraphDestroy(graph_)));
  }

  /// What enqueue() launches in this thread. Nothing is enqueued; what cannot be a node leaves the graph useless.
  template <class Enqueue>
  void add(const Enqueue& enqueue) {
    struct Current {
      explicit Current(GraphOfLaunches* graph) { current() = graph; }
      ~Current() { current() = nullptr; }
    };
    const Current scope(this);
    enqueue();
  }

  /// `arguments` as the kernel takes them, a pointer to each; they are copied.
  void add_kernel(const void* kernel, const cudaLaunchConfig_t& launch, void** arguments) {
    bool begins_early = false;
    for (unsigned k = 0; k < launch.numAttrs; ++k) {
      const bool is_early = launch.attrs[k].id == cudaLaunchAttributeProgrammaticStreamSerialization;
      begins_early = begins_early || is_early;
      is_whole_ = is_whole_ && is_early;  // others are not handed on
    }
    cudaKernelNodeParams node{};
    node.func = const_cast<void*>(kernel);
    node.gridDim = launch.gridDim;
    node.blockDim = launch.blockDim;
    node.sharedMemBytes = static_cast<unsigned>(launch.dynamicSmemBytes);
    node.kernelParams = arguments;
    cudaGraphNode_t added = nullptr;
    is_whole_ = is_whole_ && succeeds(cudaGraphAddKernelNode(&added, graph_, nullptr, 0, &node));
    append(added, begins_early && last_is_kernel_);
    last_is_kernel_ = true;
  }

  void add_memset(void* to, int byte, std::size_t bytes) {
    cudaMemsetParams node{};
    node.dst = to;
    node.value = static_cast<unsigned>(byte) & 0xffu;
    node.elementSize = 1;
    node.width = bytes;
    node.height = 1;
    cudaGraphNode_t added = nullptr;
    is_whole_ = is_whole_ && succeeds(cudaGraphAddMemsetNode(&added, graph_, nullptr, 0, &node));
    append(added, false);
    last_is_kernel_ = false;
  }

  /// None where a node could not be added.
  ExecutableGraph instantiate() const {
    cudaGraphExec_t graph = nullptr;
    const BesideCaptures beside;
    const bool is_there = is_whole_ && succeeds(cudaGraphInstantiate(&graph, graph_, 0));
    return ExecutableGraph(is_there ? graph : nullptr);
  }

 private:
  static constexpr bool is_supported = CUDART_VERSION >= 12030;

  void append(cudaGraphNode_t added, bool begins_early) {
    if (is_whole_ && last_) is_whole_ = is_whole_ && succeeds(depend(added, begins_early));
    last_ = added;
  }

  cudaError_t depend(cudaGraphNode_t added, bool begins_early) const {
#if CUDART_VERSION >= 12030
    cudaGraphEdgeData edge{};
    if (begins_early) {
      edge.from_port = cudaGraphKernelNodePortProgrammatic;
      edge.type = cudaGraphDependencyTypeProgrammatic;
    }
#if CUDART_VERSION >= 13000
    return cudaGraphAddDependencies(graph_, &last_, &added, &edge, 1);
#else
    return cudaGraphAddDependencies_v2(graph_, &last_, &added, &edge, 1);
#endif
#else
    static_cast<void>(added), static_cast<void>(begins_early);
    return cudaErrorNotSupported;
#endif
  }

  cudaGraph_t graph_ = nullptr;
  cudaGraphNode_t last_ = nullptr;
  bool is_whole_, last_is_kernel_ = false;
};

}  // namespace terrace::cuda
