// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was analyzed with all threads of a host, used with fewer: on a part of them, and inside a parallel region of the
// caller, where kernels run on the calling thread. CTest repeats it with numbers of threads from 1 to 256.
#include <gtest/gtest.h>

#include <terrace/terrace.hpp>

#include "reference/general_matrix.hpp"
#include "support/device_grid_matrix.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::DefaultHostExecutionSpace;
using Types = Combination<double, int, Space>;
using Vector = Kokkos::View<double*, Types::Device>;

/// A few instances: all threads, a part, and the rest.
std::vector<Space> instances() {
  std::vector<Space> all{Space()};
  const int threads = Space().concurrency();
  if (threads < 2) return all;
  for (const auto& part : Kokkos::Experimental::partition_space(Space(), 1, threads - 1)) all.push_back(part);
  return all;
}

reference::GeneralMatrix<double> matrix() { return reference::convection_diffusion<double>(40, 30, 1, 0.3); }

reference::SparseTriangle<double> lower_triangle() {
  reference::SparseTriangle<double> triangle;
  for (const auto& row : matrix().rows) {
    triangle.rows.emplace_back();
    const int number = static_cast<int>(triangle.rows.size()) - 1;
    for (const auto& [column, value] : row)
      if (column <= number) triangle.rows.back()[column] = value;
  }
  return triangle;
}

Vector numbers(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) values[k] = 1.0 + 0.01 * double(k % 41);
  return to_device<double, Types::Device>(values);
}

/// Calls `solve(space, b, x)` on the instance; returns x.
template <class Solve>
std::vector<double> result_of(const Space& space, std::size_t rows, const Solve& solve) {
  const Vector b = numbers(rows), x("x", rows);
  solve(space, b, x);
  return to_host(x);
}

template <class Solve>
void expect_the_same_bits(std::size_t rows, const Solve& solve) {
  const auto all = instances();
  const auto expected = result_of(all[0], rows, solve);
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_EQ(result_of(all[k], rows, solve), expected) << all[k].concurrency() << " threads";
}

/// Rows by levels, and those that Automatic gives to one thread, are multiplied by inverted pivots (host_triangle.hpp);
/// the others are divided.
TEST(FewerThreads, SolveTrianglesWithTheBitsOfOne) {
  const DeviceArrays<Types> arrays(reference::compress(lower_triangle(), {{}, true, true}, 1));
  const std::size_t rows = lower_triangle().rows.size();
  const auto solution = [&](const TriangularOptions& options) {
    const auto solver = arrays.analyze(options);
    return result_of(Space(), rows,
                     [&](const Space& space, const Vector& b, const Vector& x) { solver.solve(space, b, x); });
  };
  const auto by_one_thread = solution({.algorithm = Algorithm::Sequential}), inverted = solution({});
  for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled, Algorithm::SyncFreeRows})
    for (const int rows_per_task : {0, 1, 8}) {
      const auto& expected = algorithm == Algorithm::SyncFreeRows ? by_one_thread : inverted;
      SCOPED_TRACE(std::string(to_string(algorithm)) + ", rows per task " + std::to_string(rows_per_task));
      const auto solver = arrays.analyze({.algorithm = algorithm, .rows_per_task = rows_per_task});
      const auto solve = [&](const Space& space, const Vector& b, const Vector& x) { solver.solve(space, b, x); };
      expect_the_same_bits(rows, solve);
      EXPECT_EQ(result_of(Space(), rows, solve), expected);
    }
}

TEST(FewerThreads, SolveTrianglesInHecWithTheSameBits) {
  const DeviceArrays<Types> arrays(reference::compress(lower_triangle(), {{}, true, true}, 1));
  const std::size_t rows = lower_triangle().rows.size();
  const auto solver = arrays.analyze({.storage = Storage::Hec, .deterministic = true});
  for (const Op op : {Op::None, Op::Transpose})
    expect_the_same_bits(rows,
                         [&](const Space& space, const Vector& b, const Vector& x) { solver.solve(space, b, x, op); });
}

