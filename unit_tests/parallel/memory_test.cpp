// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parallel/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "parallel/host_vectors.hpp"
#include "parallel/sort_keys.hpp"
#include "support/device_triangle.hpp"

namespace terrace::parallel {
namespace {

using Space = Kokkos::DefaultExecutionSpace;

TEST(Scratch, HoldsWhatItWasFilledWith) {
  const Space space;
  const Scratch<int, Space> sevens(space, "terrace::test::scratch", 100);
  sevens.fill(7);
  EXPECT_EQ(test::to_host(sevens.view()), std::vector<int>(100, 7));
  const auto zeros = scratch_of_zeros<double>(space, "terrace::test::scratch", 3);
  EXPECT_EQ(test::to_host(zeros.view()), std::vector<double>(3, 0.0));
}

TEST(Scratch, MovesWithItsElements) {
  const Space space;
  Scratch<int, Space> first(space, "terrace::test::scratch", 5);
  first.fill(3);
  const int* const at = first.data();
  const Scratch<int, Space> second = std::move(first);
  EXPECT_EQ(second.data(), at);
  EXPECT_EQ(test::to_host(second.view()), std::vector<int>(5, 3));
}

TEST(Scratch, MayHaveNoElements) {
  const auto none = scratch_of_zeros<int>(Space(), "terrace::test::scratch", 0);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.view().extent(0), 0u);
}

TEST(ScratchShare, FreesWithTheLastShareAlone) {
  const Space space;
  auto first = std::make_shared<Memory<Space>>(space, "terrace::test::shared", 16), second = first;
  const std::weak_ptr<Memory<Space>> memory = first;
  { const ScratchShare share(space, first); }
  EXPECT_EQ(first, nullptr);
  EXPECT_NE(second->data(), nullptr);
  { const ScratchShare share(space, second); }
  EXPECT_TRUE(memory.expired());
  { const ScratchShare none(space, second); }
}

TEST(SortKeys, SortsAllBits) {
  const Space space;
  for (const std::size_t count :
       {std::size_t(0), std::size_t(1), std::size_t(2), std::size_t(1000), std::size_t(100000)}) {
    std::mt19937_64 generator(count);
    std::vector<std::uint64_t> keys(count);
    for (auto& key : keys) key = generator();
    const auto on_device = from_host_vector<std::uint64_t>(space, "terrace::test::keys", keys);
    sort_keys<Space>(space, on_device);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(test::to_host(on_device), keys);
  }
}

}  // namespace
}  // namespace terrace::parallel
