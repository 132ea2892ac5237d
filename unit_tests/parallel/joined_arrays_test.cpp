// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parallel/joined_arrays.hpp"

#include <gtest/gtest.h>

namespace terrace::parallel {
namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Arrays = JoinedArrays<Space>;

TEST(JoinedArrays, AreAlignedAndDoNotOverlap) {
  Arrays arrays(Space(), "terrace::test::joined", Arrays::bytes<char>(3) + Arrays::bytes<double>(5));
  const char* const letters = arrays.take<char>(3);
  const auto numbers = arrays.take_view<double>(5);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(numbers.data()) % alignof(std::max_align_t), 0u);
  EXPECT_GE(reinterpret_cast<const char*>(numbers.data()), letters + 3);
  EXPECT_EQ(numbers.extent(0), 5u);
}

TEST(JoinedArrays, LiveAsLongAsAShareOfTheirMemory) {
  SharedMemory<Space> memory;
  Kokkos::View<int*, Device<Space>> numbers;
  {
    Arrays arrays(Space(), "terrace::test::joined", Arrays::bytes<int>(4));
    numbers = arrays.take_view<int>(4);
    memory = arrays.share();
  }
  Kokkos::deep_copy(numbers, 7);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers)(3), 7);
  EXPECT_EQ(memory.use_count(), 1);
}

TEST(JoinedScratch, LeavesWhatIsShared) {
  SharedMemory<Space> memory;
  Kokkos::View<int*, Device<Space>> numbers;
  {
    JoinedScratch<Space> arrays(Space(), "terrace::test::joined", Arrays::bytes<int>(4));
    numbers = arrays.take_view<int>(4);
    memory = arrays.share();
  }
  Kokkos::deep_copy(numbers, 7);
  EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), numbers)(3), 7);
  EXPECT_EQ(memory->data(), reinterpret_cast<const char*>(numbers.data()));
}

TEST(JoinedArrays, OfNoElementsTakeNoMemory) {
  Arrays arrays(Space(), "terrace::test::joined", Arrays::bytes<int>(0));
  EXPECT_EQ(arrays.take_view<int>(0).extent(0), 0u);
}

}  // namespace
}  // namespace terrace::parallel
