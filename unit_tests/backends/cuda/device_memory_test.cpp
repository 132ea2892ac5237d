// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device memory that runs out, pools that cannot be made or are not there, and failed calls of the runtime.
#include <terrace/terrace.hpp>

#include "backends/cuda/launch.hpp"
#include "backends/cuda/pooled_memory.hpp"
#include "reference/general_matrix.hpp"
#include "support/cuda_stream.hpp"
#include "support/device_triangle.hpp"
#include "support/failing_memory.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using Tested = Combination<double, int, Space>;
using cuda::DeviceMemory;
using cuda::PooledMemory;

__global__ void do_nothing_kernel() {}

__global__ void spin_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

std::size_t free_bytes() {
  std::size_t unused = 0, all = 0;
  cuda::check(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo");
  return unused;
}

/// L of a grid.
DeviceArrays<Tested> triangle(int nx, int ny) {
  return DeviceArrays<Tested>(reference::compress(reference::poisson<double>(nx, ny)));
}

/// The same for a large one.
reference::CompressedArrays<double> lower_of_grid(int nx, int ny) {
  reference::CompressedArrays<double> arrays;
  arrays.row_map.assign(1, 0);
  for (int row = 0; row < nx * ny; ++row) {
    for (const int column : {row - nx, row % nx == 0 ? -1 : row - 1, row}) {
      if (column < 0) continue;
      arrays.entries.push_back(column);
      arrays.values.push_back(column == row ? 4 : -1);
    }
    arrays.row_map.push_back(arrays.entries.size());
  }
  return arrays;
}

std::vector<double> solve(const DeviceArrays<Tested>& arrays, const TriangularOptions& options = {}) {
  auto chosen = options;
  chosen.stored = Stored::Full;
  const auto solver = arrays.analyze(chosen);
  const auto b = to_device<double, Tested::Device>(std::vector<double>(arrays.row_map.extent(0) - 1, 1.0));
  const Kokkos::View<double*, Tested::Device> x("x", b.extent(0));
  solver.solve(Space(), b, x);
  return to_host(x);
}

class CudaMemory : public ::testing::Test {
 protected:
  ~CudaMemory() override {
    parallel::MemoryFaults::disarm();
    DeviceMemory::faults().without_pools = false;
    DeviceMemory::faults().pools_that_cannot_be_made = 0;
  }
};

TEST_F(CudaMemory, AnAnalysisForWhichThereIsNoneIsAnErrorAndTheNextOneWorks) {
  const auto small = triangle(4, 4);
  const DeviceArrays<Tested> large(lower_of_grid(3000, 3000));
  const auto expected = solve(small);
  DeviceMemory::of(Space().cuda_device()).give_back(Space().cuda_stream());
  void* rest = nullptr;
  cuda::check(cudaMalloc(&rest, free_bytes() - (std::size_t(96) << 20)), "cudaMalloc");
  for (int repetition = 0; repetition < 2; ++repetition) {
    try {
      large.analyze({.prepare_transpose = true});
      ADD_FAILURE() << "there was enough memory";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::OutOfMemory) << error.what();
      EXPECT_NE(std::string(error.what()).find("bytes of the device are free"), std::string::npos) << error.what();
    }
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
    EXPECT_EQ(solve(small), expected);  // while there is still next to nothing
  }
  cuda::check(cudaFree(rest), "cudaFree");
  EXPECT_EQ(solve(small), expected);
  EXPECT_EQ(large.analyze({}).info().rows, 9000000);
}

TEST_F(CudaMemory, WhateverAllocationFailsTheNextAnalysisWorks) {
  const auto arrays = triangle(40, 40);
  for (const Algorithm algorithm : {Algorithm::Automatic, Algorithm::SyncFreeRows, Algorithm::LevelScheduled,
                                    Algorithm::Blocked, Algorithm::SyncFreeColumns, Algorithm::Sequential})
    for (const Reuse reuse : {Reuse::Many, Reuse::Once}) {
      const TriangularOptions options{.algorithm = algorithm, .reuse = reuse};
      const auto expected = solve(arrays, options);
      const auto works = [&] {
        EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
        if (algorithm != Algorithm::SyncFreeColumns) EXPECT_EQ(solve(arrays, options), expected);
      };
      EXPECT_GT(fail_in_turn(
                    to_string(algorithm), [&] { solve(arrays, options); }, works),
                0);
    }
}

TEST_F(CudaMemory, WhateverAllocationOfAFactorizationFailsNothingIsLeaked) {
  const auto arrays = triangle(40, 40);
  const auto factorize = [&] {
    for (const int fill_level : {0, 2}) {
      const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries, {.fill_level = fill_level});
      IluFactor<double, int, int, Space> factor(Space(), symbolic, arrays.values);
      EXPECT_TRUE(factor.info().succeeded());
    }
  };
  const auto factorize_by_thresholds = [&] {
    const IlutFactor<double, int, int, Space> factor(Space(), arrays.row_map, arrays.entries, arrays.values);
    EXPECT_TRUE(factor.info().succeeded());
  };
  auto& memory = DeviceMemory::of(Space().cuda_device());
  factorize();
  factorize_by_thresholds();
  memory.give_back(Space().cuda_stream());
  const std::size_t before = free_bytes();
  EXPECT_GT(fail_in_turn("factorizations", factorize), 20);
  EXPECT_GT(fail_in_turn("by thresholds", factorize_by_thresholds, Failing::MayBeHelped), 5);  // by fewer workers
  memory.give_back(Space().cuda_stream());
  EXPECT_GE(free_bytes() + (std::size_t(4) << 20), before);  // the driver may keep a page or two
}

