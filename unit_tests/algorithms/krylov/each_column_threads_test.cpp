// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums and products by several threads of a host and by one in their place.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "algorithms/krylov/multiply.hpp"

namespace terrace::krylov {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// The sum of 1 / (row + 1), and who took each row.
struct Harmonic {
  static constexpr int sums = 1;
  double* totals;
  std::thread::id* threads;

  struct Rows {
    std::thread::id* threads;
    void operator()(int row, Sums<double, 1>& sum) const {
      threads[row] = std::this_thread::get_id();
      sum.of[0] += 1.0 / (row + 1);
    }
  };
  bool acts_on(int) const { return true; }
  Rows rows_of(int) const { return {threads}; }
  void final(int column, const Sums<double, 1>& total) const { totals[column] = total.of[0]; }
};

TEST(ForEachColumn, HasTheSameBitsByOneThreadInPlaceOfSeveral) {
  const Space space;
  for (const int rows : {1, 1000, 16384, 32768, 100000}) {
    const GatheringMemory<double, Space> memory(space, 2);
    std::vector<double> totals(2);
    std::vector<std::thread::id> threads(static_cast<std::size_t>(rows));
    auto gathering = memory.for_kernels();
    const auto run = [&] {
      for_each_column(space, "terrace::test::harmonic", Extent<double>{rows, 2, gathering},
                      Harmonic{totals.data(), threads.data()});
      return totals;
    };
    const auto by_several = run();
    gathering.one_thread = true;
    EXPECT_EQ(run(), by_several) << rows << " rows";
    EXPECT_EQ(threads, std::vector(threads.size(), std::this_thread::get_id()));
    EXPECT_NEAR(by_several[1], std::log(rows) + 0.5772156649 + 0.5 / rows, rows == 1 ? 0.1 : 1e-6);
  }
}

TEST(ForEachColumn, WakesNobodyForFewRows) {
  const Space space;
  const GatheringMemory<double, Space> memory(space, 1);
  std::vector<double> totals(1);
  std::vector<std::thread::id> threads(10000);
  for_each_column(space, "terrace::test::harmonic", Extent<double>{10000, 1, memory.for_kernels()},
                  Harmonic{totals.data(), threads.data()});
  EXPECT_EQ(threads, std::vector(threads.size(), std::this_thread::get_id()));
}

}  // namespace
}  // namespace terrace::krylov
