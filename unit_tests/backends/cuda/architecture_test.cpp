// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a build for some architectures may rely on, and what its code says on the GPU at hand.
#include "backends/cuda/architecture.hpp"

#include <gtest/gtest.h>

#include "backends/cuda/launch.hpp"

namespace terrace::test {
namespace {

static_assert(cuda::architecture_of(800).shared_kilobytes == 163);
static_assert(cuda::architecture_of(890).shared_kilobytes == 99);
static_assert(cuda::architecture_of(1000).shared_kilobytes == 227);
static_assert(cuda::architecture_of(1210).shared_kilobytes == 99);
static_assert(cuda::CompiledFor::oldest <= cuda::CompiledFor::newest);

__global__ void tell_architecture_kernel(int* compiled_for) {
#if defined(__CUDA_ARCH__)
  *compiled_for = __CUDA_ARCH__;
#endif
}

TEST(CudaArchitecture, TheHostKnowsWhatTheCodeWasCompiledFor) {
  const Kokkos::Cuda space;
  const Kokkos::View<int, Kokkos::CudaSpace> compiled_for("compiled_for");
  cuda::launch(space, "terrace::test::tell_architecture", tell_architecture_kernel, 1, 1, compiled_for.data());
  int found = 0;
  Kokkos::deep_copy(found, compiled_for);
  EXPECT_GE(found, cuda::CompiledFor::oldest);
  EXPECT_LE(found, cuda::CompiledFor::newest);
  EXPECT_EQ(cuda::runs_code_for_hopper(reinterpret_cast<const void*>(tell_architecture_kernel)), found >= cuda::hopper);
}

TEST(CudaArchitecture, NoDeviceHasLessSharedMemoryThanTheTableSays) {
  const auto& properties = Kokkos::Cuda().cuda_device_prop();
  const int capability = 100 * properties.major + 10 * properties.minor;
  EXPECT_GE(cuda::shared_memory_of_block(), cuda::architecture_of(capability).shared_kilobytes << 10);
}

}  // namespace
}  // namespace terrace::test
