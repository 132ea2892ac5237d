// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several right-hand sides in one walk through a grid are the bits of one after the other, in every shape of tile; and
// a backward sweep that is set up early stays in its place among other kernels.
#include <gtest/gtest.h>

#include <cmath>
#include <terrace/structured_factor.hpp>

#include "backends/cuda/check.hpp"
#include "backends/cuda/structured/make_engine.hpp"
#include "support/device_grid_matrix.hpp"

namespace terrace::test {
namespace {

using Space = Kokkos::Cuda;
using T = Combination<double, int, Space>;
using Numbers = std::vector<double>;
using Factor = StructuredFactor<double, Space>;
using Vector = Kokkos::View<double*, T::Device>;

// A strip, small tiles, and large ones, all of them partly filled.
const Grid grids[] = {{200, 150, 1}, {20, 7, 33}, {40, 39, 53}};

Factor factorize(const Grid& grid, bool symmetric, int at_once) {
  const auto A = reference::make_grid_matrix<double>(grid, symmetric, 5, 2.0);
  return {Space(), to_device_matrix<T>(A, symmetric),
          StructuredFactorOptions{.relaxation = 0.5, .right_hand_sides = at_once}};
}

std::vector<Numbers> right_hand_sides(const Grid& grid, int count) {
  std::vector<Numbers> columns;
  for (int k = 0; k < count; ++k)
    columns.push_back(random_vector<double>(static_cast<int>(grid.cells()), 20u + static_cast<unsigned>(k)));
  return columns;
}

using Solve = void (Factor::*)(const Space&, Factor::const_vectors, Factor::vectors, Op) const;
constexpr Solve solves[] = {&Factor::solve, &Factor::solve_forward, &Factor::solve_backward};

Numbers solve_alone(const Factor& M, Solve solve, const Numbers& b, Op op) {
  const auto x = to_device<double, T::Device>(b);
  (M.*solve)(Space(), x, x, op);
  return to_host(x);
}

template <class Layout>
void expect_bits_of_single_solves(const Grid& grid, bool symmetric, int at_once, int count) {
  const auto M = factorize(grid, symmetric, at_once), alone = factorize(grid, symmetric, 1);
  const auto columns = right_hand_sides(grid, count);
  const auto op = symmetric ? Op::None : Op::Transpose;
  for (const Solve solve : solves) {
    const auto x = to_device_columns<T, Layout>(columns, columns[0].size());
    (M.*solve)(Space(), x, x, op);
    for (std::size_t k = 0; k < columns.size(); ++k)
      ASSERT_EQ(column_to_host(x, k), solve_alone(alone, solve, columns[k], op))
          << to_string(grid) << (symmetric ? " symmetric " : " general ") << at_once << " at once, column " << k
          << " of " << count;
  }
}

TEST(Cuda_GridColumns, HaveTheBitsOfSolvesOneAfterTheOther) {
  for (const Grid& grid : grids)
    for (const bool symmetric : {true, false})
      for (const int at_once : {1, 3, 8})
        for (const int count : {1, 2, 5, 9}) {
          expect_bits_of_single_solves<Kokkos::LayoutLeft>(grid, symmetric, at_once, count);
          if (count == 5) expect_bits_of_single_solves<Kokkos::LayoutRight>(grid, symmetric, at_once, count);
        }
}

TEST(Cuda_GridColumns, AreNotTouchedByWhatIsNotANumberInAnother) {
  for (const Grid& grid : grids) {
    const auto M = factorize(grid, true, 4);
    auto columns = right_hand_sides(grid, 4);
    const auto expected = columns;
    columns[1].assign(columns[1].size(), std::nan(""));
    const auto x = to_device_columns<T, Kokkos::LayoutLeft>(columns, columns[0].size());
    M.solve(Space(), x, x);
    for (const std::size_t k : {0u, 2u, 3u})
      EXPECT_EQ(column_to_host(x, k), solve_alone(M, &Factor::solve, expected[k], Op::None)) << to_string(grid);
    EXPECT_TRUE(std::isnan(column_to_host(x, 1)[0]));
  }
}

TEST(Cuda_GridColumns, AreCapturedInAGraph) {
  cudaStream_t stream = nullptr;
  cuda::check(cudaStreamCreate(&stream));
  for (const Grid& grid : grids) {
    const Space space(stream);
    const auto M = factorize(grid, true, 3);
    const auto columns = right_hand_sides(grid, 3);
    const auto b = to_device_columns<T, Kokkos::LayoutLeft>(columns, columns[0].size());
    const Kokkos::View<double**, Kokkos::LayoutLeft, T::Device> x("x", b.extent(0), b.extent(1));
    Kokkos::fence();
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    M.solve(space, b, x);
    M.solve(space, x, x);
    cuda::check(cudaStreamEndCapture(stream, &graph));
    cuda::check(cudaGraphInstantiate(&executable, graph, 0));
    for (int replay = 0; replay < 3; ++replay) cuda::check(cudaGraphLaunch(executable, stream));
    space.fence();
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto once = solve_alone(M, &Factor::solve, columns[k], Op::None);
      EXPECT_EQ(column_to_host(x, k), solve_alone(M, &Factor::solve, once, Op::None)) << to_string(grid);
    }
    cuda::check(cudaGraphExecDestroy(executable));
    cuda::check(cudaGraphDestroy(graph));
  }
  cuda::check(cudaStreamDestroy(stream));
}

/// Tiles that share a multiprocessor are for grids that no test has the time for.
TEST(Cuda_GridColumns, AreTheSameInTilesThatShareAMultiprocessor) {
  const Grid grid{70, 61, 53};
  const auto A = reference::make_grid_matrix<double>(grid, true, 5, 2.0);
  const Space space;
  const auto matrix = to_device_matrix<T>(A, true);
  const auto columns = right_hand_sides(grid, 5);
  std::vector<Numbers> found[2];
  const auto solve_with = [&](cuda::grid::GridEngine<double>& engine, std::vector<Numbers>& to) {
    const Kokkos::View<std::int64_t, Space> breakdown("breakdown");
    Kokkos::deep_copy(breakdown, grid.cells());
    engine.factorize(space, 0.5, 0.0, breakdown.data());
    const auto x = to_device_columns<T, Kokkos::LayoutLeft>(columns, columns[0].size());
    engine.solve(space, x, x, structured::Part::Both, Op::None);
    for (std::size_t k = 0; k < columns.size(); ++k) to.push_back(column_to_host(x, k));
  };
  solve_with(*cuda::grid::make_tile_engine<double, cuda::grid::LargeTile>(space, matrix, 4, ""), found[0]);
  solve_with(*cuda::grid::make_tile_engine<double, cuda::grid::LargeTileFew>(space, matrix, 1, ""), found[1]);
  EXPECT_EQ(found[0], found[1]);
}

/// x = M^-1 b over and over, each time between two kernels: one writes b, the other takes x away and spoils both.
std::vector<Numbers> solve_among_other_kernels(const Factor& M, const std::vector<Vector>& right) {
  const Space space;
  const Vector b("b", right[0].extent(0)), x("x", b.extent(0));
  std::vector<Vector> found;
  for (std::size_t k = 0; k < right.size(); ++k) found.emplace_back("found", b.extent(0));
  const Kokkos::RangePolicy<Space> all(space, 0, static_cast<int>(b.extent(0)));
  for (int repetition = 0; repetition < 25; ++repetition)
    for (std::size_t k = 0; k < right.size(); ++k) {
      const Vector from = right[k], to = found[k];
      Kokkos::parallel_for(
          "terrace::test::before", all, KOKKOS_LAMBDA(int i) { b(i) = from(i); });
      M.solve(space, b, x);
      Kokkos::parallel_for(
          "terrace::test::behind", all, KOKKOS_LAMBDA(int i) {
            to(i) = x(i);
            b(i) = x(i) = -1;
          });
    }
  space.fence();
  std::vector<Numbers> numbers;
  for (const Vector& one : found) numbers.push_back(to_host(one));
  return numbers;
}

TEST(Cuda_GridColumns, ComeBetweenWhatIsEnqueuedBeforeAndBehindThem) {
  for (const Grid& grid : grids) {
    const auto M = factorize(grid, true, 1);
    std::vector<Vector> right;
    std::vector<Numbers> expected;
    for (const auto& column : right_hand_sides(grid, 4)) {
      right.push_back(to_device<double, T::Device>(column));
      expected.push_back(solve_alone(M, &Factor::solve, column, Op::None));
    }
    EXPECT_EQ(solve_among_other_kernels(M, right), expected) << to_string(grid);
  }
}

/// More than a grid of thread blocks has along y, also where the factor was made for so many at once.
TEST(Cuda_GridColumns, TakesSeventyThousandRightHandSides) {
  constexpr int count = 70000;
  const Grid grid{9, 7, 1};
  const auto M = factorize(grid, true, count), alone = factorize(grid, true, 1);
  const auto numbers = random_vector<double>(static_cast<int>(grid.cells()), 7);
  const Kokkos::View<double**, Kokkos::LayoutLeft, T::Device> x("x", numbers.size(), count);
  const auto b = to_device<double, T::Device>(numbers);
  for (const int column : {0, 65535, count - 1}) Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, column), b);
  M.solve_forward(Space(), x, x);
  const auto expected = solve_alone(alone, &Factor::solve_forward, numbers, Op::None);
  for (const int column : {0, 65535, count - 1})
    EXPECT_EQ(to_host(Kokkos::subview(x, Kokkos::ALL, column)), expected) << "column " << column;
}

}  // namespace
}  // namespace terrace::test
