// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each entry is walked once, and each row ended once, wherever long rows stand and however many rows there are.
#include "sparse/for_each_row.hpp"

#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

struct CountVisits {
  const int* row_map;
  int* of_entry;
  int* of_row;

  KOKKOS_FUNCTION int begin(int row) const { return row_map[row]; }
  KOKKOS_FUNCTION int end(int row) const { return row_map[row + 1]; }
  KOKKOS_FUNCTION void finish(int row) const { Kokkos::atomic_inc(of_row + row); }
  KOKKOS_FUNCTION void entry(int, int k) const { Kokkos::atomic_inc(of_entry + k); }
  KOKKOS_FUNCTION void operator()(int row) const {
    finish(row);
    for (int k = begin(row); k < end(row); ++k) entry(row, k);
  }
};

template <class Space>
class ForEachRow : public ::testing::Test {};
using Spaces = ::testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>;
TYPED_TEST_SUITE(ForEachRow, Spaces);

TYPED_TEST(ForEachRow, WalksLongRowsAmongHowManyRowsEver) {
  using Device = typename Combination<double, int, TypeParam>::Device;
  constexpr int every = 999, neighbours = 3, hub = 3000, long_ones = 20, length = 300;  // of several pieces, of one
  constexpr int first_hub = 100'000;                                                    // more pieces than parts
  for (const int rows : {1, 1000, 30000, 900000}) {  // a team looks at some rows once, or several times
    std::vector<int> row_map{0};
    for (int row = 0; row < rows; ++row)
      row_map.push_back(row_map.back() + (row == every - 1                    ? first_hub
                                          : row % every >= every - neighbours ? hub
                                          : row % every < long_ones           ? length
                                                                              : row % 4));
    const auto map = to_device<int, Device>(row_map);
    const auto entries = static_cast<std::size_t>(row_map.back());
    const Kokkos::View<int*, Device> of_entry("of_entry", entries), of_row("of_row", static_cast<std::size_t>(rows)),
        scratch("scratch", 1);
    sparse::for_each_row(TypeParam(), "terrace::test::count_visits", rows, entries, scratch.data(),
                         CountVisits{map.data(), of_entry.data(), of_row.data()});
    TypeParam().fence();
    EXPECT_EQ(to_host(of_entry), std::vector<int>(entries, 1)) << rows << " rows";
    EXPECT_EQ(to_host(of_row), std::vector<int>(static_cast<std::size_t>(rows), 1)) << rows << " rows";
  }
}

}  // namespace
}  // namespace terrace::test
