// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that scale matrices against the loops of a host: the same bits of all that they leave.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <terrace/names.hpp>

#include "backends/ldlt.hpp"
#include "parallel/single_of.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {

template <class T>
class ScaleEntriesTest : public ::testing::Test {
 public:
  using Scalar = typename T::Scalar;
  using Offset = typename T::Offset;
  using Real = ldlt::RealOf<Scalar>;

  static Scalar number(double real, double imag) {
    if constexpr (std::is_floating_point_v<Scalar>) return static_cast<Scalar>(real);
    else return Scalar(static_cast<Real>(real), static_cast<Real>(imag));
  }

  /// The lower triangle of a matrix by columns: its diagonal, and so many entries below it a row, one row full. Numbers
  /// are of many magnitudes.
  struct Entries {
    std::vector<int> row, column;
    std::vector<Offset> source;
    std::vector<Scalar> values;
    int rows;

    Entries(int n, int each) : rows(n) {
      std::mt19937 random(7);
      std::uniform_real_distribution<double> part(-1, 1);
      for (int j = 0; j < n; ++j)
        for (int k = 0; k <= each && j + k * k < n; ++k) add(j + k * k, j);
      for (int j = 0; j < n - 1; ++j) add(n - 1, j);
      for (std::size_t e = 0; e < row.size(); ++e) {
        source.push_back(static_cast<Offset>(row.size() - 1 - e));
        values.push_back(number(std::ldexp(part(random), static_cast<int>(random() % 60) - 30), part(random)));
      }
    }

    void add(int i, int j) {
      row.push_back(i);
      column.push_back(j);
    }
    /// Of every such entry.
    void put(const Scalar& value, std::size_t first, std::size_t distance) {
      for (std::size_t e = first; e < values.size(); e += distance) values[e] = value;
    }
  };

  /// Everything that is left, as bytes.
  template <class Space, class FactorScalar>
  static std::vector<char> scale(const Entries& entries, Scaling scaling, bool as_if_large) {
    using Device = typename Combination<Scalar, Offset, Space>::Device;
    using Record = ldlt::PivotRecord<ldlt::RealOf<FactorScalar>>;
    using Arrays = parallel::JoinedArrays<Space>;
    const Space space;
    const auto rows = static_cast<std::size_t>(entries.rows), count = entries.row.size();
    const auto row = to_device<int, Device>(entries.row), column = to_device<int, Device>(entries.column);
    const auto source = to_device<Offset, Device>(entries.source);
    const auto values = to_device<Scalar, Device>(entries.values);
    ldlt::MatrixScaling<Space> numbers(scaling, !std::is_same_v<Scalar, FactorScalar>);
    Arrays memory(space, "scaling", numbers.bytes(rows) + Arrays::template bytes<char>(1));
    numbers.take(memory, rows);
    const std::size_t exponents = numbers.exponents() ? rows * sizeof(int) : 0;
    const Kokkos::View<char*, Device> left("left", count * sizeof(FactorScalar) + sizeof(Record) + exponents);
    const auto to = reinterpret_cast<FactorScalar*>(left.data());
    const auto record = reinterpret_cast<Record*>(to + count);
    const ldlt::EntryView<Scalar, Offset> view{count, source.data(), row.data(), column.data(), values.data()};
    for (int twice = 0; twice < 2; ++twice) {  // nothing is left of what was there before
      if (as_if_large) ldlt::scale_by_loops(space, numbers, view, to, record);
      else ldlt::scale_entries(space, numbers, view, to, record);
    }
    if (exponents > 0)
      Kokkos::deep_copy(space,
                        Kokkos::View<char*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                            reinterpret_cast<char*>(record + 1), exponents),
                        Kokkos::View<const char*, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                            reinterpret_cast<const char*>(numbers.exponents()), exponents));
    space.fence();
    return to_host(left);
  }

  template <class FactorScalar>
  static void expect_same(const Entries& entries) {
    for (const auto scaling : enumerators<Scaling>()) {
      SCOPED_TRACE(to_string(scaling));
      const auto expected = scale<Kokkos::Serial, FactorScalar>(entries, scaling, true);
      EXPECT_TRUE((scale<Kokkos::Cuda, FactorScalar>(entries, scaling, false) == expected));
      EXPECT_TRUE((scale<Kokkos::Cuda, FactorScalar>(entries, scaling, true) == expected)) << "as if it were large";
    }
  }
  static void expect_same_in_both_precisions(const Entries& entries) {
    SCOPED_TRACE(std::to_string(entries.rows) + " rows, " + std::to_string(entries.row.size()) + " entries");
    expect_same<Scalar>(entries);
    expect_same<parallel::SingleOf<Scalar>>(entries);
  }
};

TYPED_TEST_SUITE_P(ScaleEntriesTest);

/// A thread has one entry, or several, or there are more than the kernel takes.
TYPED_TEST_P(ScaleEntriesTest, LeavesTheBitsThatLoopsLeave) {
  for (const auto& [rows, each] : {std::pair{1, 0}, {2, 1}, {100, 3}, {513, 1}, {600, 4}, {5'000, 4}})
    this->expect_same_in_both_precisions(typename TestFixture::Entries(rows, each));
}

TYPED_TEST_P(ScaleEntriesTest, LeavesTheBitsThatLoopsLeaveOfNumbersThatAreNone) {
  using Part = typename TestFixture::Real;
  const auto infinity = std::numeric_limits<Part>::infinity(), nan = std::numeric_limits<Part>::quiet_NaN(),
             smallest = std::numeric_limits<Part>::denorm_min();
  for (const Part bad : {Part(0), infinity, nan, smallest})
    for (const std::size_t distance : {1, 7, 1000}) {
      SCOPED_TRACE(std::to_string(bad) + " in every entry of " + std::to_string(distance));
      typename TestFixture::Entries entries(700, 3);
      entries.put(typename TypeParam::Scalar(bad), 3 % distance, distance);
      this->expect_same_in_both_precisions(entries);
    }
}

REGISTER_TYPED_TEST_SUITE_P(ScaleEntriesTest, LeavesTheBitsThatLoopsLeave,
                            LeavesTheBitsThatLoopsLeaveOfNumbersThatAreNone);

}  // namespace terrace::test