TEST(FewerThreads, SolveInTheOrderOfArrivalAndTransposed) {
  const DeviceArrays<Types> arrays(reference::compress(lower_triangle(), {{}, true, true}, 1));
  const std::size_t rows = lower_triangle().rows.size();
  for (const auto algorithm : {Algorithm::SyncFreeColumns, Algorithm::LevelScheduled, Algorithm::SyncFreeRows}) {
    const auto solver = arrays.analyze({.algorithm = algorithm});
    for (const Op op : {Op::None, Op::Transpose}) {
      const auto solve = [&](const Space& space, const Vector& b, const Vector& x) { solver.solve(space, b, x, op); };
      const auto expected = result_of(Space(), rows, solve);
      for (const auto& space : instances()) {
        const auto x = result_of(space, rows, solve);
        EXPECT_LE(largest_difference(x, expected), 1e-12) << to_string(algorithm);
      }
    }
  }
}

TEST(FewerThreads, FactorizeWithTheSameBits) {
  const DeviceArrays<Types> arrays(reference::compress(matrix()));
  const std::size_t rows = matrix().rows.size();
  for (const int fill_level : {0, 3})
    for (const auto algorithm : {Algorithm::Automatic, Algorithm::LevelScheduled, Algorithm::SyncFreeRows}) {
      const IluSymbolic<int, int, Space> symbolic(Space(), arrays.row_map, arrays.entries,
                                                  {.fill_level = fill_level, .algorithm = algorithm});
      IluFactor<double, int, int, Space> factor(Space(), symbolic, arrays.values);
      expect_the_same_bits(rows, [&](const Space& space, const Vector& b, const Vector& x) {
        factor.refactorize(space, arrays.values);
        factor.apply(space, b, x);
      });
      EXPECT_TRUE(factor.info().succeeded());
    }
}

TEST(FewerThreads, AnalyseAndFactorizeByThresholds) {
  const DeviceArrays<Types> arrays(reference::compress(matrix()));
  expect_the_same_bits(matrix().rows.size(), [&](const Space& space, const Vector& b, const Vector& x) {
    const IlutFactor<double, int, int, Space> factor(space, arrays.row_map, arrays.entries, arrays.values,
                                                     {.fill = 8, .drop_tolerance = 1e-3});
    factor.apply(space, b, x);
  });
}

TEST(FewerThreads, SweepGrids) {
  const Grid grid{40, 30, 1};
  const auto rows = static_cast<std::size_t>(grid.cells());
  reference::GridMatrix<double> A{grid, std::vector<double>(rows, 4.5), {}, {}};
  for (auto& upper : A.upper) upper.assign(rows, 0.0);
  for (int c = 0; c < A.size(); ++c) {
    if (grid.cell(c).i + 1 < grid.nx) A.upper[0][static_cast<std::size_t>(c)] = -1.0;
    if (grid.cell(c).j + 1 < grid.ny) A.upper[1][static_cast<std::size_t>(c)] = -1.0;
  }
  const auto matrix = to_device_matrix<Types>(A, true);
  for (const auto algorithm : {SweepAlgorithm::Automatic, SweepAlgorithm::Pipelined}) {
    StructuredFactor<double, Space> factor(Space(), matrix, {.relaxation = 1.0, .algorithm = algorithm});
    StructuredPcg<double, Space> pcg(Space(), matrix, {.relaxation = 1.0, .algorithm = algorithm});
    expect_the_same_bits(rows, [&](const Space& space, const Vector& b, const Vector& x) {
      factor.refactorize(space);
      factor.solve(space, b, x);
    });
    expect_the_same_bits(rows, [&](const Space& space, const Vector& b, const Vector& x) {
      EXPECT_TRUE(pcg.solve(space, b, x, {.tolerance = 1e-6}).converged());
    });
  }
}

}  // namespace
}  // namespace terrace::test
