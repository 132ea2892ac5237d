// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What LdltSymbolic tells beside its info: the cost of an order before its fronts are made, and the tree of fronts.
#include <gtest/gtest.h>

#include <cmath>
#include <terrace/ldlt.hpp>

namespace terrace {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Symbolic = LdltSymbolic<int, int, Space>;

/// The lower triangle of a five-point stencil.
struct StencilMatrix {
  Kokkos::View<int*, Space> row_map, entries;

  explicit StencilMatrix(int size) : row_map("row_map", size * size + 1), entries("entries", 3 * size * size) {
    int next = 0;
    for (int row = 0; row < size * size; ++row) {
      if (row >= size) entries(next++) = row - size;
      if (row % size > 0) entries(next++) = row - 1;
      entries(next++) = row;
      row_map(row + 1) = next;
    }
    Kokkos::resize(entries, next);
  }

  Symbolic analyze(const LdltSymbolicOptions& options) const { return {Space(), row_map, entries, options}; }
  LdltSymbolicInfo predict(const LdltSymbolicOptions& options) const {
    return Symbolic::predict(Space(), row_map, entries, options);
  }
};

constexpr Ordering orders_without_libraries[] = {Ordering::Natural, Ordering::ReverseCuthillMckee, Ordering::Multicolor,
                                                 Ordering::Automatic};

TEST(LdltPredict, CountsWhatTheSymbolicPhaseFinds) {
  for (const Ordering ordering : orders_without_libraries) {
    const StencilMatrix grid(17);
    const LdltSymbolicInfo predicted = grid.predict({.ordering = ordering});
    const LdltSymbolicInfo found = grid.analyze({.ordering = ordering}).info();
    EXPECT_EQ(predicted.rows, 289);
    EXPECT_EQ(predicted.matrix_entries, found.matrix_entries);
    EXPECT_EQ(predicted.ordering, found.ordering);
    EXPECT_EQ(predicted.ordering_reason, found.ordering_reason);
    EXPECT_EQ(predicted.factor_entries, found.factor_entries) << to_string(ordering);
    EXPECT_EQ(predicted.operations, found.operations) << to_string(ordering);
    EXPECT_GE(predicted.factor_bytes, 8 * static_cast<std::size_t>(predicted.factor_entries));
    EXPECT_EQ(predicted.fronts, 0);
    EXPECT_EQ(predicted.bytes_held, 0U);
  }
}

TEST(LdltPredict, ChecksItsInputAsTheConstructorDoes) {
  const StencilMatrix grid(3);
  EXPECT_THROW(grid.predict({.amalgamation = -1}), Error);
  EXPECT_THROW(grid.predict({.ordering = Ordering::Given, .permutation = {0, 0, 1, 2, 3, 4, 5, 6, 7}}), Error);
  grid.entries(0) = 9;
  EXPECT_THROW(grid.predict({}), Error);
}

TEST(LdltPredict, AMatrixOfSizeZeroCostsNothing) {
  const LdltSymbolicInfo info = Symbolic::predict(Space(), {}, {});
  EXPECT_EQ(info.rows, 0);
  EXPECT_EQ(info.factor_entries, 0);
  EXPECT_TRUE(Symbolic(Space(), {}, {}).fronts().empty());
}

TEST(LdltFronts, AddUpToTheInfo) {
  for (const double amalgamation : {0.0, 1.0, 10.0}) {
    const Symbolic symbolic = StencilMatrix(23).analyze({.amalgamation = amalgamation});
    const LdltSymbolicInfo& info = symbolic.info();
    std::int64_t columns = 0, entries = 0, largest = 0, levels = 0;
    double operations = 0;
    for (const LdltFront& front : symbolic.fronts()) {
      columns += front.columns;
      largest = std::max<std::int64_t>(largest, front.rows);
      levels = std::max<std::int64_t>(levels, front.level + 1);
      for (int k = 0; k < front.columns; ++k) {
        entries += front.rows - k;
        operations += std::pow(front.rows - k, 2);
      }
    }
    EXPECT_EQ(columns, info.rows);
    EXPECT_EQ(entries, info.stored_entries);
    EXPECT_EQ(operations, info.stored_operations);
    EXPECT_EQ(largest, info.largest_front);
    EXPECT_EQ(levels, info.levels);
    EXPECT_EQ(static_cast<std::int64_t>(symbolic.fronts().size()), info.fronts);
  }
}

TEST(LdltFronts, StandJustBelowTheirParents) {
  const Symbolic symbolic = StencilMatrix(23).analyze({});
  const std::vector<LdltFront> fronts = symbolic.fronts();
  for (int f = 0; f < static_cast<int>(fronts.size()); ++f) {
    const LdltFront& front = fronts[f];
    if (front.parent < 0) {
      EXPECT_EQ(front.level + 1, symbolic.info().levels);
      EXPECT_EQ(front.rows, front.columns);
      continue;
    }
    EXPECT_GT(front.parent, f);
    EXPECT_EQ(front.level + 1, fronts[front.parent].level);
    EXPECT_LE(front.rows - front.columns, fronts[front.parent].rows);
  }
}

}  // namespace
}  // namespace terrace
