// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The judge of "no fence, no allocation" itself: what it must notice. And iterations that are replayed, of which it is
// known that they do not wait.
#include "support/captured_graph.hpp"

#include <gtest/gtest.h>

#include "backends/cuda/krylov/replay.hpp"
#include "support/full_device.hpp"

namespace terrace::test {
namespace {

struct Increment {
  Kokkos::View<int, Kokkos::Cuda> number;
  KOKKOS_FUNCTION void operator()(int) const { ++number(); }
};

class CapturedGraphTest : public ::testing::Test {
 public:
  CapturedGraphTest() : space(cuda_instance()), number("number") { Kokkos::fence(); }

  void increment(const Kokkos::Cuda& where) const {
    Kokkos::parallel_for("terrace::test::increment", Kokkos::RangePolicy<Kokkos::Cuda>(where, 0, 1), Increment{number});
  }
  int value() const {
    int found = 0;
    Kokkos::deep_copy(found, number);
    return found;
  }

  Kokkos::Cuda space;
  Kokkos::View<int, Kokkos::Cuda> number;
};

using Cuda_CapturedGraph = CapturedGraphTest;

TEST_F(Cuda_CapturedGraph, CountsKernelsAndReplaysThem) {
  const CapturedGraph graph(space, [&] {
    increment(space);
    increment(space);
  });
  EXPECT_EQ(graph.failure(), "");
  EXPECT_EQ(graph.kernels(), 2);
  EXPECT_EQ(value(), 2);  // those before the capture
  graph.replay();
  space.fence();
  EXPECT_EQ(value(), 4);
}

TEST_F(Cuda_CapturedGraph, NoticesAWait) {
  const CapturedGraph by_kokkos(space, [&] {
    increment(space);
    space.fence("terrace::test::wait");
  });
  EXPECT_NE(by_kokkos.failure(), "");
  const CapturedGraph by_the_runtime(space, [&] {
    increment(space);
    static_cast<void>(cudaStreamSynchronize(space.cuda_stream()));
  });
  EXPECT_NE(by_the_runtime.failure(), "");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Cuda_CapturedGraph, NoticesMemoryThatIsAllocated) {
  const CapturedGraph at_once(space, [&] {
    increment(space);
    void* memory = nullptr;
    cuda::check(cudaMalloc(&memory, 1024));
    cuda::check(cudaFree(memory));
  });
  EXPECT_NE(at_once.failure(), "");
  const CapturedGraph in_order(space, [&] {
    increment(space);
    void* memory = nullptr;
    cuda::check(cudaMallocAsync(&memory, 1024, space.cuda_stream()));
    cuda::check(cudaFreeAsync(memory, space.cuda_stream()));
  });
  EXPECT_NE(in_order.failure(), "");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Cuda_CapturedGraph, NoticesMemoryOfTheHostThatIsCopied) {
  const int one = 1;
  const CapturedGraph graph(space, [&] {
    cuda::check(cudaMemcpyAsync(number.data(), &one, sizeof(one), cudaMemcpyHostToDevice, space.cuda_stream()));
  });
  EXPECT_NE(graph.failure(), "");
  static_cast<void>(cudaGetLastError());
}

TEST_F(Cuda_CapturedGraph, DoesNotReplayWhatWentToAnotherStream) {
  const auto elsewhere = cuda_instance();
  const CapturedGraph graph(space, [&] { increment(elsewhere); });
  EXPECT_EQ(graph.kernels(), 0);
}

/// Behind a gate that is opened afterwards: a wait would last until the watchdog opens it.
TEST_F(Cuda_CapturedGraph, AReplayedIterationDoesNotWaitForTheDevice) {
  constexpr int turns = 50;
  int enqueued = 0;
  cuda::krylov::Recorder recorder;
  auto iterate = krylov::make_replay(
      space, recorder,
      [&](const Kokkos::Cuda& on) {
        ++enqueued;
        increment(on);
      },
      true);
  for (int turn = 0; turn < 4; ++turn) iterate();  // until it is recorded, and replayed once
  space.fence();
  EXPECT_EQ(enqueued, 3);
  EXPECT_EQ(value(), 4);
  {
    Gate gate(space.cuda_stream());
    for (int turn = 0; turn < turns; ++turn) iterate();
    EXPECT_FALSE(gate.is_open());
  }
  EXPECT_EQ(enqueued, 3);
  EXPECT_EQ(value(), 4 + turns);
}

}  // namespace
}  // namespace terrace::test
