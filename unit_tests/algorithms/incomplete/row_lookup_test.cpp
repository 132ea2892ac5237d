// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays by column are scratch: where they do not pay, rows walk along themselves and have the same bits.
#include "algorithms/incomplete/row_lookup.hpp"

#include <gtest/gtest.h>

#include <terrace/ilu.hpp>

#include "reference/elimination_shapes.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Serial;

bool arrays_pay(std::size_t rows, std::size_t entries, std::size_t products) {
  return incomplete::arrays_pay<double, int>(rows, entries, products, rows * sizeof(double));
}

TEST(RowArrays, PayWhereRowsOrProductsAreManyOrTheArraysAreSmall) {
  constexpr std::size_t rows = 100'000;
  EXPECT_FALSE(arrays_pay(rows, 3 * rows, rows));
  EXPECT_TRUE(arrays_pay(rows, 3 * rows, 12 * rows));   // of a few long rows
  EXPECT_TRUE(arrays_pay(rows, 12 * rows, 12 * rows));  // of all
  EXPECT_TRUE(arrays_pay(rows, 5 * rows, rows));        // small beside the factor
  EXPECT_TRUE(arrays_pay(1'000, 3'000, 1'000));         // small
}

/// A triangle of vertices and two more in a chain, many times, with three entries in a row: elimination changes more
/// than pivots.
reference::RealMatrix small_graphs(int count) {
  reference::RealMatrix matrix(5 * count);
  const auto link = [&](int a, int b, double weight) { matrix.rows[a][b] = matrix.rows[b][a] = weight; };
  for (int first = 0; first < matrix.size(); first += 5) {
    link(first, first + 1, -1.1);
    link(first, first + 2, 0.7);
    link(first + 1, first + 2, -1.3);
    link(first + 2, first + 3, 0.9);
    link(first + 3, first + 4, -1.7);
    for (int k = 0; k < 5; ++k) matrix.rows[first + k][first + k] = 4.1 + k;
  }
  return matrix;
}

std::vector<double> factor_of(const reference::RealMatrix& matrix, Factorization factorization, double relaxation) {
  const DeviceArrays<Combination<double, int, Space>> arrays(reference::compress(matrix));
  const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries,
                                              {.factorization = factorization});
  return to_host(
      IluFactor<double, int, int, Space>(Space(), symbolic, arrays.values, {.relaxation = relaxation}).values());
}

TEST(RowArrays, AndNoneGiveTheSameBits) {
  constexpr int copies = 8'000;
  ASSERT_FALSE(arrays_pay(5 * copies, 15 * copies, 8 * copies));
  for (const auto factorization : {Factorization::Lu, Factorization::Cholesky})
    for (const double relaxation : {0.0, 0.7}) {
      const auto expected = factor_of(small_graphs(1), factorization, relaxation);
      const auto found = factor_of(small_graphs(copies), factorization, relaxation);
      ASSERT_EQ(found.size(), expected.size() * copies);
      for (std::size_t k = 0; k < found.size(); ++k)
        ASSERT_EQ(found[k], expected[k % expected.size()])
            << to_string(factorization) << ", " << relaxation << ", " << k;
    }
}

}  // namespace
}  // namespace terrace::test
