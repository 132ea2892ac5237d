// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Steps that blocks share: each share is taken once, a step sees all of the one before, however many blocks there are.
#include "backends/cuda/shared_steps.hpp"

#include <gtest/gtest.h>

#include "backends/cuda/arrays.hpp"
#include "parallel/concurrency.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

constexpr int steps = 3;

/// How often each share was taken in each step, and how many of the step before its thread found undone.
struct Taken {
  int shares;
  int* times;
  int* undone;

  __device__ void operator()(int step, int share) const {
    for (int other = static_cast<int>(threadIdx.x); step > 0 && other < shares; other += static_cast<int>(blockDim.x))
      if (times[(step - 1) * shares + other] != 1) atomicAdd(undone, 1);
    __syncthreads();
    if (threadIdx.x == 0) ++times[step * shares + share];
  }
};

__global__ void take_steps(unsigned* counters, Taken taken) {
  cuda::SharedSteps shared(counters);
  shared.share([&](int share) { taken(0, share); });
  shared.share([&](int share) { taken(1, share); });
  shared.share([&](int share) { taken(2, share); });
}

/// The last of them are more than a GPU has places for.
TEST(SharedSteps, AreTakenOnceByWhoeverRuns) {
  const Kokkos::Cuda space;
  for (const int shares : {1, 2, 133, 5000}) {
    SCOPED_TRACE(shares);
    const auto counters = parallel::zeros<unsigned>(space, "counters", cuda::SharedSteps::counters(steps));
    const auto times = parallel::zeros<int>(space, "times", static_cast<std::size_t>(steps) * shares);
    const auto undone = parallel::zeros<int>(space, "undone", 1);
    cuda::launch(space, "terrace::test::take_steps", take_steps, static_cast<std::size_t>(shares), 256, counters.data(),
                 Taken{shares, times.data(), undone.data()});
    space.fence();
    EXPECT_EQ(to_host(times), std::vector<int>(static_cast<std::size_t>(steps) * shares, 1));
    EXPECT_EQ(to_host(undone), std::vector<int>(1, 0));
  }
}

__global__ void count_parts(int of, int* times) {
  const cuda::PartOfShare part(static_cast<int>(blockIdx.x), of);
  for (int k = static_cast<int>(threadIdx.x); k < part.count; k += static_cast<int>(blockDim.x))
    atomicAdd(times + part.first + k, 1);
}

TEST(SharedSteps, HavePartsThatAreEverythingTogether) {
  const Kokkos::Cuda space;
  for (const int of : {1, 5, 132, 1000}) {
    SCOPED_TRACE(of);
    const auto times = parallel::zeros<int>(space, "times", static_cast<std::size_t>(of));
    cuda::launch(space, "terrace::test::count_parts", count_parts, 7, 32, of, times.data());
    space.fence();
    EXPECT_EQ(to_host(times), std::vector<int>(static_cast<std::size_t>(of), 1));
  }
}

}  // namespace
}  // namespace terrace::test
