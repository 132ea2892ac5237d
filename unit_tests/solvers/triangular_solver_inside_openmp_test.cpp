// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves and eliminations that the threads of the caller's own parallel region begin, each with objects of its own.
#include <gtest/gtest.h>

#include <terrace/terrace.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_triangle.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::OpenMP;
using Types = Combination<double, int, Space>;
using Vector = Kokkos::View<double*, Types::Device>;

/// Rows long enough for arrays of positions.
reference::GeneralMatrix<double> matrix() {
  reference::GeneralMatrix<double> matrix;
  constexpr int rows = 400, reach = 14;
  for (int row = 0; row < rows; ++row) {
    matrix.rows.emplace_back();
    for (int column = std::max(0, row - reach); column <= std::min(rows - 1, row + reach); ++column)
      matrix.rows.back()[column] = column == row ? 40.0 + row % 5 : -1.0 / (1 + std::abs(row - column));
  }
  return matrix;
}

/// More threads than Kokkos has: the numbers of some lie beyond all that was prepared for.
TEST(InsideAParallelRegion, EachThreadOfTheCallerFactorizesAndSolvesWithItsOwnObjects) {
  constexpr int threads = 5;
  const DeviceArrays<Types> arrays(reference::compress(matrix()));
  const auto rows = matrix().rows.size();
  std::vector<IluFactor<double, int, int, Space>> factors;
  std::vector<Vector> x, b;
  for (const auto algorithm : {Algorithm::LevelScheduled, Algorithm::SyncFreeRows, Algorithm::Automatic}) {
    factors.clear(), x.clear(), b.clear();
    const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries, {.algorithm = algorithm});
    for (int k = 0; k <= threads; ++k) {
      factors.emplace_back(Space(), symbolic, arrays.values);
      x.emplace_back("x", rows);
      b.emplace_back("b", rows);
      Kokkos::deep_copy(b.back(), 1.0);
    }
    factors[threads].apply(Space(), b[threads], x[threads]);
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static, 1)
      for (int k = 0; k < threads; ++k) {
        const auto mine = static_cast<std::size_t>(k);
        factors[mine].refactorize(Space(), arrays.values);
        factors[mine].apply(Space(), b[mine], x[mine]);
      }
    }
    for (int k = 0; k < threads; ++k) EXPECT_EQ(to_host(x[static_cast<std::size_t>(k)]), to_host(x[threads]));
  }
}

TEST(InsideAParallelRegion, EachThreadOfTheCallerFactorizesByColumns) {
  constexpr int threads = 5;
  const DeviceArrays<Types> arrays(reference::compress(matrix()));
  const auto rows = matrix().rows.size();
  const LdltSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries,
                                               {.algorithm = LdltAlgorithm::Columns});
  std::vector<LdltFactor<double, int, int, Space>> factors;
  std::vector<Vector> x, b;
  for (int k = 0; k <= threads; ++k) {
    factors.emplace_back(Space(), symbolic, arrays.values);
    x.emplace_back("x", rows);
    b.emplace_back("b", rows);
    Kokkos::deep_copy(b.back(), 1.0);
  }
  factors[threads].solve(Space(), b[threads], x[threads]);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static, 1)
    for (int k = 0; k < threads; ++k) {
      const auto mine = static_cast<std::size_t>(k);
      factors[mine].refactorize(Space(), arrays.values);
      factors[mine].solve(Space(), b[mine], x[mine]);
    }
  }
  const auto expected = to_host(x[threads]);
  for (int k = 0; k < threads; ++k) {
    const auto found = to_host(x[static_cast<std::size_t>(k)]);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(found[i], expected[i], 1e-14);  // sums in any order
  }
}

}  // namespace
}  // namespace terrace::test
