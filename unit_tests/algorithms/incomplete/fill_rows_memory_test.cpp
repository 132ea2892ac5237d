// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host without memory while threads search for fill: an Error, not the end of the program.
#include <gtest/gtest.h>

#include <terrace/ilu.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"
#include "support/refused_allocations.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;

class FillWithoutMemory : public ::testing::TestWithParam<bool> {
 public:
  void SetUp() override {
    namespace Tools = Kokkos::Tools::Experimental;
    Tools::set_begin_parallel_for_callback([](const char* label, const std::uint32_t, std::uint64_t*) {
      refused_allocations().are_counted = std::string_view(label) == "terrace::incomplete::find_fill";
    });
    Tools::set_end_parallel_for_callback([](const std::uint64_t) { refused_allocations().are_counted = false; });
    refused_allocations().all_later_ones = GetParam();
  }
  void TearDown() override {
    refused_allocations().stop();
    Kokkos::Tools::Experimental::set_callbacks({});
  }

  IluSymbolic<int, int, Space> analyze() const {
    return IluSymbolic<int, int, Space>(Space(), arrays.row_map, arrays.entries, {.fill_level = 2});
  }

  DeviceArrays<Types> arrays{reference::compress(reference::poisson<double>(30, 30))};
};

TEST_P(FillWithoutMemory, ThrowsAnErrorWhicheverAllocationFails) {
  const auto entries = analyze().info().factor_entries;
  for (int number = 1;; ++number) {
    refused_allocations().start(number);
    try {
      const auto symbolic = analyze();
      EXPECT_FALSE(refused_allocations().have_happened) << "allocation " << number;
      EXPECT_EQ(symbolic.info().factor_entries, entries);
      EXPECT_GT(number, 4);
      return;
    } catch (const Error& error) {
      EXPECT_TRUE(refused_allocations().have_happened);
      EXPECT_EQ(error.code(), ErrorCode::OutOfMemory);
      EXPECT_NE(std::string(error.what()).find("fill"), std::string::npos) << error.what();
    }
    refused_allocations().stop();
    EXPECT_EQ(analyze().info().factor_entries, entries) << "after allocation " << number << " failed";
  }
}

INSTANTIATE_TEST_SUITE_P(OnceOrForGood, FillWithoutMemory, ::testing::Bool());

}  // namespace
}  // namespace terrace::test