TEST_F(CudaMemory, WhatHasBeenFreedButNotGivenBackIsGivenBackFirst) {
  parallel::MemoryFaults::arm(0, parallel::MemoryFaults::Mode::FirstTry);
  const PooledMemory memory(Space(), "terrace::test", 1 << 20);
  EXPECT_NE(memory.data(), nullptr);
  EXPECT_FALSE(parallel::MemoryFaults::is_armed());
}

TEST_F(CudaMemory, APoolThatIsFullOfFreedMemoryServesALargerBlock) {
  CudaStream one, other;
  DeviceMemory::of(Space().cuda_device()).give_back(Space().cuda_stream());
  const std::size_t most = free_bytes() / 10 * 9;
  {
    PooledMemory first(one.space(), "terrace::test", most);
    spin_kernel<<<1, 1, 0, one.stream()>>>(200000000);
    first.free_on(one.space());
  }
  const PooledMemory second(other.space(), "terrace::test", most);
  EXPECT_NE(second.data(), nullptr);
}

TEST_F(CudaMemory, ADeviceWithoutPoolsIsUsedWithoutThem) {
  const auto arrays = triangle(60, 50);
  const auto expected = solve(arrays);
  PooledMemory pooled(Space(), "terrace::test", 1000);
  DeviceMemory::faults().without_pools = true;
  EXPECT_EQ(solve(arrays), expected);
  {
    PooledMemory plain(Space(), "terrace::test", 1000), freed(Space(), "terrace::test", 1000);
    freed.free_on(Space());
    DeviceMemory::faults().without_pools = false;
  }  // each block goes back where it came from
  pooled = {};
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  EXPECT_EQ(solve(arrays), expected);
}

TEST_F(CudaMemory, APoolThatCouldNotBeMadeIsMadeNextTime) {
  const auto arrays = triangle(60, 50);
  const auto expected = solve(arrays);
  DeviceMemory::faults().pools_that_cannot_be_made = 3;
  DeviceMemory::faults().forget_pools = true;
  EXPECT_EQ(solve(arrays), expected);
  EXPECT_EQ(DeviceMemory::faults().pools_that_cannot_be_made, 0);
  const auto block = DeviceMemory::of(Space().cuda_device()).allocate(Space().cuda_stream(), "terrace::test", 1000);
  EXPECT_TRUE(block.is_pooled);
  DeviceMemory::of(Space().cuda_device()).free(block);
}

TEST_F(CudaMemory, WaitingForTheDeviceWaitsForStreamsThatWaitForNobody) {
  CudaStream stream(cudaStreamNonBlocking);
  PooledMemory memory(stream.space(), "terrace::test", 1 << 20);
  spin_kernel<<<1, 1, 0, stream.stream()>>>(100000000);
  memory = {};
  EXPECT_EQ(cudaStreamQuery(stream.stream()), cudaSuccess);
}

TEST_F(CudaMemory, AFailedCallIsAnErrorThatNamesItAndIsForgotten) {
  try {
    cuda::check(cudaSetDevice(12345), "cudaSetDevice");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::LibraryFailure);
    EXPECT_NE(std::string(error.what()).find("cudaSetDevice: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("the device can still be used"), std::string::npos) << error.what();
  }
  try {
    cuda::launch(Space(), "terrace::test::too_many_threads", do_nothing_kernel, 1, dim3(4096));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::LibraryFailure);
    EXPECT_NE(std::string(error.what()).find("terrace::test::too_many_threads"), std::string::npos) << error.what();
  }
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(CudaMemory, ALaunchIsNotBlamedForTheFailureOfAnotherCall) {
  void* never = nullptr;
  EXPECT_EQ(cudaMalloc(&never, std::size_t(1) << 60), cudaErrorMemoryAllocation);
  EXPECT_NO_THROW(cuda::launch(Space(), "terrace::test::nothing", do_nothing_kernel, 1, dim3(1)));
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);  // still the caller's to find
}

TEST_F(CudaMemory, AnAnalysisIsNotBlamedForTheFailureOfAnotherCall) {
  const auto arrays = triangle(40, 40);
  for (const Reuse reuse : {Reuse::Many, Reuse::Once}) {
    const auto expected = solve(arrays, {.reuse = reuse});
    void* never = nullptr;
    EXPECT_EQ(cudaMalloc(&never, std::size_t(1) << 60), cudaErrorMemoryAllocation);
    EXPECT_NO_THROW(EXPECT_EQ(solve(arrays, {.reuse = reuse}), expected));
    static_cast<void>(cudaGetLastError());  // an analysis without CUB has left it
  }
}

}  // namespace
}  // namespace terrace::test
